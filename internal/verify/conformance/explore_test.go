//go:build explore

package conformance

import (
	"context"
	"slices"
	"testing"

	"github.com/freerun-go/freerun/internal/sync/atomics"
	"github.com/freerun-go/freerun/internal/sync/backoff"
	"github.com/freerun-go/freerun/internal/sync/park"
	"github.com/freerun-go/freerun/internal/verify/explore"
	"github.com/freerun-go/freerun/internal/verify/linear"
)

// A turnstile is a bounded queue of slots with turns. Without a planted flaw it is correct, but a
// call waits for an unfinished call on its slot, so the queue is not lock-free.
type turnstile struct {
	flaw  flaw
	slots []turn
	tail  atomics.Uint64
	head  atomics.Uint64
}

type turn struct {
	at    atomics.Uint64 // twice the index whose item may go in, or one more once it may come out
	value atomics.Plain[int]
}

// Flaws of containers in the explorer.
const (
	hasty       flaw = "says full when a slot is not free yet"
	hastyEmpty  flaw = "says empty when an item is not there yet"
	unpublished flaw = "lets an item out before it is in"
	unclaimed   flaw = "lets two take one turn"
	hastyBottom flaw = "moves its bottom back before it knows who has the last item"
)

func newTurnstile(f flaw, capacity int) *turnstile {
	q := &turnstile{flaw: f, slots: make([]turn, capacity)}
	for i := range q.slots {
		q.slots[i].at.Store(2 * uint64(i))
	}
	return q
}

func (q *turnstile) TryEnqueue(v int) bool {
	var b backoff.Backoff
	size := uint64(len(q.slots))
	for {
		t := q.tail.Load()
		s := &q.slots[t%size]
		switch at := s.at.Load(); {
		case at == 2*t:
			if !q.claim(&q.tail, t) {
				continue
			}
			if q.flaw == unpublished {
				s.at.Store(2*t + 1)
				s.value.Set(v)
				return true
			}
			s.value.Set(v)
			s.at.Store(2*t + 1)
			return true
		case at > 2*t:
		// negative if t is an old tail
		case q.flaw == hasty || int64(t-q.head.Load()) >= int64(size):
			return false
		default:
			b.Wait()
		}
	}
}

// claim advances an index, unless another thread has done so.
func (q *turnstile) claim(index *atomics.Uint64, from uint64) bool {
	if q.flaw == unclaimed {
		index.Store(from + 1)
		return true
	}
	return index.CompareAndSwap(from, from+1)
}

func (q *turnstile) TryDequeue() (int, bool) {
	var b backoff.Backoff
	size := uint64(len(q.slots))
	for {
		h := q.head.Load()
		s := &q.slots[h%size]
		switch at := s.at.Load(); {
		case at == 2*h+1:
			if q.claim(&q.head, h) {
				v := s.value.Take()
				s.at.Store(2 * (h + size))
				return v, true
			}
		case at > 2*h+1:
		case q.flaw == hastyEmpty || q.tail.Load() == h:
			return 0, false
		default:
			b.Wait()
		}
	}
}

func (q *turnstile) EnqueueN(vs []int) int {
	if q.flaw == turnedBatch {
		vs = slices.Clone(vs)
		slices.Reverse(vs)
	}
	for i, v := range vs {
		if !q.TryEnqueue(v) {
			return i
		}
	}
	return len(vs)
}

func (q *turnstile) DequeueN(dst []int) int {
	for i := range dst {
		v, ok := q.TryDequeue()
		if !ok {
			return i
		}
		dst[i] = v
	}
	return len(dst)
}

func turnstiles(f flaw) QueueSpec {
	return QueueSpec{
		New:     func(capacity int) Total[int] { return newTurnstile(f, capacity) },
		NewWide: newChannel[Wide], NewBoxed: newChannel[*Box],
		Bounded: true, NotLockFree: true,
	}
}

// A tower is a lock-free stack, unless it has the flaw unclaimed.
type tower struct {
	flaw flaw
	top  atomics.Pointer[stone]
}

type stone struct {
	below *stone
	value int
}

func (s *tower) Push(v int) {
	n := &stone{value: v}
	for {
		n.below = s.top.Load()
		if s.top.CompareAndSwap(n.below, n) {
			return
		}
	}
}

func (s *tower) TryPop() (int, bool) {
	for {
		t := s.top.Load()
		if t == nil {
			return 0, false
		}
		if s.flaw == unclaimed {
			s.top.Store(t.below)
			return t.value, true
		}
		if s.top.CompareAndSwap(t, t.below) {
			return t.value, true
		}
	}
}

func towers(f flaw) StackSpec {
	s := stacks(sound)
	s.New = func() PushPopper[int] { return &tower{flaw: f} }
	return s
}

// boxes is a queue with a box of one item for each producer. A consumer looks at one box after
// another, so there is no order among the items of different producers; only the order of calls
// shows it.
type boxes struct{ of [4]atomics.Int64 }

func (q *boxes) TryEnqueue(v int) bool {
	q.of[v/linear.Stride].Store(int64(v) + 1)
	return true
}

func (q *boxes) TryDequeue() (int, bool) {
	for i := range q.of {
		if v := q.of[i].Swap(0); v != 0 {
			return int(v) - 1, true
		}
	}
	return 0, false
}

