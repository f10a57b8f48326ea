package ddb

import (
	"testing"
	"time"

	"github.com/freerun-go/freerun"
)

// TestRuntimeOptions holds up a shard: the watchdog that was passed in Config.Runtime names the
// shard in its report.
func TestRuntimeOptions(t *testing.T) {
	late := make(chan freerun.LateReport, 1)
	s, _ := serve(t, Config{Shards: 3, Runtime: []freerun.Option{
		freerun.Watchdog(time.Millisecond, 0), freerun.OnLate(func(l freerun.LateReport) { late <- l }),
	}})
	hold := make(chan struct{})
	held := freerun.Do(s.Runtime().Context(), s.units[2], func(*freerun.Context, *shard) (int, error) { <-hold; return 0, nil })
	l := <-late
	close(hold)
	if _, err := held.Wait(t.Context()); err != nil || l.Unit != "shard 2" {
		t.Errorf("the report is of %q (%v), want shard 2", l.Unit, err)
	}
}
