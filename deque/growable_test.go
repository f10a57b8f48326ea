package deque_test

import (
	"slices"
	"testing"

	"github.com/freerun-go/freerun/deque"
)

// pair is a deque beside its model, a slice whose last element is the owner's end.
type pair struct {
	t     *testing.T
	deque *deque.Growable[int]
	model []*int
	next  int
}

func newPair(t *testing.T) *pair { return &pair{t: t, deque: deque.NewGrowable[int]()} }

func (p *pair) push(count int) {
	for range count {
		v := new(int)
		*v = p.next
		p.next++
		p.deque.Push(v)
		p.model = append(p.model, v)
	}
	p.check()
}

func (p *pair) pop(count int) {
	p.t.Helper()
	for range count {
		got := p.deque.Pop()
		if len(p.model) == 0 {
			if got != nil {
				p.t.Fatalf("Pop of an empty deque gave %d", *got)
			}
			continue
		}
		last := len(p.model) - 1
		if got != p.model[last] {
			p.t.Fatalf("Pop gave %v, want %d", got, *p.model[last])
		}
		p.model = p.model[:last]
	}
	p.check()
}

func (p *pair) steal(count int) {
	p.t.Helper()
	for range count {
		got, outcome := p.deque.Thief().Steal()
		if len(p.model) == 0 {
			if got != nil || outcome != deque.Empty {
				p.t.Fatalf("Steal from an empty deque gave %v, %d", got, outcome)
			}
			continue
		}
		if got != p.model[0] || outcome != deque.Stolen {
			p.t.Fatalf("Steal gave %v, %d, want %d", got, outcome, *p.model[0])
		}
		p.model = p.model[1:]
	}
	p.check()
}

func (p *pair) check() {
	p.t.Helper()
	if p.deque.Len() != len(p.model) || p.deque.Thief().Empty() != (len(p.model) == 0) {
		p.t.Fatalf("Len = %d, Empty = %v, want %d", p.deque.Len(), p.deque.Thief().Empty(), len(p.model))
	}
}

func TestGrowableSequential(t *testing.T) {
	p := newPair(t)
	p.pop(2)
	p.steal(2)
	for _, size := range []int{1, 2, 63, 64, 65, 127, 128, 129, 500} { // around the sizes at which the buffer grows
		p.push(size)
		p.steal(size / 3)
		p.push(size / 2)
		p.pop(size / 4)
		p.push(3)
		p.steal(len(p.model) / 2)
		p.pop(len(p.model) + 1)
	}
}

// TestGrowableGoesRound pushes and steals many times the buffer's size while few values are in it, so that each slot is used again
// often, with and without a Pop that clears what was stolen.
func TestGrowableGoesRound(t *testing.T) {
	for _, popEvery := range []int{1, 7, 10_000} {
		p := newPair(t)
		for i := range 1_000 {
			p.push(1 + i%5)
			if i%popEvery == popEvery-1 {
				p.pop(1)
			}
			p.steal(len(p.model) - i%3)
		}
		p.pop(len(p.model) + 1)
	}
}

func TestGrowableRefusesNil(t *testing.T) {
	defer func() {
		if text, _ := recover().(string); text != "deque: Push of a nil value" {
			t.Errorf("recovered %q", text)
		}
	}()
	deque.NewGrowable[int]().Push(nil)
}

// FuzzGrowable reads bytes as operations and holds them against a slice: the two lowest bits say which one, the others how often.
func FuzzGrowable(f *testing.F) {
	f.Add([]byte{0x10, 0x05, 0x06, 0x09, 0x0e})
	f.Add([]byte{0xfc, 0x0d, 0xfc, 0xfe, 0xf8, 0xfd, 0x02, 0x01})
	f.Add(slices.Repeat([]byte{0x40, 0x3e, 0x05}, 40))
	f.Fuzz(func(t *testing.T, program []byte) {
		p := newPair(t)
		for _, b := range program {
			switch count := int(b>>2) + 1; b & 3 {
			case 0, 3:
				p.push(count)
			case 1:
				p.pop(count)
			case 2:
				p.steal(count)
			}
		}
		for len(p.model) > 0 {
			p.pop(1)
			p.steal(1)
		}
	})
}
