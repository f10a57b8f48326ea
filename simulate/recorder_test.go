package simulate

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/freerun-go/freerun"
)

var restless = freerun.FreeOp[*bool, struct{}]("restless", nil)

var _ = freerun.Define(restless, func(c *freerun.Context, stopped *bool) (struct{}, error) {
	if *stopped {
		return struct{}{}, nil
	}
	return struct{}{}, restless.Tell(c, stopped)
})

// TestRecordedTimers holds that timers fire in their order in the run of a calibration, too, and
// while operations run: a repetition does not keep a later timer from firing, nor does a program
// that is busy until a timer. The time that passes while operations run is measured: the period at
// rest is so long that nothing the machine does meanwhile takes half of it.
func TestRecordedTimers(t *testing.T) {
	for name, busy := range map[string]bool{"at rest": false, "busy": true} {
		period := time.Hour
		if busy {
			period = time.Millisecond
		}
		ticks := 0
		_, err := record(func(on *Host) (time.Duration, error) {
			rt := on.New()
			defer rt.Close()
			began := rt.Now()
			every := freerun.Every(rt.Context(), period, func(*freerun.Context) error {
				ticks++
				return nil
			})
			stopped := !busy
			if err := restless.Tell(rt.Context(), &stopped); err != nil {
				return 0, err
			}
			_, err := freerun.After(rt.Context(), 5*period+period/2).Wait(context.Background())
			every.Stop()
			stopped = true
			took := rt.Now().Sub(began)
			return took, errors.Join(err, rt.Quiesce(context.Background()))
		})
		if err != nil || ticks == 0 || !busy && ticks != 5 {
			t.Errorf("%s: %d ticks, %v", name, ticks, err)
		}
	}
}
