//go:build explore

package conformance

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/freerun-go/freerun/internal/sync/atomics"
	"github.com/freerun-go/freerun/internal/verify/explore"
	"github.com/freerun-go/freerun/internal/verify/memory"
)

// ExploreLock explores a lock, each program as a subtest: programs of two and of three threads
// exhaustively, programs of four threads by random executions. Each letter of a program is a step
// of a thread. l, t and c lock, count in a plain field, and unlock: l by Lock, t by TryLock, c by
// LockContext with a shared context. x ends that context. A lock that is not handed on shows as a
// deadlock, two holders show as a data race.
func ExploreLock(t *testing.T, s LockSpec) {
	t.Helper()
	var all []scenario
	for _, threads := range []string{"l-l", "ll-ll", "l-t", "tl-tl", "c-x", "l-c", "lc-x", "l-l-l", "l-l-t", "l-c-x", "c-c-x", "cl-l-x"} {
		all = append(all, scenario{threads: threads})
	}
	explored(t, s.Long, all, s.body)
	for _, threads := range []string{"ll-ll-l-l", "lc-cl-l-x", "c-c-l-x", "lt-tl-c-x"} {
		t.Run("random/"+threads, func(t *testing.T) { explore.Random(t, randomExecutions, s.body(scenario{threads: threads})) })
	}
}

// body returns the program of a scenario, for the explorer.
func (s LockSpec) body(c scenario) func(r *explore.Run) {
	threads := strings.Split(c.threads, "-")
	return func(r *explore.Run) {
		l := s.New(len(threads))
		var count atomics.Plain[int]
		var ctx memory.Context
		got := make([]int, len(threads))
		for i, calls := range threads {
			r.Go(fmt.Sprintf("%c (%s)", 'A'+i, calls), func() {
				for _, call := range calls {
					switch call {
					case 'x':
						ctx.Cancel()
						continue
					case 't':
						if !l.TryLock() {
							continue
						}
					case 'c':
						if err := l.LockContext(&ctx); err != nil {
							if !errors.Is(err, ctx.Err()) {
								r.Failf("LockContext returns %v; the context says %v", err, ctx.Err())
							}
							continue
						}
					default:
						l.Lock()
					}
					count.Set(count.Get() + 1)
					got[i]++
					l.Unlock()
				}
			})
		}
		r.After(func() {
			want := 0
			for _, n := range got {
				want += n
			}
			if count.Get() != want {
				r.Failf("the threads held the lock %d times, and counted to %d", want, count.Get())
			}
			if !l.TryLock() {
				r.Failf("the lock is held after all have unlocked it")
			}
		})
	}
}
