package freeruntest_test

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/recording"
)

// tracer records a round of mayhem again and again, from and to random moments.
type tracer struct {
	t      *testing.T
	rt     *freerun.Runtime
	random *rand.Rand
	flight bool
	end    chan struct{}
	ended  sync.WaitGroup
}

// recordingOptions draws the options by which the runtime of a round is recorded from its
// beginning.
func recordingOptions(random *rand.Rand) (options []freerun.Option, flight bool) {
	if random.IntN(4) != 0 {
		return nil, false
	}
	return []freerun.Option{freerun.FlightRecorder(1 << (10 + random.IntN(8)))}, true
}

// startTracer starts a tracer in some rounds.
func startTracer(t *testing.T, rt *freerun.Runtime, random *rand.Rand, flight bool) *tracer {
	r := &tracer{t: t, rt: rt, random: random, flight: flight, end: make(chan struct{})}
	if random.IntN(2) == 0 {
		r.ended.Go(r.run)
	}
	return r
}

// stop ends the recording. It may come after the end of the runtime.
func (r *tracer) stop() {
	close(r.end)
	r.ended.Wait()
}

func (r *tracer) run() {
	for {
		var file bytes.Buffer
		stop, err := r.rt.StartTrace(&file)
		if errors.Is(err, freerun.ErrClosed) {
			return
		}
		if err != nil {
			r.t.Error(err)
			return
		}
		last := r.sleep()
		if err := stop(); err != nil {
			r.t.Error(err)
		}
		r.read(&file, "a recording")
		if r.flight {
			file.Reset()
			if err := r.rt.DumpFlight(&file); err != nil {
				r.t.Error(err)
			}
			r.read(&file, "the flight recorder")
		}
		if last {
			return
		}
	}
}

func (r *tracer) sleep() (last bool) {
	select {
	case <-r.end:
		return true
	case <-time.After(time.Duration(r.random.IntN(int(5 * time.Millisecond)))):
		return false
	}
}

// read checks what is true of any recording, however many events it has lost.
func (r *tracer) read(file *bytes.Buffer, what string) {
	tr, err := recording.Read(file)
	if err != nil {
		r.t.Errorf("%s cannot be read: %v", what, err)
		return
	}
	sent, begun, last := make([]bool, tr.Sent+1), make([]bool, tr.Sent+1), int64(0)
	for _, e := range tr.Events {
		switch {
		case e.Time < last:
			r.t.Errorf("%s: %+v comes after time %d", what, e, last)
		case e.Kind == recording.KindSend && (sent[e.Message] || begun[e.Message]), e.Kind == recording.KindRunBegin && begun[e.Message]:
			r.t.Errorf("%s: message %d was sent or begun already: %+v", what, e.Message, e)
		}
		last = e.Time
		sent[e.Message] = sent[e.Message] || e.Kind == recording.KindSend
		begun[e.Message] = begun[e.Message] || e.Kind == recording.KindRunBegin
	}
	a, waited := recording.Analyze(tr), int64(0)
	for _, step := range a.Path {
		if step.Processor == recording.Outside {
			waited += step.End - step.Begin
		}
	}
	if a.Span > a.Work+waited {
		r.t.Errorf("%s: span %d, of which timers took %d, and work %d", what, a.Span, waited, a.Work)
	}
}
