package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/freerun-go/freerun/bench"
	"github.com/freerun-go/freerun/bench/commandline"
	"github.com/freerun-go/freerun/cmd/freerun/internal/capture"
	"github.com/freerun-go/freerun/cmd/freerun/internal/timeline"
	"github.com/freerun-go/freerun/programs"
	"github.com/freerun-go/freerun/recording"
)

// format writes a recording in one form. raw is the recording as it was made.
type format func(w io.Writer, raw io.ReadSeeker, t *recording.Trace, a *recording.Analysis) error

// formatOf returns the form for the ending of a name, or nil if there is none.
func formatOf(name string) format {
	switch filepath.Ext(name) {
	case ".html":
		return func(w io.Writer, _ io.ReadSeeker, t *recording.Trace, a *recording.Analysis) error {
			return timeline.Write(w, t, a)
		}
	case ".json":
		return func(w io.Writer, _ io.ReadSeeker, t *recording.Trace, _ *recording.Analysis) error {
			return t.WriteChrome(w)
		}
	case rawEnding:
		return func(w io.Writer, raw io.ReadSeeker, _ *recording.Trace, _ *recording.Analysis) error {
			if _, err := raw.Seek(0, io.SeekStart); err != nil {
				return err
			}
			_, err := io.Copy(w, raw)
			return err
		}
	}
	return nil
}

// rawEnding is the ending of recordings as they are made.
const rawEnding = ".trace"

// interruptedTrace is the error for a recording that ended before the program.
type interruptedTrace struct{ name string }

func (e *interruptedTrace) Error() string {
	return "interrupted: " + e.name + " has what was recorded until then"
}

// Is makes the error an interruption for the exit status.
func (e *interruptedTrace) Is(target error) bool { return target == bench.ErrInterrupted }

// captureTrace runs the plan and writes the recording. Until then the recording lies in a temporary
// file, because it may be large.
func captureTrace(c *cobra.Command, catalogue []*programs.Program, p *programs.Program, f traceFlags) error {
	raw, err := os.CreateTemp("", "freerun-*.trace")
	if err != nil {
		return err
	}
	defer os.Remove(raw.Name())
	defer raw.Close()
	run := capture.New(raw, int64(f.events)*bytesPerEvent, f.limit)
	plan, err := planTrace(catalogue, p, f, run)
	if err != nil {
		return err
	}
	out, err := openTarget(f.output)
	if err != nil {
		return err
	}
	defer out.discard()
	ctx, restore := signal.NotifyContext(c.Context(), os.Interrupt, syscall.SIGTERM)
	recorded, interrupted, failed := run.Plan(ctx, plan)
	restore() // the next signal ends the process
	if !recorded {
		return failed
	}
	if _, err := raw.Seek(0, io.SeekStart); err != nil {
		return errors.Join(failed, err)
	}
	if err := writeTrace(c, raw, run.Title(), out, f.events); err != nil {
		return errors.Join(failed, err)
	}
	if interrupted {
		failed = errors.Join(failed, &interruptedTrace{out.name})
	}
	return failed
}

// planTrace returns the plan of the run to record. Its error says what is wrong with the flags.
func planTrace(catalogue []*programs.Program, p *programs.Program, f traceFlags, run *capture.Capture) (*bench.Plan, error) {
	settings, err := commandline.ParamSettings(f.params)
	if err != nil {
		return nil, err
	}
	var wanted []string
	for _, v := range p.Variants {
		if v.Kind == programs.Freerun {
			wanted = append(wanted, v.Name)
		}
	}
	if v, known := p.Variant(f.variant); known && v.Kind != programs.Freerun {
		return nil, commandline.Usagef("%s/%s does not run on freerun, so there is nothing to record; of %s these do: %s", p.Name, v.Name, p.Name, strings.Join(wanted, ", "))
	}
	if f.variant != "" {
		wanted = []string{f.variant}
	}
	return bench.NewPlan(catalogue, bench.Request{
		Programs: []string{p.Name}, Variants: wanted, Processors: []int{f.processors}, Runs: 1, Quick: !f.full,
		Params: slices.Concat(f.settings, settings), Runner: run.Run,
	})
}

// bytesPerEvent is more than the average size of an event in a recording, so that a limit by bytes
// is not below the limit by events.
const bytesPerEvent = 24

// writeTrace reads a recording and writes it in the form of the target's name. If title is not "",
// it becomes the program's name. Of a broken recording writeTrace writes the readable part, and
// returns the fault.
func writeTrace(c *cobra.Command, in io.ReadSeeker, title string, out *target, most int) error {
	t, broken := recording.Read(in)
	if t == nil {
		return broken
	}
	if title != "" {
		t.Program = title
	}
	whole := len(t.Events)
	if whole > most {
		t.Events, t.End = t.Events[:most], t.Events[most-1].Time
	}
	a := recording.Analyze(t)
	if err := formatOf(out.name)(out, in, t, a); err != nil {
		return err
	}
	if err := out.commit(); err != nil {
		return err
	}
	if broken != nil {
		return fmt.Errorf("%w; what could be read before is in %s", broken, out.name)
	}
	_, err := fmt.Fprintf(c.OutOrStdout(), "%s: %d messages, %d events%s; work %s, span %s, parallelism %.3g; %.2f of %d processors ran messages, on average, and %.2f to %.2f were to be expected\n",
		out.name, t.Sent, len(t.Events), leftOut(whole-len(t.Events), t.Lost), timeline.Duration(a.Work), timeline.Duration(a.Span), a.Parallelism, a.Busy, a.Processors, a.AtLeast, a.AtMost)
	return err
}

// leftOut describes what the recording lacks.
func leftOut(beyond int, lost uint64) string {
	text := ""
	if beyond > 0 {
		text += fmt.Sprintf(", %d more left out (--events)", beyond)
	}
	if lost > 0 {
		text += fmt.Sprintf(", %d lost", lost)
	}
	return text
}
