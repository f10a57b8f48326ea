//go:build !wasm

package cluster_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/freerun-go/freerun"
)

// TestSeveralTogether holds that the writes of operations without a unit in common are with the
// store at the same time, which makes one commit of them; and that of those with one the first is.
func TestSeveralTogether(t *testing.T) {
	const n = 8
	for _, apart := range []bool{true, false} {
		rt, s, _ := startLate(t)
		moveTries.Clear()
		c := rt.Context()
		s.hold()
		var all []freerun.Future[int]
		for i := range n {
			first := tills.At(c, "{a}/all")
			if apart {
				first = tills.At(c, fmt.Sprintf("{a}/from %d", i))
			}
			all = append(all, moves.Send(c, first, tills.At(c, fmt.Sprintf("{a}/to %d", i)), move{ID: i, Amount: 1}))
		}
		want := 1
		if apart {
			want = n
		}
		s.await(t, want)
		s.letGo(nil)
		for _, f := range all {
			must(t, f)
		}
	}
}

// TestSeveralBesideUndone holds that an operation on several units runs once, and that its units go
// on, also if operations are undone that came right before it and right behind it.
func TestSeveralBesideUndone(t *testing.T) {
	for _, before := range []string{"spoil", "end", "panic once"} {
		for _, behind := range []string{"spoil", "end", "panic once"} {
			rt, s, _ := startLate(t)
			moveTries.Clear()
			c := rt.Context()
			a, b := tills.At(c, "{a}/1"), tills.At(c, "{a}/2")
			s.hold()
			takes.Send(c, a, move{ID: 1})
			s.await(t, 1)
			fails := takes.Send(c, a, move{ID: 2, Amount: 1, Does: before})
			moved := moves.Send(c, a, b, move{ID: 3, Amount: 10})
			failsToo := takes.Send(c, a, move{ID: 4, Amount: 1, Does: behind})
			last := takes.Send(c, a, move{ID: 5, Amount: 1})
			for a.Stats().Operations < 4 {
				time.Sleep(100 * time.Microsecond)
			}
			s.letGo(nil)
			did := []int{1, 3, 5}
			for n, does := range []string{before, behind} {
				_, err := []freerun.Future[int]{fails, failsToo}[n].Wait(within(t))
				if (err == nil) != (does == "panic once") || does == "end" && !errors.Is(err, freerun.ErrGoexit) {
					t.Errorf("%s, %s: %v", before, behind, err)
				}
				if does == "panic once" {
					did = append(did, 2+2*n)
				}
			}
			slices.Sort(did)
			must(t, moved)
			must(t, last)
			settle(t, rt)
			if got := shown(t, rt, "{a}/1"); !slices.Equal(got.Did, did) || got.Sum != 90+len(did)-2 {
				t.Errorf("%s, %s: %v, want %v", before, behind, got, did)
			}
			if got := shown(t, rt, "{a}/2"); !slices.Equal(got.Did, []int{3}) || got.Sum != 110 {
				t.Errorf("%s, %s: the other one has %v", before, behind, got)
			}
		}
	}
}
