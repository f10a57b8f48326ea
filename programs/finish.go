package programs

import (
	"errors"
	"sync"
	"sync/atomic"
	"time"
)

// Finish is the line that all parts of a run have to reach. The last one stops the clock there and then, so that the time
// the waiting goroutine takes to wake up is not measured. Make one with [NewFinish]; it must not be copied. Any
// goroutine and any operation may call [Finish.Reached] and [Finish.Fail], which never wait.
type Finish struct {
	left    atomic.Int64
	once    sync.Once
	done    chan struct{}
	machine Machine // nil for this one
	now     func() time.Time
	at      time.Time // written before done is closed, read after
	err     error     // likewise
}

// errShort says that nothing is left that could reach the finish.
var errShort = errors.New("programs: all has run that there was to run, and the finish was not reached")

// NewFinish returns a Finish that so many parts have to reach.
func NewFinish(parts int) *Finish {
	f := &Finish{done: make(chan struct{}), now: time.Now}
	f.left.Store(int64(parts))
	return f
}

// Reached says that one of the parts has ended.
func (f *Finish) Reached() {
	if f.left.Add(-1) == 0 {
		f.end(nil)
	}
}

// Fail says that the run cannot go on; the first failure ends it. Without this, a message that is refused in the middle
// would leave everybody waiting for an end that does not come.
func (f *Finish) Fail(err error) { f.end(err) }

func (f *Finish) end(err error) {
	f.once.Do(func() {
		f.at, f.err = f.now(), err
		close(f.done)
	})
}

// Wait waits until every part has reached the finish, or one failed, and returns the instant, or what the run failed
// of. Any goroutine may call it, but no operation may.
func (f *Finish) Wait() (time.Time, error) {
	if f.machine != nil {
		if err := f.machine.Settle(); err != nil {
			f.Fail(err)
		}
		f.Fail(errShort) // unless it was reached
	}
	<-f.done
	return f.at, f.err
}
