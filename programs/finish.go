package programs

import (
	"errors"
	"sync"
	"sync/atomic"
	"time"
)

// Finish ends the measured part of a run. All parts of the run report to it, and the last report
// stops the clock there and then, so that waking the goroutine that waits is not measured.
// [NewFinish] makes one; it must not be copied. Any goroutine and any operation may call
// [Finish.Reached] and [Finish.Fail], which never wait.
type Finish struct {
	left    atomic.Int64
	once    sync.Once
	done    chan struct{}
	machine Machine // nil for this one
	now     func() time.Time
	at      time.Time // written before done is closed, read after
	err     error     // likewise
}

// errShort is the error of a run on a Machine that has nothing left to run, although a part has not
// ended.
var errShort = errors.New("programs: all has run that there was to run, and the finish was not reached")

// NewFinish returns a Finish for this many parts.
func NewFinish(parts int) *Finish {
	f := &Finish{done: make(chan struct{}), now: time.Now}
	f.left.Store(int64(parts))
	return f
}

// Reached reports that one of the parts has ended.
func (f *Finish) Reached() {
	if f.left.Add(-1) == 0 {
		f.end(nil)
	}
}

// Fail ends the run with an error; the first one counts. Without it, a message that is refused
// would leave the run waiting for an end that does not come.
func (f *Finish) Fail(err error) { f.end(err) }

func (f *Finish) end(err error) {
	f.once.Do(func() {
		f.at, f.err = f.now(), err
		close(f.done)
	})
}

// Wait waits until every part has ended, or one failed. It returns the time of the end, or the
// error. Any goroutine may call it, but no operation.
func (f *Finish) Wait() (time.Time, error) {
	if f.machine != nil {
		if err := f.machine.Settle(); err != nil {
			f.Fail(err)
		}
		f.Fail(errShort) // has no effect if all parts have ended
	}
	<-f.done
	return f.at, f.err
}
