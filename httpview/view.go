package httpview

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/recording"
)

// freshness is how long requests share one result. It is slightly less than the second after which
// a page asks again, so that a page does not get the same result twice.
const freshness = 900 * time.Millisecond

// view is the state that all viewers of a runtime share.
type view struct {
	rt      *freerun.Runtime
	title   string
	started string // identifies this run of the program
	record  func(ctx context.Context, d time.Duration) (*recording.Trace, error)
	sampled *sampled

	// The goroutine that has put a token into it owns the fields below until it takes the token
	// out.
	turn chan struct{}

	last    time.Time
	frame   []byte // the encoded frame of that time
	length  time.Duration
	window  window
	ranking ranking
}

func newView(rt *freerun.Runtime, title string) *view {
	return &view{
		rt: rt, title: title, record: rt.Sample, sampled: newSampled(),
		started: strconv.FormatInt(time.Now().UnixNano(), 36) + "-" + strconv.Itoa(os.Getpid()),
		turn:    make(chan struct{}, 1), length: longest / 4,
	}
}

// look returns a new frame, or the frame of less than a second ago. It waits for the sample. If ctx
// ends first, it returns nil.
func (v *view) look(ctx context.Context) []byte {
	select {
	case v.turn <- struct{}{}:
		defer func() { <-v.turn }()
	case <-ctx.Done():
		return nil
	}
	if v.frame != nil && time.Since(v.last) < freshness {
		return v.frame
	}
	begun := time.Now()
	sample := v.sample(ctx)
	if ctx.Err() != nil {
		return nil
	}
	encoded, err := json.Marshal(v.see(sample))
	if err != nil {
		panic(err) // a frame has only numbers and texts
	}
	v.frame, v.last = encoded, begun
	return encoded
}

// see makes a frame from a sample and the runtime's figures of now.
func (v *view) see(s sample) frame {
	stats, running := v.rt.Stats(), v.rt.Running()
	f := frame{
		Title: v.title, Started: v.started, PID: os.Getpid(), Go: runtime.Version(), Now: float64(time.Now().UnixMicro()) / 1e3,
		Ended: v.rt.Context().Err() != nil, InService: v.rt.Processors(),
		Sent: stats.Sent, Done: stats.Done, Failed: stats.Failed, Lost: stats.Lost, Panics: stats.Panics, Late: stats.Late,
		Process: readProcess(), Sample: s, Operations: firstOf(v.window.operations(), shownOperations), Units: v.ranking.first(mostUnits),
		Modules: moduleFigures(v.rt), Kinds: kindsOf(v.rt),
	}
	for i, p := range stats.Processors {
		shown := processor{
			Messages: p.Messages, Steals: p.Steals, Stolen: p.Stolen, Searches: p.Searches, Parks: p.Parks, Wakes: p.Wakes, Yields: p.Yields,
		}
		if i < len(running) { // a processor added in between is missing there
			shown.Operation, shown.Unit = running[i].Operation, running[i].Unit
		}
		f.Processors = append(f.Processors, shown)
	}
	for _, i := range v.rt.LateReports() {
		f.Incidents = append(f.Incidents, incident{
			At: i.At.UnixMilli(), Operation: i.Operation, Unit: i.Unit, Been: float64(i.Been) / float64(time.Millisecond), Stack: string(i.Stack),
		})
	}
	for _, l := range v.rt.LostMessages() {
		f.Losses = append(f.Losses, loss{
			At: l.At.UnixMilli(), Operation: l.Operation, Unit: l.Unit, Error: textOf(l.Err), Scope: l.Scope, Senders: l.Senders,
		})
	}
	still := v.rt.SuspendedUnits()
	f.SuspendedUnits = len(still)
	for _, s := range still[:min(len(still), shownSuspended)] {
		f.Suspended = append(f.Suspended, suspended{s.Unit, s.Since.UnixMilli()})
	}
	return f
}

// shownSuspended is how many suspended units the page shows.
const shownSuspended = 32

// textOf returns the text of an error of the program, whose method may panic, or end its goroutine.
func textOf(err error) (text string) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		text = "an error whose text ends its goroutine"
		text = fmt.Sprint(err) // tells a panic as a text
	}()
	<-done
	return shorten(text)
}

// mostText is how many bytes of an error's text the page shows.
const mostText = 400

func shorten(text string) string {
	if len(text) <= mostText {
		return text
	}
	return strings.ToValidUTF8(text[:mostText], "") + "…"
}

// shownOperations is how many operations the page shows, those first that take the most time.
const shownOperations = 30

func firstOf[T any](all []T, n int) []T { return all[:min(n, len(all))] }

func (v *view) serveFrame(w http.ResponseWriter, r *http.Request) {
	frame := v.look(r.Context())
	if frame == nil {
		return // the client has gone
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.Write(frame)
}
