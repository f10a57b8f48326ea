package conformance

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync/atomic"

	"github.com/freerun-go/freerun/internal/verify/linear"
)

// insist steals until it has an item or the deque is empty. After a lost race it tries again.
func insist[T any](h *hand, steal func() (T, Outcome)) (v T, ok bool, err error) {
	for {
		v, outcome := steal()
		if outcome != Retry {
			return v, outcome == Stolen, nil
		}
		if err := h.pause(); err != nil {
			return v, false, err
		}
	}
}

// dequeStampede lets the owner and the thieves each take one item at the same instant from a deque
// with few items. As many must succeed as there are items.
func dequeStampede(s DequeSpec, _ uint64) error {
	const thieves = 3
	type prize struct {
		items  int
		ends   Ends[int]
		steals [thieves]func() (int, Outcome)
		values [1 + thieves]int // that came out, or none
	}
	const none = -1
	prizes := make([]prize, size(stampedeRounds))
	for i := range prizes {
		p := &prizes[i]
		p.items = i % (thieves + 2)
		p.ends = s.New(max(p.items, 1))
		for v := range p.items {
			if !p.ends.Push(v) {
				return fmt.Errorf("push of item %d is refused by a deque for %d", v, p.items)
			}
		}
		for t := range p.steals {
			p.steals[t] = p.ends.Thief()
		}
	}
	err := inRounds(1+thieves, len(prizes), func(h *hand, who, round int) error {
		p := &prizes[round]
		var v int
		var ok bool
		var err error
		if who == 0 {
			v, ok = p.ends.Pop()
		} else {
			v, ok, err = insist(h, p.steals[who-1])
		}
		if p.values[who] = v; !ok {
			p.values[who] = none
		}
		return err
	})
	if err != nil {
		return err
	}
	for _, p := range prizes {
		taken := map[int]bool{}
		for _, v := range p.values {
			if v != none && (v >= p.items || taken[v]) {
				return fmt.Errorf("the owner and %d thieves got %v of %d items (%d is nothing)", thieves, p.values, p.items, none)
			}
			taken[v] = v != none
		}
		delete(taken, none)
		if want := min(p.items, thieves+1); len(taken) != want {
			return fmt.Errorf("the owner and %d thieves got %v of %d items (%d is nothing); want %d", thieves, p.values, p.items, none, want)
		}
	}
	return nil
}

// A dequeLoad has an owner that pushes and pops in bursts while thieves steal. At the end it checks
// that each item came out once.
type dequeLoad[T any] struct {
	ends    Ends[T]
	items   int
	burst   int // log2 of the longest
	seed    uint64
	encode  func(v int) T
	decode  func(item T) (int, error)
	thieves int
}

func (r *dequeLoad[T]) run() error {
	var c crew
	got := make([][]int, r.thieves+1)
	take := func(h *hand, who int, item T) error {
		v, err := r.decode(item)
		if err != nil {
			return err
		}
		got[who] = append(got[who], v)
		h.did()
		return nil
	}
	c.add(true, func(h *hand) error { return r.own(h, func(item T) error { return take(h, 0, item) }) })
	for i := range r.thieves {
		steal := r.ends.Thief()
		c.add(false, func(h *hand) error {
			for {
				finished := h.crew.allFinished() // before the Steal: nothing is pushed after it
				item, ok, err := insist(h, steal)
				if err == nil && ok {
					err = take(h, i+1, item)
				} else if err == nil && finished {
					return nil
				} else if err == nil {
					err = h.pause()
				}
				if err != nil {
					return err
				}
			}
		})
	}
	if err := c.run(); err != nil {
		return err
	}
	if _, ok := r.ends.Pop(); ok {
		return fmt.Errorf("thieves and owner were told that it was empty, but there is something in it")
	}
	t := newTally(1, r.items)
	for who, values := range got {
		if err := t.add(values, who > 0); err != nil { // a thief gets older items first
			return err
		}
	}
	return t.lost()
}

// own is the owner's part: it pushes all items, pops some of them meanwhile, and pops the rest at
// the end.
func (r *dequeLoad[T]) own(h *hand, take func(item T) error) error {
	random := rand.New(rand.NewPCG(r.seed, 0))
	pop := func() (bool, error) {
		item, ok := r.ends.Pop()
		if !ok {
			return false, nil
		}
		return true, take(item)
	}
	for next := 0; next < r.items; {
		for range min(r.items-next, 1+random.IntN(1<<random.IntN(r.burst+1))) {
			if !r.ends.Push(r.encode(next)) {
				break
			}
			next++
			h.did()
		}
		for range random.IntN(1 << random.IntN(r.burst+1)) {
			if ok, err := pop(); err != nil {
				return err
			} else if !ok {
				break
			}
		}
		if random.IntN(4) == 0 {
			if err := h.pause(); err != nil {
				return err
			}
		}
	}
	for {
		if ok, err := pop(); err != nil || !ok {
			return err
		}
	}
}

