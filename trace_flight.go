package freerun

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"sync"
	"time"
)

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
