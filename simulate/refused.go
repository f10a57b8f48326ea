package simulate

import (
	"errors"
	"fmt"
	"time"

	"github.com/freerun-go/freerun/internal/sys/goid"
)

// errForks says that a program forks where the first model simulates.
var errForks = fmt.Errorf("simulate: the first model cannot simulate Join, For, Reduce and their like; the second can (Model 2 of the costs): %w", errors.ErrUnsupported)

// errOutside says that a program starts goroutines by Host.Go where the first model simulates.
var errOutside = fmt.Errorf("simulate: the first model cannot simulate goroutines of Host.Go; the second can (Model 2 of the costs): %w", errors.ErrUnsupported)

// Refuse keeps the first reason why the run's result is of no use. The run goes on to its end.
func (m *machine) Refuse(why error) {
	if m.refused == nil {
		m.refused = why
	}
}

// errTime says that a run takes longer than there is time.
var errTime = fmt.Errorf("simulate: the run takes longer than %v of virtual time, past which it would not be exact: %w", time.Duration(mostTime).Truncate(time.Hour), errors.ErrUnsupported)

// mostIdle limits for how long a program that is calibrated may wait for timers.
const mostIdle = 5 * time.Second

// idledError says that a program waits too long for a calibration.
func idledError(idled time.Duration) error {
	return fmt.Errorf("simulate: the program waits for timers for %v; so would each of its real runs, which are twenty at least; calibrate one that waits for %v at most: %w", idled.Round(time.Second/10), mostIdle, errors.ErrUnsupported)
}

// unsupported is the panic that ends a program which cannot go on without what was refused.
type unsupported struct{}

func (unsupported) Error() string { return errOutside.Error() }

// checkGoroutine refuses the run if another goroutine waits than the program's and those of
// Host.Go: what has been sent by then depends on Go's scheduler.
func (m *machine) checkGoroutine() {
	if p := m.running; p != nil && p.index > m.count { // a goroutine of Host.Go
		return
	}
	if m.program != goid.ID() {
		m.Refuse(errors.New("simulate: another goroutine than that which runs the program waits for the runtime; it and those of Host.Go must do all that sends and waits"))
	}
}

// run runs the program, and refuses a result of which it can tell that the program is wrong. A
// runtime that the program has left open is closed, however the program ends, and goroutines of
// Host.Go that have not ended are.
func (h *Host) run(p program) (took time.Duration, err error) {
	defer func() {
		r := recover()
		h.end()
		switch r {
		case nil: // it has returned, or ends by runtime.Goexit
		case unsupported{}:
			err = errOutside
		default:
			panic(r)
		}
	}()
	took, err = p(h)
	switch {
	case err != nil:
		return took, err
	case h.stalled != nil:
		err = h.stalled
	case h.outside > 0:
		err = errors.New("simulate: the program has returned before a goroutine of its Host.Go has ended")
	case took < 0:
		err = tookError(took)
	case h.rt != nil && h.rt.Context().Err() == nil:
		err = errors.New("simulate: the program has not closed the runtime that New of its Host has made")
	}
	return took, err
}

// end closes the runtime, once more if the program has closed it, and ends what is left.
func (h *Host) end() {
	if h.rt == nil {
		return
	}
	_ = h.rt.Close()
	if h.schedule != nil {
		h.schedule.abandon()
	}
}

func tookError(took time.Duration) error {
	return fmt.Errorf("simulate: the program says that it took %v", took)
}
