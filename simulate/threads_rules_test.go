package simulate

import "testing"

// TestThreadsFollowGo has goroutines wake each other on two threads, and holds who goes on where,
// when, and at whose cost: the rules at the type threads.
func TestThreadsFollowGo(t *testing.T) {
	const wake, wakeup, nap, spin, change = 7, 90, 70, 15, 2
	costs := &Costs{
		Model: 2, Threads: 2, Wake: wake, Wakeup: wakeup, Nap: nap, Spin: spin, Switch: change,
		Pieces: []Piece{{From: "passing", To: "passing", Cost: 1}},
	}
	m := newMachine(costs, 1)
	m.Outside(func(func()) (wait func() error) { return nil }, nil)
	m.start(nil)
	a, b, c := m.processors[1], m.addOutside(), m.addOutside() // none of them yields
	x := m.threads
	chosen := func(what string, want *processor, clock float64, ready ...*processor) {
		t.Helper()
		var numbers []int
		for _, p := range ready {
			numbers = append(numbers, p.index)
		}
		m.running = m.processors[numbers[x.choose(m, numbers)]]
		if m.running != want || m.running.clock != clock {
			t.Errorf("%s: %d goes on at %v, want %d at %v", what, m.running.index, m.running.clock, want.index, clock)
		}
	}
	chosen("the program's goroutine began", a, 0, a)
	x.wakes(m, a, b, 0)
	chosen("it has woken b, which comes next, and a thread", a, wake, a, b)
	a.clock = 50
	chosen("that thread has risen at 20, seen b, and naps until 90", a, 50, a, b)
	chosen("a waits, and b goes on in its place", b, 50+change, b)
	b.clock = 60
	x.wakes(m, b, a, 60)
	chosen("b has woken a, and no thread, as one looks for work", b, 60, a, b)
	b.clock = 1000
	chosen("that one takes a after its nap", a, wakeup+change, a, b)
	a.clock = 1010
	chosen("both run", b, 1000, a, b)
	x.wakes(m, b, c, 1000)
	chosen("no thread is left to wake", b, 1000, a, b, c)
	b.clock = 2000
	chosen("a goes on", a, 1010, a, b, c)
	chosen("a waits: its thread naps, and then takes c", c, 1010+nap+change, b, c)
	c.clock = 1500
	x.drop(m, []int{b.index})
	if thread := x.all[1]; thread.state != spinning || thread.until != 1500+spin {
		t.Errorf("a thread without work spins until %v: %+v", 1500+spin, thread)
	}
	chosen("it sleeps, and b is left", b, 2000, b)
	if thread := x.all[1]; thread.state != asleep {
		t.Errorf("it does not sleep: %+v", thread)
	}
	x.wakes(m, b, a, 2000)
	if thread := x.all[1]; thread.state != rising || thread.until != 2000+wakeup-nap || b.clock != 2000+wake {
		t.Errorf("b, at %v, has not woken it: %+v", b.clock, thread)
	}
	b.clock = 3000
	chosen("a goes on after the whole of a wake-up", a, 2000+wakeup+change, a, b)
}