// dequeStress runs loads with bursts of few items, for which the owner and the thieves race, and
// with long ones.
func dequeStress(s DequeSpec, seed uint64) error {
	for _, room := range s.rooms() {
		for _, burst := range []int{1, 4, 10} {
			r := &dequeLoad[int]{ends: s.New(room), items: size(stressItems), burst: burst, seed: seed, encode: plain, decode: same, thieves: many - 1}
			if err := r.run(); err != nil {
				return fmt.Errorf("room for %d, bursts of up to %d: %w", room, 1<<burst, err)
			}
		}
	}
	return nil
}

func dequeTorn(s DequeSpec, seed uint64) error {
	for _, room := range s.rooms() {
		r := &dequeLoad[Wide]{ends: s.NewWide(room), items: size(wideItems), burst: 4, seed: seed, encode: wide, decode: Wide.value, thieves: many - 1}
		if err := r.run(); err != nil {
			return fmt.Errorf("room for %d: %w", room, err)
		}
	}
	return nil
}

// dequeLinearizable checks short histories of an owner and two thieves. The deques begin with some
// items; some unbounded ones begin with many, so that they grow during the steals.
func dequeLinearizable(s DequeSpec, seed uint64) error {
	return record(1+linearThieves, size(linearRounds), func(round int) session {
		return s.session(round, rand.New(rand.NewPCG(seed, uint64(round))))
	})
}

const linearThieves = 2

func (s DequeSpec) session(round int, random *rand.Rand) session {
	capacity := 1 + round%4
	d := s.New(capacity)
	r := session{recorder: linear.NewRecorder(1 + linearThieves), model: s.model(capacity), calls: make([][]func(), 1+linearThieves)}
	owner, next := r.recorder.Client(0), 0
	push := func() {
		owner.Push(next, d.Push)
		next++
	}
	pop := func() { owner.Pop(d.Pop) }
	at := random.IntN(s.fits(capacity) + 1)
	if !s.Bounded && round%2 == 1 {
		at = []int{15, 31, 63}[round/2%3] - random.IntN(4)
	}
	for range at {
		push()
	}
	for range 14 {
		call := push
		if random.IntN(2) == 0 {
			call = pop
		}
		r.calls[0] = append(r.calls[0], call, pauses(random))
	}
	for i := range linearThieves {
		steal, client := d.Thief(), r.recorder.Client(i+1)
		for range 5 {
			call := func() {
				client.Steal(func() (int, bool, bool) {
					v, outcome := steal()
					return v, outcome == Stolen, outcome == Retry
				})
			}
			r.calls[i+1] = append(r.calls[i+1], call, pauses(random))
		}
	}
	r.finish = func() {
		for ok := true; ok; {
			_, ok = owner.Pop(d.Pop)
		}
	}
	return r
}

// dequeTruthful has an owner and thieves that take only when the deque certainly holds an item.
// Each call needs a permit, and each pushed item makes one. The owner pushes only if there
// certainly is room.
func dequeTruthful(s DequeSpec, seed uint64) error {
	for _, room := range s.rooms() {
		if err := dequePermits(s, seed, room, size(truthfulItems)); err != nil {
			return fmt.Errorf("room for %d: %w", room, err)
		}
	}
	return nil
}

func dequePermits(s DequeSpec, seed uint64, room, items int) error {
	d := s.New(room)
	var free, ready atomic.Int64
	free.Store(1 << 40)
	if s.Bounded {
		free.Store(int64(s.fits(room)))
	}
	got := make([][]int, many)
	note := func(h *hand, who, v int, ok bool) error {
		if !ok {
			return fmt.Errorf("it said \"empty\" when there was certainly an item")
		}
		got[who] = append(got[who], v)
		free.Add(1)
		h.did()
		return nil
	}
	var c crew
	c.add(true, func(h *hand) error {
		random := rand.New(rand.NewPCG(seed, 0))
		for next := 0; next < items; {
			switch {
			case random.IntN(3) == 0 && take(&ready):
				v, ok := d.Pop()
				if err := note(h, 0, v, ok); err != nil {
					return err
				}
			case take(&free):
				if !d.Push(next) {
					return fmt.Errorf("the owner's Push said \"full\" when there was certainly room")
				}
				next++
				ready.Add(1)
				h.did()
			default:
				if err := h.pause(); err != nil {
					return err
				}
			}
		}
		return nil
	})
	for i := 1; i < many; i++ {
		steal := d.Thief()
		c.add(false, func(h *hand) error {
			for finished := false; ; {
				if take(&ready) {
					v, ok, err := insist(h, steal)
					if err == nil {
						err = note(h, i, v, ok)
					}
					if err != nil {
						return err
					}
					continue
				}
				if finished {
					return nil
				}
				finished = h.crew.allFinished()
				if err := h.pause(); err != nil {
					return err
				}
			}
		})
	}
	if err := c.run(); err != nil {
		return err
	}
	t := newTally(1, items)
	if err := t.add(slices.Concat(got...), false); err != nil {
		return err
	}
	return t.lost()
}
