package replay_test

import (
	"testing"

	"github.com/freerun-go/freerun/internal/verify/replay"
)

func TestSeed(t *testing.T) {
	if a, b := replay.Seed(t), replay.Seed(t); a == b {
		t.Errorf("twice the same seed: %d", a)
	}
	t.Setenv(replay.Variable, "17")
	if seed := replay.Seed(t); seed != 17 {
		t.Errorf("seed %d, given 17", seed)
	}
}
