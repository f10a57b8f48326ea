package fanin

import (
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"github.com/freerun-go/freerun/programs"
	"github.com/freerun-go/freerun/programs/programtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestVariants(t *testing.T) {
	for _, size := range []int{1, 2, 3, 4, 5, 10_000} {
		for name, r := range programtest.Run(t, Program, programs.Values{programs.Size: size}) {
			if r.Operations != uint64(size) {
				t.Errorf("%s: %d operations, want %d", name, r.Operations, size)
			}
		}
	}
}

// sized returns a configuration of that size.
func sized(n int) programs.Config {
	return programs.Config{Values: programs.Values{programs.Size: n}}
}

func TestShareLeavesNothingOver(t *testing.T) {
	for size := range 100 {
		sum := 0
		for from := range senders {
			sum += share(size, from)
		}
		if sum != size {
			t.Errorf("the shares of %d add up to %d", size, sum)
		}
	}
}

// TestTallyFindsDisorder simulates faulty receivers: the run must fail instead of reporting a
// figure.
func TestTallyFindsDisorder(t *testing.T) {
	for name, numbers := range map[string][]int32{
		"lost":    {1, 3},
		"doubled": {1, 2, 2},
		"swapped": {2, 1},
	} {
		tally := newTally(sized(4))
		for _, n := range numbers {
			tally.receive(message{from: 2, number: n})
		}
		_, err := tally.finish.Wait()
		if err == nil || !strings.Contains(err.Error(), "of sender 2 came after") {
			t.Errorf("%s: error %v, want one that names the message", name, err)
		}
	}
}

// TestRunEndsOnFailure has a sender whose messages are refused: the run must report that and not
// wait for ever.
func TestRunEndsOnFailure(t *testing.T) {
	var mu sync.Mutex
	tally := newTally(sized(8))
	_, err := run(sized(8), tally.finish, func(m message) {
		mu.Lock()
		defer mu.Unlock()
		tally.receive(message{m.from, m.number + 1})
	})
	if err == nil {
		t.Error("no error for a run in which every message is out of order")
	}
}
