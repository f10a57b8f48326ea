//go:build explore

package deque

import (
	"testing"
	"unsafe"

	"github.com/freerun-go/freerun/internal/sync/atomics"
	"github.com/freerun-go/freerun/internal/sync/park"
	"github.com/freerun-go/freerun/internal/verify/explore"
	"github.com/freerun-go/freerun/internal/verify/linear"
)

// The controls are deques with one mistake each. The explorations must find it, or they prove
// nothing. Each control has a switch for its mistake; without the mistake nothing may be found.

func untyped(v int) *byte { return (*byte)(unsafe.Pointer(&numbers[v])) }

// control names the scenario in which a mistake shows.
type control struct {
	scenario
	model linear.Model
	make  func(wrong bool) ends
}

func (c control) test(t *testing.T) {
	t.Run("wrong", func(t *testing.T) {
		explore.MustFail(t, explore.Unbounded, func(r *explore.Run) { c.run(r, c.make(true), c.model) })
	})
	t.Run("right", func(t *testing.T) {
		explore.Exhaustive(t, explore.Unbounded, func(r *explore.Run) { c.run(r, c.make(false), c.model) })
	})
}

// looseChaseLev is Chase and Lev's deque with an array that does not grow. Its bottom is a plain
// word, as in a program without atomics. On amd64 that is enough for Push, but Pop needs a fence
// between its store of bottom and its load of top.
type looseChaseLev struct {
	top       atomics.Int64
	bottom    atomics.Release[uint64]
	fence     atomics.Int64
	slots     [4]slot
	unfenced  bool // the store of bottom may wait in the store buffer while top is loaded
	loadFirst bool // top is loaded before bottom is stored
}

func (d *looseChaseLev) ends() ends {
	return ends{
		push: func(v int) bool {
			b := d.bottom.Load()
			d.slots[b%4].Store(untyped(v))
			d.bottom.Store(b + 1)
			return true
		},
		pop: func() (int, bool) {
			b := int64(d.bottom.Load()) - 1
			early := d.top.Load()
			if b < early {
				return 0, false
			}
			d.bottom.Store(uint64(b))
			if !d.unfenced {
				d.fence.Swap(0)
			}
			t := early
			if !d.loadFirst {
				t = d.top.Load()
			}
			v := *typed(d.slots[b%4].Load())
			if b > t {
				return v, true
			}
			won := b == t && d.top.CompareAndSwap(t, t+1)
			d.bottom.Store(uint64(b + 1))
			if !won {
				return 0, false
			}
			return v, true
		},
		steal: func() (int, Outcome) {
			t := d.top.Load()
			if t >= int64(d.bottom.Load()) {
				return 0, Empty
			}
			v := d.slots[t%4].Load()
			if !d.top.CompareAndSwap(t, t+1) {
				return 0, Retry
			}
			return *typed(v), Stolen
		},
	}
}

// TestExploreControlFence must find that a Pop without its fence takes the newest of two values
// while thieves take both: the owner has seen neither theft, and the thieves have not seen its
// claim.
func TestExploreControlFence(t *testing.T) {
	s := scenario{before: "uu", owner: "o", thieves: []string{"s", "s"}}
	t.Run("store buffer", func(t *testing.T) {
		control{s, lockFree, func(wrong bool) ends { return (&looseChaseLev{unfenced: wrong}).ends() }}.test(t)
	})
	t.Run("order", func(t *testing.T) {
		control{s, lockFree, func(wrong bool) ends { return (&looseChaseLev{loadFirst: wrong}).ends() }}.test(t)
	})
}

// original is the deque of Arora, Blumofe and Plaxton, as in the lecture: whenever it is empty, top
// and bottom are set to 0.
type original struct {
	age    atomics.Uint64
	bottom atomics.Uint32
	slots  [4]slot

	stampless bool   // no stamp tells an old top from a new one with the same value
	ending    ending // of a Pop that lost the race
}

// ending says which words a Pop that lost the race sets back, and in which order.
type ending int

const (
	bottomFirst ending = iota
	neverBottom        // the statement stands behind the return
	bottomLast         // the statement stands before the return, but too late
)

func (d *original) ends() ends {
	return ends{
		push: func(v int) bool {
			b := d.bottom.Load()
			if b == uint32(len(d.slots)) {
				return false
			}
			d.slots[b].Store(untyped(v))
			d.bottom.Store(b + 1)
			return true
		},
		pop: func() (int, bool) {
			b := d.bottom.Load()
			if b == 0 {
				return 0, false
			}
			b--
			d.bottom.Store(b)
			v := d.slots[b].Load()
			a := age(d.age.Load())
			if b > a.index() {
				return *typed(v), true
			}
			var reset age
			if !d.stampless {
				reset = (a>>32 + 1) << 32
			}
			if b == a.index() {
				d.bottom.Store(0)
				if d.age.CompareAndSwap(uint64(a), uint64(reset)) {
					return *typed(v), true
				}
			}
			if d.ending == bottomFirst {
				d.bottom.Store(0)
			}
			d.age.Store(uint64(reset))
			if d.ending == bottomLast {
				d.bottom.Store(0)
			}
			return 0, false
		},
		steal: func() (int, Outcome) {
			a := age(d.age.Load())
			if a.index() >= d.bottom.Load() {
				return 0, Empty
			}
			v := d.slots[a.index()].Load()
			if !d.age.CompareAndSwap(uint64(a), uint64(a+1)) {
				return 0, Retry
			}
			return *typed(v), Stolen
		},
	}
}

