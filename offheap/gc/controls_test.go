//go:build explore

package gc

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/freerun-go/freerun/internal/verify/explore"
)

// with makes a mistake for the duration of a test.
func with(t *testing.T, flaw *bool) {
	*flaw = true
	t.Cleanup(func() { *flaw = false })
}

// failing is a test that has to fail.
type failing struct {
	testing.TB
	why string
}

func (f *failing) Fatalf(format string, args ...any) {
	f.why = fmt.Sprintf(format, args...)
	runtime.Goexit()
}

// TestExploreRandomControls makes mistakes that show only in long programs, whose interleavings
// cannot all be explored.
func TestExploreRandomControls(t *testing.T) {
	for _, c := range []struct {
		name string
		flaw *bool
		body func(*explore.Run)
	}{
		{"unfenced", &flawUnfenced, reader(1)},
	} {
		t.Run(c.name, func(t *testing.T) {
			with(t, c.flaw)
			f := &failing{TB: t}
			done := make(chan struct{})
			go func() {
				defer close(done)
				explore.Random(f, 20_000, c.body)
			}()
			<-done
			if f.why == "" {
				t.Fatal("nothing found, though there is something to find")
			}
			t.Log(f.why)
		})
	}
}

// TestExploreControls makes mistakes. The explorer must find each.
func TestExploreControls(t *testing.T) {
	for _, c := range []struct {
		name  string
		flaw  *bool
		bound int
		body  func(*explore.Run)
	}{
		{"no barrier", &flawNoBarrier, 3, create(1)},
		{"unpainted", &flawUnpainted, 3, relay(1)},
		{"clone unpainted", &flawUnpainted, 3, cloned(1)},
		{"unconfirmed", &flawUnconfirmed, 2, reader(1)},
		{"early trace", &flawEarlyTrace, 2, hand(1)},
		{"early sweep", &flawEarlySweep, 3, endgame},
		{"no recount", &flawNoRecount, 3, endgame},
		{"blind sweep", &flawBlindSweep, 2, create(1)},
		{"store sweep", &flawStoreSweep, 2, create(2)},
		{"uncoloured", &flawUncoloured, 2, create(1)},
		{"no hazard", &flawNoHazard, 1, revive},
	} {
		t.Run(c.name, func(t *testing.T) {
			with(t, c.flaw)
			f := explore.MustFail(t, c.bound, c.body)
			t.Log(f.Err)
		})
	}
}

// TestExploreCut finds that an object which Pointer.Value returned is freed if its reference is
// taken away, as the documentation says.
func TestExploreCut(t *testing.T) {
	f := explore.MustFail(t, 2, cut)
	t.Log(f.Err)
}
