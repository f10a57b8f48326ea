//go:build explore

package queue_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/freerun-go/freerun/internal/verify/explore"
	"github.com/freerun-go/freerun/internal/verify/memory"
	"github.com/freerun-go/freerun/queue"
)

// meeting keeps the items that were given, and those that were taken, in one execution.
type meeting struct {
	*queue.Synchronous[int]
	given, taken [4][]int
}

// give offers v as thread i, and try does without waiting.
func (m *meeting) give(r *explore.Run, i int, ctx context.Context, v int) {
	switch err := m.Enqueue(ctx, v); {
	case err == nil:
		m.given[i] = append(m.given[i], v)
	case !errors.Is(err, queue.ErrClosed) && !errors.Is(err, context.Canceled):
		r.Failf("Enqueue: %v", err)
	}
}

func (m *meeting) take(r *explore.Run, i int, ctx context.Context) {
	switch v, err := m.Dequeue(ctx); {
	case err == nil:
		m.taken[i] = append(m.taken[i], v)
	case !errors.Is(err, queue.ErrClosed) && !errors.Is(err, context.Canceled):
		r.Failf("Dequeue: %v", err)
	}
}

// check holds that the same was given as taken.
func (m *meeting) check(r *explore.Run) {
	given, taken := slices.Concat(m.given[:]...), slices.Concat(m.taken[:]...)
	slices.Sort(given)
	slices.Sort(taken)
	if !slices.Equal(given, taken) {
		r.Failf("%v were given and %v taken", given, taken)
	}
	for range queue.All(canceled, m) {
		r.Failf("All finds an item, though no thread offers one")
	}
	if _, ok := m.TryDequeue(); ok || m.TryEnqueue(9) {
		r.Failf("a call finds a peer, though no thread waits")
	}
}

// canceled is a context that has ended.
var canceled = func() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}()

// TestExploreSynchronousMeets has pairs that must all meet: a thread that is forgotten is a
// deadlock.
func TestExploreSynchronousMeets(t *testing.T) {
	ctx := context.Background()
	t.Run("one and one", func(t *testing.T) {
		explore.Exhaustive(t, 2, func(r *explore.Run) {
			m := &meeting{Synchronous: queue.NewSynchronous[int]()}
			r.Go("giver", func() { m.give(r, 0, ctx, 1) })
			r.Go("taker", func() { m.take(r, 1, ctx) })
			r.After(func() { m.check(r) })
		})
	})
	t.Run("two and two", func(t *testing.T) {
		explore.Random(t, 5000, func(r *explore.Run) {
			m := &meeting{Synchronous: queue.NewSynchronous[int]()}
			for i := range 2 {
				r.Go("giver", func() {
					m.give(r, i, ctx, 2*i)
					m.give(r, i, ctx, 2*i+1)
				})
				r.Go("taker", func() {
					m.take(r, 2+i, ctx)
					m.take(r, 2+i, ctx)
				})
			}
			r.After(func() { m.check(r) })
		})
	})
}

// TestExploreSynchronousEnds ends, by a context or by closing, calls that wait: an item is taken,
// or its Enqueue has failed, and never both. Letters are threads: g gives, t takes, a takes all,
// and capitals only try to.
func TestExploreSynchronousEnds(t *testing.T) {
	ends(t, 2, "gt", "Gt", "gT", "ggt", "gtt", "gGt", "gtT", "ga", "gga")
}

// TestExploreSynchronousRoom is the same where there is room for one offer, so that enqueuers wait
// for room first.
func TestExploreSynchronousRoom(t *testing.T) {
	ends(t, 1, "gg", "tt", "ggt", "gtt", "ggT", "Gtt", "ggg")
}

func ends(t *testing.T, room int, shapes ...string) {
	for _, how := range []string{"cancel", "close"} {
		for _, shape := range shapes {
			t.Run(how+" "+shape, func(t *testing.T) {
				body := func(r *explore.Run) {
					m, ended := &meeting{Synchronous: queue.NewSynchronousWithRoom[int](room)}, &memory.Context{}
					var ctx context.Context = ended
					end := ended.Cancel
					if how == "close" {
						ctx, end = context.Background(), m.Close
					}
					for i, who := range shape {
						r.Go(string(who), func() {
							switch who {
							case 'g':
								m.give(r, i, ctx, i)
							case 't':
								m.take(r, i, ctx)
							case 'a':
								m.taken[i] = slices.AppendSeq(m.taken[i], queue.All(ctx, m))
							case 'G':
								if m.TryEnqueue(i) {
									m.given[i] = append(m.given[i], i)
								}
							case 'T':
								if v, ok := m.TryDequeue(); ok {
									m.taken[i] = append(m.taken[i], v)
								}
							}
						})
					}
					r.Go("ender", end)
					r.After(func() {
						if m.Closed() != (how == "close") {
							r.Failf("Closed() = %v after the end by %s", m.Closed(), how)
						}
						m.check(r)
					})
				}
				if len(shape) == 2 {
					explore.Exhaustive(t, 1, body)
				}
				explore.Random(t, 2000, body)
			})
		}
	}
}
