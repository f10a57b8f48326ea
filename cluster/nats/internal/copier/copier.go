//go:build !wasm

// Package copier is the command cmd/copy: it opens the stores, and sees to it that no process has
// one of them meanwhile, as far as that can be seen.
package copier

import (
	"bufio"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/freerun-go/freerun/cluster/internal/transfer"
)

// The exit statuses.
const (
	well   = 0
	failed = 1
	usage  = 2
)

// Run carries out one command line and returns the exit status.
func Run(args []string, stdout, stderr io.Writer) int {
	o, err := parse(args)
	out := bufio.NewWriter(stdout)
	switch {
	case err != nil:
	case o.help:
		printHelp(out)
	default:
		var s *summary
		if s, err = o.copy(stderr); err == nil {
			s.show(out, o.json)
		}
	}
	if flushing := out.Flush(); err == nil && flushing != nil {
		if err = fmt.Errorf("writing the output: %w", flushing); !o.help {
			err = whole(err)
		}
	}
	if err == nil {
		return well
	}
	fmt.Fprintf(stderr, "copy: %s\n", strings.ReplaceAll(err.Error(), "\n", "; "))
	var wrong *usageError
	if errors.As(err, &wrong) {
		return usage
	}
	return failed
}

// summary says what was copied. The fields are those of -json.
type summary struct {
	Type string `json:"type"` // copy
	From place  `json:"from"`
	To   place  `json:"to"`
	transfer.Counts
	Names map[string]string `json:"names"`
}

// place is a store.
type place struct {
	Store      string `json:"store"` // folder, or nats
	Place      string `json:"place"`
	ID         string `json:"id"`
	Program    string `json:"program,omitempty"`
	Partitions int    `json:"partitions,omitempty"`
	Pairs      int    `json:"pairs,omitempty"` // of streams
}

// copy copies. It tells its progress to people.
func (o *options) copy(progress io.Writer) (*summary, error) {
	s := &summary{Type: "copy", Names: map[string]string{}}
	from, err := o.openSource(&s.From)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", o.from, err)
	}
	return o.copyFrom(from, s, progress)
}

// whole is an error of what comes after the copy.
func whole(err error) error { return fmt.Errorf("the copy is whole, but then: %w", err) }

// copyFrom copies a source, and closes it.
func (o *options) copyFrom(from *source, s *summary, progress io.Writer) (_ *summary, err error) {
	defer func() {
		switch closing := from.close(); {
		case closing == nil:
		case err == nil:
			err = whole(fmt.Errorf("%s: %w", o.from, closing))
		default:
			err = errors.Join(err, closing)
		}
	}()
	to, err := o.openTarget(&s.To, s.From)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", o.to, err)
	}
	tell := teller{w: progress}
	s.Counts, err = transfer.Copy(from, to, tell.progress, func() error { return errors.Join(from.still(), to.still()) })
	if err = errors.Join(err, to.close()); err != nil {
		return nil, err
	}
	for was, is := range from.Names() {
		if was != is {
			s.Names[was] = is
		}
	}
	return s, nil
}

// teller tells people how far a copy is, each second.
type teller struct {
	w    io.Writer
	last time.Time
}

func (t *teller) progress(copied, all int) {
	if now := time.Now(); now.Sub(t.last) > time.Second {
		t.last = now
		fmt.Fprintf(t.w, "copy: %d of %d entries\n", copied, all)
	}
}

// show prints the summary.
func (s *summary) show(w io.Writer, asJSON bool) {
	if asJSON {
		e := json.NewEncoder(w)
		e.SetEscapeHTML(false)
		_ = e.Encode(s) // w keeps the error
		return
	}
	fmt.Fprintf(w, "from       %s\nto         %s\n", &s.From, &s.To)
	head := "units"
	for _, kind := range slices.Sorted(maps.Keys(s.Units)) {
		fmt.Fprintf(w, "%-9s  %d of kind %s\n", head, s.Units[kind], kind)
		head = ""
	}
	if len(s.Units) == 0 {
		fmt.Fprintf(w, "%-9s  none\n", head)
	}
	fmt.Fprintf(w, "under way  %d messages\nfailures   %d\ntimers     %d\noutcomes   %d of operations with an identity\n", s.Sent, s.Failures, s.Timers, s.Outcomes)
	for _, was := range slices.Sorted(maps.Keys(s.Names)) {
		fmt.Fprintf(w, "names      kind %s has the name %s in the store: a program without it says cluster.Was(%q)\n", was, s.Names[was], s.Names[was])
	}
}

func (p *place) String() string {
	if p.Store == "folder" {
		return fmt.Sprintf("%s, id %s", p.Place, p.ID)
	}
	return fmt.Sprintf("%s, program %s, %d partitions on %d pairs of streams, id %s", p.Place, p.Program, p.Partitions, p.Pairs, p.ID)
}

func idOf(id [16]byte) string { return hex.EncodeToString(id[:]) }

// waits returns a context for what waits for servers.
func (o *options) waits() (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.Background(), o.within)
}
