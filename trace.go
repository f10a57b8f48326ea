package freerun

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/freerun-go/freerun/internal/record"
	"github.com/freerun-go/freerun/internal/sys/ticks"
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
	drainEvery = time.Millisecond
)

// session is one recording of a runtime. At most one is active at a time.
type session struct {
	rt       *Runtime
	keeps    bool // the tapes keep what came last, and are not drained
	words    int
	clock    func() uint64
	names    *record.Names
	outside  outsideTape
	tapes    []*record.Tape // of the processors, by number; guarded by rt.recorded
	header   record.Header
	drainEnd chan struct{} // closed to end the drainer
	drained  chan struct{} // closed when it has ended
}

// newRecording returns a session with tapes of so many words, and has it begin now. The caller
// holds rt.recorded.
func (rt *Runtime) newRecording(words int, keeps bool) *session {
	r := &session{rt: rt, keeps: keeps, words: words, names: new(record.Names)}
	if rt.deterministic() {
		r.clock = rt.eventClock()
	}
	r.outside.tape = record.NewTape(words, keeps, r.clock, r.names)
	processors := rt.Processors()
	r.tapeOf(processors - 1)
	// All that takes time is made by now: what happens after the start is recorded.
	start := ticks.Take()
	r.header = record.Header{Start: start.Time, Ticks: start.Ticks, Program: filepath.Base(os.Args[0]), Processors: processors}
	if rt.deterministic() {
		r.header.Start, r.header.Ticks, r.header.Virtual = rt.clock.now(), r.clock(), true
	}
	return r
}

// eventClock returns a clock of nanoseconds for recordings of a deterministic runtime. The
// runtime's time stands still while operations run. So each event takes a nanosecond, and the order
// of events is that of their times.
func (rt *Runtime) eventClock() func() uint64 {
	origin := rt.clock.now()
	last := uint64(0)
	return func() uint64 {
		last = max(last+1, uint64(rt.clock.now().Sub(origin)))
		return last
	}
}

// attach sets the observers of a worker.
func (rt *Runtime) attach(s *worker) {
	rt.recorded.Lock()
	defer rt.recorded.Unlock()
	rt.attachLocked(s)
}

// attachLocked is attach for a caller that holds rt.recorded.
func (rt *Runtime) attachLocked(s *worker) {
	bits := rt.observers()
	r := rt.recording.Load()
	if s.processor != nil {
		var t *record.Tape
		if r != nil {
			t = r.tapeOf(s.processor.Index())
		}
		s.processor.Record(t)
	} else {
		bits = 0 // no operation begins on the worker of ordinary goroutines
	}
	if r != nil {
		bits |= byRecorder
	}
	if s.observed.Load() != bits {
		s.observed.Store(bits)
	}
}

// tapeOf returns the tape of processor i, a new one if it has none yet. The caller holds
// rt.recorded.
func (r *session) tapeOf(i int) *record.Tape {
	for len(r.tapes) <= i {
		r.tapes = append(r.tapes, record.NewTape(r.words, r.keeps, r.clock, r.names))
	}
	return r.tapes[i]
}

// switchTo makes r the recording of the runtime, nil for none. The caller holds rt.recorded.
func (rt *Runtime) switchTo(r *session) {
	rt.recording.Store(r)
	rt.attachAllLocked()
}

// attachAllLocked attaches all workers. The caller holds rt.recorded.
func (rt *Runtime) attachAllLocked() {
	rt.attachLocked(&rt.outside)
	for _, s := range rt.workers() {
		rt.attachLocked(s)
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
	stream := record.NewStream(w, r.header, r.names, false)
	stream.Tell()
	if err := stream.Err(); err != nil {
		rt.endRecording()
		return nil, fmt.Errorf("freerun: the trace cannot be written: %w", err)
	}
	r.drainEnd, r.drained = make(chan struct{}), make(chan struct{})
	go r.drain(stream)
	once := make(chan struct{}, 1)
	once <- struct{}{}
	return func() error {
		select {
		case <-once:
		default:
			return nil
		}
		rt.endRecording()
		close(r.drainEnd)
		<-r.drained
		r.drainOnce(stream)
		if err := stream.End(r.trailer()); err != nil {
			return fmt.Errorf("freerun: the trace could not be written to its end: %w", err)
		}
		return nil
	}, nil
}

// beginRecording starts a recording on tapes that are to be drained.
func (rt *Runtime) beginRecording(words int) (*session, error) {
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

// drain writes what comes onto the tapes, until the recording ends.
func (r *session) drain(stream *record.Stream) {
	defer close(r.drained)
	timer := time.NewTimer(drainEvery)
	defer timer.Stop()
	for told := time.Now(); ; {
		select {
		case <-r.drainEnd:
			return
		case <-timer.C:
		}
		r.rt.recorded.Lock()
		if r.rt.recording.Load() == r {
			r.rt.attachAllLocked() // a worker added while the recording began may have no tape yet
		}
		r.rt.recorded.Unlock()
		r.drainOnce(stream)
		if now := time.Now(); now.Sub(told) > time.Second/4 {
			stream.Tell()
			told = now
		}
		timer.Reset(drainEvery)
	}
}

// drainOnce writes what the tapes have now.
func (r *session) drainOnce(stream *record.Stream) {
	stream.Drain(0, r.outside.tape)
	for i, t := range r.all() {
		stream.Drain(i+1, t)
	}
}

// all returns the tapes of the processors.
func (r *session) all() []*record.Tape {
	r.rt.recorded.Lock()
	defer r.rt.recorded.Unlock()
	return r.tapes[:len(r.tapes):len(r.tapes)]
}

// trailer returns the end of the recording: how many events each tape lost, and the time.
func (r *session) trailer() record.Trailer {
	tapes := r.all()
	t := record.Trailer{Processors: len(tapes), Lost: []uint64{r.outside.tape.Lost()}}
	for _, tape := range tapes {
		t.Lost = append(t.Lost, tape.Lost())
	}
	if r.clock != nil {
		t.Ticks = r.clock()
	} else {
		t.Ticks = ticks.Now()
	}
	return t
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