// TestExploreControlStamp must find a thief that slept while its value was taken and another value
// was pushed to the same slot.
func TestExploreControlStamp(t *testing.T) {
	control{
		scenario{before: "u", owner: "ou", thieves: []string{"s"}},
		lockFree,
		func(wrong bool) ends { return (&original{stampless: wrong}).ends() },
	}.test(t)
}

// TestExploreControlRing must find the same mistake in a Bounded whose index wraps around without a
// count of its laps.
func TestExploreControlRing(t *testing.T) {
	control{
		scenario{before: "u", owner: "ouou", thieves: []string{"s"}},
		room(2),
		func(wrong bool) ends {
			d := NewBounded[int](2)
			e := ofPointers(d, d.Thief())
			if wrong {
				e.steal = d.core.stealByIndex
			}
			return e
		},
	}.test(t)
}

// stealByIndex is steal in a ring whose thieves compare and swap the index alone.
func (d *abp) stealByIndex() (int, Outcome) {
	a := age(d.age.Load())
	if a.before(d.bottom.Load()) <= 0 {
		return 0, Empty
	}
	v := d.at(a.index()).Load()
	for now := age(d.age.Load()); now.index()&d.mask == a.index()&d.mask; now = age(d.age.Load()) {
		if d.age.CompareAndSwap(uint64(now), uint64(now.taken())) {
			return number(typed(v)), Stolen
		}
	}
	return 0, Retry
}

// TestExploreControlEnding must find both endings of the lecture's Pop: values that were taken are
// stolen again.
func TestExploreControlEnding(t *testing.T) {
	for name, ending := range map[string]ending{"never": neverBottom, "late": bottomLast} {
		t.Run(name, func(t *testing.T) {
			control{
				scenario{before: "uu", owner: "sso", thieves: []string{"s"}},
				lockFree,
				func(wrong bool) ends {
					d := &original{}
					if wrong {
						d.ending = ending
					}
					return d.ends()
				},
			}.test(t)
		})
	}
}

// article is Duffy's deque as he published it, with an array of one size and indices that do not
// overflow.
type article struct {
	lock  park.Mutex
	head  atomics.Int64
	tail  atomics.Int64
	slots [4]atomics.Plain[int]

	steps     bool // the article's: thieves step head before they know whether there is a value
	fills     bool // the owner uses the slot that a thief may read behind the stepped head
	loadFirst bool // Pop loads head before it stores tail, without an exchange
}

// claim and unclaimed are the marks of a thief without steps, as in Hybrid.
func (d *article) claim(h int64) int64 {
	if d.steps {
		return h + 2
	}
	return h + 1
}

func (d *article) ends() ends {
	return ends{
		push: func(v int) bool {
			tail, room := d.tail.Load(), int64(len(d.slots)-1)
			if d.fills {
				room++
			}
			if tail >= d.head.Load()/2+room {
				return false
			}
			d.slots[tail%4].Set(v)
			d.tail.Store(tail + 1)
			return true
		},
		pop: func() (int, bool) {
			tail := d.tail.Load()
			if d.head.Load()/2 >= tail {
				return 0, false
			}
			tail--
			head := d.head.Load()
			d.tail.Store(tail)
			if !d.loadFirst {
				head = d.head.Load()
			}
			if head/2 < tail || head == 2*tail {
				return d.slots[tail%4].Take(), true
			}
			d.lock.Lock()
			defer d.lock.Unlock()
			if d.head.Load()/2 <= tail {
				return d.slots[tail%4].Take(), true
			}
			d.tail.Store(tail + 1)
			return 0, false
		},
		steal: func() (int, Outcome) {
			if !d.lock.TryLock() {
				return 0, Retry
			}
			defer d.lock.Unlock()
			head := d.head.Load()
			d.head.Store(d.claim(head))
			if head/2 >= d.tail.Load() {
				d.head.Store(head)
				return 0, Empty
			}
			v := d.slots[head/2%4].Take()
			d.head.Store(head + 2)
			return v, Stolen
		},
	}
}

// TestExploreControlStep must find an owner that gets the answer "empty" while its value is there.
func TestExploreControlStep(t *testing.T) {
	control{
		scenario{before: "u", owner: "ouo", thieves: []string{"s"}},
		locked,
		func(wrong bool) ends { return (&article{steps: wrong}).ends() },
	}.test(t)
}

// TestExploreControlGap must find that the owner writes to the slot that a thief reads.
func TestExploreControlGap(t *testing.T) {
	control{
		scenario{before: "uuu", owner: "uu", thieves: []string{"s"}},
		linear.Deque(4, linear.InFlight, linear.RetryBusy),
		func(wrong bool) ends { return (&article{fills: true, steps: wrong}).ends() },
	}.test(t)
}

// TestExploreControlExchange must find that owner and thief both take the last value.
func TestExploreControlExchange(t *testing.T) {
	control{
		scenario{before: "u", owner: "o", thieves: []string{"s"}},
		locked,
		func(wrong bool) ends { return (&article{loadFirst: wrong}).ends() },
	}.test(t)
}