func newBoxes() QueueSpec {
	return QueueSpec{New: func(int) Total[int] { return &boxes{} }, NewWide: newChannel[Wide], NewBoxed: newChannel[*Box]}
}

// A line is a lock-free deque of fixed length for a few items. A call takes an item by moving a
// mark.
type line struct {
	flaw   flaw
	bottom atomics.Int64
	top    atomics.Int64
	values [16]atomics.Int64
}

func (d *line) push(v int) bool {
	b := d.bottom.Load()
	d.values[b].Store(int64(v))
	d.bottom.Store(b + 1)
	return true
}

func (d *line) pop() (int, bool) {
	b := d.bottom.Load() - 1
	d.bottom.Store(b)
	t := d.top.Load()
	if t > b {
		d.bottom.Store(t)
		return 0, false
	}
	v := d.values[b].Load()
	if t < b {
		return int(v), true
	}
	if d.flaw == hastyBottom {
		d.bottom.Store(b + 1)
	}
	won := true
	if d.flaw == unclaimed {
		d.top.Store(t + 1)
	} else {
		won = d.top.CompareAndSwap(t, t+1)
	}
	d.bottom.Store(b + 1)
	return int(v), won
}

func (d *line) steal() (int, Outcome) {
	t := d.top.Load()
	if t >= d.bottom.Load() {
		return 0, Empty
	}
	v := d.values[t].Load()
	if !d.top.CompareAndSwap(t, t+1) {
		if d.flaw == hastyEmpty {
			return 0, Empty
		}
		return 0, Retry
	}
	return int(v), Stolen
}

func lines(f flaw) DequeSpec {
	s := deques(sound)
	s.New = func(int) Ends[int] {
		d := &line{flaw: f}
		return Ends[int]{Push: d.push, Pop: d.pop, Thief: func() func() (int, Outcome) { return d.steal }}
	}
	return s
}

// A door is a lock that parks one waiter at a time behind a mutex of the model.
type door struct {
	flaw flaw
	held atomics.Bool
	park park.Mutex
}

func (d *door) Lock() {
	if d.flaw == unclaimed {
		var b backoff.Backoff
		for d.held.Load() {
			b.Wait()
		}
		d.held.Store(true)
		return
	}
	d.park.Lock()
}

func (d *door) TryLock() bool {
	if d.flaw == unclaimed {
		return d.held.CompareAndSwap(false, true)
	}
	return d.park.TryLock()
}

func (d *door) LockContext(ctx context.Context) error {
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		if d.TryLock() {
			return nil
		}
		var b backoff.Backoff
		b.Wait()
	}
}

func (d *door) Unlock() {
	if d.flaw == losesWakeUp {
		return
	}
	if d.flaw == unclaimed {
		d.held.Store(false)
		return
	}
	d.park.Unlock()
}

func doors(f flaw) LockSpec { return LockSpec{New: func(int) Locker { return &door{flaw: f} }} }

func TestExploreSound(t *testing.T) {
	t.Run("queue", func(t *testing.T) { ExploreQueue(t, turnstiles(sound)) })
	t.Run("stack", func(t *testing.T) { ExploreStack(t, towers(sound)) })
	t.Run("deque", func(t *testing.T) { ExploreDeque(t, lines(sound)) })
	t.Run("lock", func(t *testing.T) { ExploreLock(t, doors(sound)) })
}

// TestExploreFails holds that the explorer's programs tell flawed containers from sound ones.
func TestExploreFails(t *testing.T) {
	queue := func(s QueueSpec, c scenario) func(t *testing.T) {
		return func(t *testing.T) { explore.MustFail(t, 2, s.body(c)) }
	}
	stack := towers(unclaimed).queue(t)
	for name, test := range map[string]func(t *testing.T){
		"full too early":            queue(turnstiles(hasty), scenario{2, 2, "de-de"}),
		"empty too early":           queue(turnstiles(hastyEmpty), scenario{2, 0, "ed-ed"}),
		"unpublished":               queue(turnstiles(unpublished), scenario{2, 0, "ee-dd"}),
		"two take one turn":         queue(turnstiles(unclaimed), scenario{2, 2, "de-de"}),
		"a batch turned round":      queue(turnstiles(turnedBatch), scenario{2, 0, "E-dd"}),
		"two pop one":               queue(stack, scenario{0, 1, "de-de"}),
		"no order":                  queue(newBoxes(), scenario{0, 0, "e-e-dd"}),
		"deque, two take one":       func(t *testing.T) { explore.MustFail(t, 2, lines(unclaimed).body(scenario{0, 1, "o-s"})) },
		"deque, lost means none":    func(t *testing.T) { explore.MustFail(t, 2, lines(hastyEmpty).body(scenario{0, 2, "pp-s-s"})) },
		"deque, the last reappears": func(t *testing.T) { explore.MustFail(t, 2, lines(hastyBottom).body(scenario{0, 1, "o-s-s"})) },
		"lock, two enter":           func(t *testing.T) { explore.MustFail(t, 2, doors(unclaimed).body(scenario{0, 0, "l-l"})) },
		"lock, never free":          func(t *testing.T) { explore.MustFail(t, 2, doors(losesWakeUp).body(scenario{0, 0, "l-l"})) },
	} {
		t.Run(name, test)
	}
}
