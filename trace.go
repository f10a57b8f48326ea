package freerun

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"sync"
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
		bits = rt.env.observersOutside() // no operation begins on the worker of ordinary goroutines
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

// Sample records what the runtime does for d, or until ctx is done, and returns the recording. It
// is for a look now and then at a program that runs. It waits; in a deterministic runtime nothing
// happens meanwhile. The errors are those of StartTrace, and ctx's error if ctx is done first. With
// an error there is no recording. Any goroutine but an operation's may call it. It panics if d is
// negative.
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

// ErrNoFlight says that the runtime has no flight recorder: it was made without [FlightRecorder].
var ErrNoFlight = errors.New("freerun: the runtime has no flight recorder; make it with the option FlightRecorder")

// mostFlight is the most bytes for each processor. A program that asks for more memory than the
// machine has is ended beyond recover.
const mostFlight = 1 << 30

// FlightRecorder has the runtime recorded all the time, as [Runtime.StartTrace] does, but in
// memory: each processor gets so many bytes, and ordinary goroutines together as many. What came
// last is kept. [Runtime.DumpFlight] writes it, at any time, and so do [DumpOn] and [DumpWhenLate].
// An event takes some 20 bytes, and a message three or four events. FlightRecorder panics if bytes
// is less than 1 or more than 1<<30, a gigabyte.
func FlightRecorder(bytes int) Option {
	if bytes < 1 {
		panic("freerun: FlightRecorder needs room for something")
	}
	if bytes > mostFlight {
		panic(fmt.Sprintf("freerun: FlightRecorder with %d bytes for each processor; there may be 1<<30", bytes))
	}
	return Option{func(s *settings) { s.flight = bytes }}
}

// DumpWhenLate has what the flight recorder holds written to a file in the folder whenever the
// watchdog reports an operation ([Watchdog]), at most once in ten seconds. The names of the files
// begin with freerun- and the time, and end with .trace; what was written, or why it could not be,
// is logged. The folder must exist. DumpWhenLate panics if folder is empty; [New] panics if there
// is no [FlightRecorder].
func DumpWhenLate(folder string) Option {
	if folder == "" {
		panic("freerun: DumpWhenLate needs a folder; \".\" is the current one")
	}
	return Option{func(s *settings) { s.dumps = folder }}
}

// startFlight starts the flight recorder that the settings ask for.
func (rt *Runtime) startFlight(s *settings) {
	if s.flight == 0 {
		if s.dumps != "" {
			panic("freerun: DumpWhenLate needs a FlightRecorder")
		}
		return
	}
	rt.recorded.Lock()
	defer rt.recorded.Unlock()
	rt.dumps.folder = s.dumps
	rt.flight = rt.newRecording(s.flight/8, true)
	rt.switchTo(rt.flight)
}

// DumpFlight writes what the flight recorder holds; package recording reads it. The recorder goes
// on meanwhile. Any goroutine may call it, operations too, which wait for w. It returns
// [ErrNoFlight] if there is no flight recorder, and the first error of w. It panics if w is nil.
func (rt *Runtime) DumpFlight(w io.Writer) error {
	rt.mustBeMade()
	if w == nil {
		panic("freerun: DumpFlight needs a writer")
	}
	rt.recorded.Lock()
	r := rt.flight
	rt.recorded.Unlock()
	if r == nil {
		return ErrNoFlight
	}
	if err := r.Last(w); err != nil {
		return fmt.Errorf("freerun: the flight recorder could not be written: %w", err)
	}
	return nil
}

// dumpFlightTo is DumpFlight to a file, which it makes or replaces.
func (rt *Runtime) dumpFlightTo(path string) (err error) {
	f, err := os.Create(path)
	if err != nil {
		return fmt.Errorf("freerun: the flight recorder could not be written: %w", err)
	}
	defer func() {
		if failed := f.Close(); err == nil && failed != nil {
			err = fmt.Errorf("freerun: the flight recorder could not be written: %w", failed)
		}
	}()
	return rt.DumpFlight(f)
}

// DumpOn has what the flight recorder holds written to the file at path whenever the process gets
// one of the signals, for example syscall.SIGUSR1, until stop is called, which waits until nothing
// is being written. Errors are logged. DumpOn returns [ErrNoFlight] if there is no flight recorder.
// It panics if rt is nil, or if no signal is given: that would mean all signals, and none would end
// the program any more.
func DumpOn(rt *Runtime, path string, signals ...os.Signal) (stop func(), err error) {
	if len(signals) == 0 {
		panic("freerun: DumpOn needs a signal")
	}
	rt.mustBeMade()
	if rt.flight == nil {
		return nil, ErrNoFlight
	}
	came, end, ended := make(chan os.Signal, 1), make(chan struct{}), make(chan struct{})
	signal.Notify(came, signals...)
	go func() {
		defer close(ended)
		for {
			select {
			case <-came:
				rt.logDump(path, rt.dumpFlightTo(path))
			case <-end:
				return
			}
		}
	}()
	return sync.OnceFunc(func() {
		signal.Stop(came)
		close(end)
		<-ended
	}), nil
}

func (rt *Runtime) logDump(path string, err error) {
	if err != nil {
		rt.log(slog.LevelError, "flight recorder not written", "file", path, "error", err)
	} else {
		rt.log(slog.LevelInfo, "flight recorder written", "file", path)
	}
}

// dumps says where the flight recorder is written when an operation is late.
type dumps struct {
	folder string
	last   time.Time // of the watchdog's goroutine
}

const dumpsApart = 10 * time.Second

// dumpLate writes the flight recorder because an operation is late. The watchdog alone calls it.
func (rt *Runtime) dumpLate() {
	d := &rt.dumps
	now := time.Now()
	if d.folder == "" || !d.last.IsZero() && now.Sub(d.last) < dumpsApart {
		return
	}
	d.last = now
	path := filepath.Join(d.folder, "freerun-"+now.UTC().Format("20060102-150405.000")+".trace")
	rt.logDump(path, rt.dumpFlightTo(path))
}
