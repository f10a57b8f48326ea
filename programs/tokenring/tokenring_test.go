package tokenring

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/freerun-go/freerun/programs"
	"github.com/freerun-go/freerun/programs/programtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestVariants(t *testing.T) {
	for _, v := range []programs.Values{
		{programs.Size: 1, paramRounds: 1},
		{programs.Size: 1, paramRounds: 10},
		{programs.Size: 2, paramRounds: 1000},
		{programs.Size: 100, paramRounds: 1},
		{programs.Size: 33, paramRounds: 50},
	} {
		for name, r := range programtest.Run(t, Program, v) {
			if want := uint64(v[programs.Size] * v[paramRounds]); r.Operations != want {
				t.Errorf("%s: %d passes, want %d", name, r.Operations, want)
			}
		}
	}
}

// TestChecksumSeesWhoIsLeftOut: one player is passed over, and another has that turn.
func TestChecksumSeesWhoIsLeftOut(t *testing.T) {
	v := programs.Values{programs.Size: 5, paramRounds: 3}
	for _, left := range []int{-1, 2} {
		g := newGame(v)
		for i, tok := 0, (token{}); ; i = g.next(i) {
			who := i
			if who == left {
				who = g.next(i)
			}
			if !g.play(who, &tok) {
				break
			}
		}
		if wrong := g.checksum() != Program.Expected(v); wrong != (left >= 0) {
			t.Errorf("player %d is left out: %s", left, g.checksum())
		}
	}
}
