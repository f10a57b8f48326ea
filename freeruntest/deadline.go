package freeruntest

import (
	"errors"
	"fmt"
	"os"
	"sync/atomic"
	"time"

	"github.com/freerun-go/freerun/internal/simhost"
)

// A run that comes to no end, as activities wait for something in a loop, or something blocks the
// driver, would end the process at the test's deadline, and its seed would not be printed.

// errLate says that the run has not come to its end when the test's deadline is near.
var errLate = errors.New("freeruntest: the run has not come to its end, and the deadline of the test is near")

// The run is ended when a part of the time is left that was left when it began.
const (
	marginPart = 20
	mostMargin = 2 * time.Second
)

// limited is a schedule of a run that ends when the deadline of the test is near.
type limited struct {
	*simhost.Drawn
	late atomic.Bool
}

var _ simhost.Limited = (*limited)(nil)

// Over implements [simhost.Limited].
func (l *limited) Over() error {
	if l.late.Load() {
		return errLate
	}
	return nil
}

// watch has the run end before the deadline of the test, if that has one: the call that waits in
// the body fails with errLate. Where that does not help, as nothing returns to the driver, watch
// says which run it is: the goroutines follow when the deadline comes. stop ends all that.
func (x *exploration) watch(s *limited, run func() string) (stop func()) {
	t, can := x.t.(interface{ Deadline() (time.Time, bool) })
	if !can {
		return func() {}
	}
	deadline, some := t.Deadline()
	left := time.Until(deadline)
	if !some || left <= 0 {
		return func() {}
	}
	margin := min(left/marginPart, mostMargin)
	end := time.AfterFunc(left-margin, func() { s.late.Store(true) })
	tell := time.AfterFunc(left-margin/2, func() {
		fmt.Fprintf(os.Stderr, "freeruntest: %s blocks, or computes without an end, and its deadline is near: it %s\n", x.t.Name(), run())
	})
	return func() {
		end.Stop()
		tell.Stop()
	}
}
