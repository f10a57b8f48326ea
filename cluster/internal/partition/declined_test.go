package partition

import (
	"testing"
	"time"
)

// TestDeclined holds that a partition whose log has what one machine does not know is another one's
// that does, that the others stay where they are, and that it waits for one that knows it.
func TestDeclined(t *testing.T) {
	for seed := range uint64(20) {
		s := newSim(seed, none)
		s.rates, s.calm = rates{}, true
		older, newer := s.begin(), s.begin()
		s.until(time.Second)
		p, before := Of("new", partitions), newer.View().Owners
		if before[p] == newer.name {
			older, newer = newer, older
		}
		older.older = true
		sends := func(n *node) *bool {
			done := new(bool)
			n.Machine.Send("new", order{ID: "a", Do: "add"}.body(), func(error) {}, func(_ []byte, err error) { *done = err == nil })
			return done
		}
		done := sends(older)
		s.until(s.now + 5*time.Second)
		if !*done {
			t.Fatalf("seed %d: what one of two machines knows has not run", seed)
		}
		for q, owner := range newer.View().Owners {
			if q == p && owner != newer.name || q != p && owner != before[q] {
				t.Errorf("seed %d: partition %d is owned by %s now, and was by %s", seed, q, owner, before[q])
			}
		}
		newer.crash()
		done = sends(older)
		s.until(s.now + 10*time.Second)
		if *done {
			t.Errorf("seed %d: it has run, and no machine knows it", seed)
		}
		s.begin()
		s.until(s.now + 5*time.Second)
		if !*done {
			t.Errorf("seed %d: it has not run where a machine has come that knows it", seed)
		}
	}
}
