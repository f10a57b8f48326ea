package conformance

import "fmt"

// stampede lets all goroutines make one call at the same instant, on a queue with fewer items than
// they want, with less room than they need, and with both. As many calls must succeed as there are
// items, or room for items.
func stampede(s QueueSpec, _ uint64) error {
	rounds := size(stampedeRounds)
	out := s.consumers(many)
	if err := s.rushes(0, out, rounds, func(round int) *rush { return s.rush(round%out+round%2, round%out, 0, out) }); err != nil {
		return err
	}
	in, out := s.producers(3), s.consumers(3)
	if err := s.rushes(in, out, rounds, func(round int) *rush { return s.rush(round%3+round%2, round%3, in, out) }); err != nil {
		return err
	}
	if !s.Bounded {
		return nil
	}
	in = s.producers(many)
	return s.rushes(in, 0, rounds, func(round int) *rush { return s.rush(1+round%4, s.fits(1+round%4)-round%3, in, 0) })
}

// A rush is a queue with some items on which each producer and each consumer makes one call.
type rush struct {
	room, items int
	outs        []Enqueuer[int]
	ins         []Dequeuer[int]
	done        []bool // the goroutines that succeeded, producers first
	err         error
}

func (s QueueSpec) rush(room, items, in, out int) *rush {
	room, items = max(room, 1), max(items, 0)
	q := s.New(room)
	r := &rush{room: s.fits(room), items: items, done: make([]bool, in+out)}
	for range max(in, 1) {
		r.outs = append(r.outs, producer(q))
	}
	for range max(out, 1) {
		r.ins = append(r.ins, consumer(q))
	}
	for i := range items {
		if !r.outs[0].TryEnqueue(valueOf(0, i)) {
			r.err = fmt.Errorf("item %d of %d is refused by a queue with room for %d", i, items, r.room)
		}
	}
	return r
}

// rushes has goroutines go through rushes together, and checks the account of each.
func (s QueueSpec) rushes(in, out, rounds int, prepare func(round int) *rush) error {
	all := make([]*rush, rounds)
	for i := range all {
		if all[i] = prepare(i); all[i].err != nil {
			return all[i].err
		}
	}
	err := inRounds(in+out, rounds, func(_ *hand, i, round int) error {
		r := all[round]
		if i < in {
			r.done[i] = r.outs[i].TryEnqueue(valueOf(i+1, 0))
		} else {
			_, r.done[i] = r.ins[i-in].TryDequeue()
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, r := range all {
		if err := r.account(s, in, out); err != nil {
			return err
		}
	}
	return nil
}

// account compares the answers of the calls with the items that are left.
func (r *rush) account(s QueueSpec, in, out int) error {
	entered, left, remain := 0, 0, 0
	for i, done := range r.done {
		switch {
		case done && i < in:
			entered++
		case done:
			left++
		}
	}
	for {
		if _, ok := r.ins[0].TryDequeue(); !ok {
			break
		}
		remain++
	}
	wrong := func(what string) error {
		return fmt.Errorf("%d calls that enqueue and %d that dequeue, at once, at a queue with %d items and room for %d: %d items went in, %d came out, %d are left; %s",
			in, out, r.items, r.room, entered, left, remain, what)
	}
	if remain != r.items+entered-left {
		return wrong("that makes no sum")
	}
	if !s.EachProducer && out == 0 && entered != min(in, r.room-r.items) {
		return wrong("as many must go in as there is room for")
	}
	// A dequeue may come before a concurrent enqueue and miss its item. Items that were there
	// before the rush are certain.
	if certain := min(r.items, out); left < certain || in == 0 && left > certain {
		return wrong("as many must come out as there are items")
	}
	return nil
}
