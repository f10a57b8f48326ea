package freerun

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/freerun-go/freerun/internal/record"
	"github.com/freerun-go/freerun/recording"
)

// ErrTracing says that the runtime is being recorded already. It has one recording at a time.
var ErrTracing = errors.New("freerun: the runtime is being recorded already; stop that first")

const (
	// tapeWords is the length of a drained tape: a megabyte, some 50,000 events.
	tapeWords = 1 << 17
	// shortWords is the length of a tape for samples, which are taken again and again: a new
	// megabyte each time would keep the garbage collector busy.
	shortWords = 1 << 15
)

// newRecording returns a session with tapes of so many words, and has it begin now.
func (rt *Runtime) newRecording(words int, keeps bool) *record.Session {
	return record.NewSession(words, keeps, rt.Processors(), rt.env.recordClock())
}

// attach sets the observers of a worker.
func (rt *Runtime) attach(w *worker) {
	rt.recorded.Lock()
	defer rt.recorded.Unlock()
	rt.attachLocked(w)
}

// attachLocked is attach for a caller that holds rt.recorded.
func (rt *Runtime) attachLocked(w *worker) {
	bits := rt.observers()
	r := rt.recording.Load()
	if w.processor != nil {
		var t *record.Tape
		if r != nil {
			t = r.Tape(w.processor.Index())
		}
		w.processor.Record(t)
	} else {
		bits = 0 // no operation begins on the worker of ordinary goroutines
	}
	if r != nil {
		bits |= byRecorder
	}
	if w.observed.Load() != bits {
		w.observed.Store(bits)
	}
}

// switchTo makes r the recording of the runtime, nil for none. The caller holds rt.recorded.
func (rt *Runtime) switchTo(r *record.Session) {
	rt.recording.Store(r)
	rt.attachAllLocked()
}

// attachAllLocked attaches all workers. The caller holds rt.recorded.
func (rt *Runtime) attachAllLocked() {
	rt.attachLocked(&rt.outside)
	for _, w := range rt.workers() {
		rt.attachLocked(w)
	}
}

// StartTrace records what the runtime does from now on, and writes it to w, until stop is called:
// which operation ran where and when, its sender, what it waited for, what was stolen, when
// processors searched and slept. Package recording reads it.
//
// stop returns when all is written, with the first error of w; what was written before an error can
// be read. Only the first call of stop has an effect. w is used by one goroutine at a time.
//
// A recorded event costs the processor about as much as one look at a clock. Events that come
// faster than they can be written are left out and counted. While nothing is recorded, nothing is
// paid for it.
//
// Any goroutine but an operation's may start and stop a recording. StartTrace returns [ErrTracing]
// if the runtime is being recorded already, an error of w, or [ErrClosed]. A flight recorder
// ([FlightRecorder]) pauses meanwhile. StartTrace panics if w is nil.
func (rt *Runtime) StartTrace(w io.Writer) (stop func() error, err error) {
	if w == nil {
		panic("freerun: StartTrace needs a writer")
	}
	rt.mustBeMade()
	return rt.startTrace(w, tapeWords)
}

// startTrace is StartTrace, with tapes of so many words.
func (rt *Runtime) startTrace(w io.Writer, words int) (stop func() error, err error) {
	r, err := rt.beginRecording(words)
	if err != nil {
		return nil, err
	}
	drained, err := r.Drain(w, func() { rt.attachMissing(r) })
	if err != nil {
		rt.endRecording()
		return nil, fmt.Errorf("freerun: the trace cannot be written: %w", err)
	}
	once := make(chan struct{}, 1)
	once <- struct{}{}
	return func() error {
		select {
		case <-once:
		default:
			return nil
		}
		rt.endRecording()
		if err := drained(); err != nil {
			return fmt.Errorf("freerun: the trace could not be written to its end: %w", err)
		}
		return nil
	}, nil
}

// beginRecording starts a recording on tapes that are to be drained.
func (rt *Runtime) beginRecording(words int) (*record.Session, error) {
	rt.recorded.Lock()
	defer rt.recorded.Unlock()
	switch {
	case rt.phase.Load() >= aborting:
		return nil, ErrClosed
	case rt.tracing:
		return nil, ErrTracing
	}
	rt.tracing = true
	r := rt.newRecording(words, false)
	rt.switchTo(r)
	return r, nil
}

// endRecording ends what beginRecording started, and the flight recorder goes on.
func (rt *Runtime) endRecording() {
	rt.recorded.Lock()
	defer rt.recorded.Unlock()
	rt.tracing = false
	rt.switchTo(rt.flight)
}

// attachMissing attaches all workers while r records: a worker that was added when the recording
// began may have no tape yet.
func (rt *Runtime) attachMissing(r *record.Session) {
	rt.recorded.Lock()
	defer rt.recorded.Unlock()
	if rt.recording.Load() == r {
		rt.attachAllLocked()
	}
}

// Sample records what the runtime does for d, or until ctx is done, and returns the recording: a
// look now and then at a program that runs. It waits; in a deterministic runtime nothing happens
// meanwhile. The errors are those of StartTrace, and ctx's error; with that one there is no
// recording. Any goroutine but an operation's may call it. It panics if d is negative.
func (rt *Runtime) Sample(ctx context.Context, d time.Duration) (*recording.Trace, error) {
	mustContext(ctx)
	rt.mustBeMade()
	if d < 0 {
		panic("freerun: Sample needs a duration that is not negative")
	}
	var kept bytes.Buffer
	stop, err := rt.startTrace(&kept, shortWords)
	if err != nil {
		return nil, err
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
		err = ctx.Err()
	}
	if failed := stop(); err == nil {
		err = failed
	}
	if err != nil {
		return nil, err
	}
	return recording.Read(&kept)
}
