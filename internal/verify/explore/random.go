package explore

import (
	"math/rand/v2"

	"github.com/freerun-go/freerun/internal/verify/memory"
)

// Source: S. Burckhardt, P. Kothari, M. Musuvathi, S. Nagarakatte, A randomized scheduler with
//         probabilistic guarantees of finding bugs (PCT), ASPLOS 2010.
// Sketch: Each process has a random priority. Among the processes that can go on, the one with the
//         highest priority makes the next step. At d-1 random steps the running process falls below
//         all others. So a bug that needs d orderings is found with a probability of at least
//         1/(n·k^(d-1)), for n processes and k steps. Ours: each execution draws d anew, from 1 to
//         4, and a process that spins also falls below all others.

// lottery is the strategy of one random execution.
type lottery struct {
	random   *rand.Rand
	priority [processes]int
	lowest   int
	changes  []int // depths at which the running process falls
}

// newLottery prepares an execution. steps is its expected number of steps.
func newLottery(random *rand.Rand, steps int) *lottery {
	l := &lottery{random: random}
	for rank, p := range random.Perm(processes) {
		l.priority[p] = rank + 1
	}
	for range random.IntN(4) {
		l.changes = append(l.changes, random.IntN(max(1, steps)))
	}
	return l
}

func (l *lottery) choose(s *situation) int {
	best := -1
	for p := range processes {
		if s.enabled.has(p) && (best < 0 || l.priority[p] > l.priority[best]) {
			best = p
		}
	}
	return best
}

func (l *lottery) did(s *situation, p int) {
	fall := s.next[p].kind == memory.Spin
	for _, depth := range l.changes {
		fall = fall || depth == s.depth
	}
	if fall {
		l.lowest--
		l.priority[p] = l.lowest
	}
}

func (l *lottery) buffered(int, int) {}
