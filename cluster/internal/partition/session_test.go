package partition

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/freerun-go/freerun/cluster/internal/engine"
)

// TestEnd holds that each command of a session that ends has its end, once.
func TestEnd(t *testing.T) {
	s := newSim(1, none)
	s.rates, s.calm = rates{}, true
	n := s.begin()
	n.leaving = true // it owns nothing
	x := n.parts[0].session
	accepted, outcomes := []error{}, []error{}
	send := func() {
		x.Send("u", order{ID: "a"}.body(), func(err error) { accepted = append(accepted, err) }, func(_ []byte, err error) { outcomes = append(outcomes, err) })
	}
	send()
	s.until(100 * time.Millisecond) // it is accepted, and there is no owner
	send()
	x.End()
	x.End()
	send()
	if len(accepted) != 3 || accepted[0] != nil || !errors.Is(accepted[1], engine.ErrUncertain) || !errors.Is(accepted[2], engine.ErrClosed) {
		t.Errorf("accepted: %v", accepted)
	}
	if len(outcomes) != 3 || !errors.Is(outcomes[0], engine.ErrUncertain) || !errors.Is(outcomes[1], engine.ErrUncertain) || !errors.Is(outcomes[2], engine.ErrClosed) {
		t.Errorf("outcomes: %v", outcomes)
	}
	s.until(time.Minute)
	if len(accepted) != 3 || len(outcomes) != 3 {
		t.Errorf("after the end: %v, %v", accepted, outcomes)
	}
}

// TestKept holds that a session keeps so many commands that the log has not accepted, refuses more
// with ErrFull, and takes others when there is room.
func TestKept(t *testing.T) {
	s := newSim(1, none)
	s.rates, s.calm = rates{}, true
	n := s.begin()
	x := n.parts[0].session
	x.mostKept = kept{3, 1000}
	full, accepted := 0, 0
	send := func(size int) {
		x.Send("u", order{ID: strings.Repeat("a", size), Do: "get"}.body(), func(err error) {
			if err == nil {
				accepted++
			}
		}, func(_ []byte, err error) {
			if errors.Is(err, ErrFull) {
				full++
			}
		})
	}
	n.port.Cut(time.Second)
	for range 5 {
		send(1)
	}
	if full != 2 || accepted != 0 {
		t.Errorf("%d of 5 were refused, %d accepted; 3 are kept", full, accepted)
	}
	s.until(3 * time.Second)
	if accepted != 3 || x.kept != (kept{}) {
		t.Errorf("%d were accepted of 3, and %+v is kept", accepted, x.kept)
	}
	n.port.Cut(time.Second)
	full = 0
	send(1001) // alone, it is taken
	send(1)
	if full != 1 {
		t.Errorf("%d were refused behind a large one", full)
	}
}

// TestAskedKept holds that so many requests to a partition wait for their replies, that more are
// refused with ErrFull, and that others are taken when those have their outcomes.
func TestAskedKept(t *testing.T) {
	s := newSim(1, none)
	s.rates, s.calm = rates{}, true
	n := s.begin()
	n.mostAsked = kept{3, 1000}
	full, done, over := 0, 0, 0
	ask := func(size int) {
		n.Machine.Request("u", order{ID: strings.Repeat("a", size), Do: "get"}.body(), false, 10*time.Second, func(_ []byte, err error) {
			switch {
			case err == nil:
				done++
			case errors.Is(err, ErrFull):
				full++
			default:
				over++
			}
		})
	}
	for range 5 {
		ask(1)
	}
	if full != 2 || done > 0 {
		t.Errorf("%d of 5 were refused, %d done; 3 may wait", full, done)
	}
	s.until(3 * time.Second)
	n.leaving = true // it asks no more
	for range 3 {
		ask(1)
	}
	s.until(20 * time.Second)
	if full != 2 || done != 3 || over != 3 {
		t.Errorf("%d were refused, %d done, %d given up; want 2, 3, 3", full, done, over)
	}
	for p, k := range n.asked {
		if k != (kept{}) {
			t.Errorf("%+v of partition %d wait after all have ended", k, p)
		}
	}
	full = 0
	ask(1001) // alone, it is taken
	ask(1)
	if full != 1 {
		t.Errorf("%d were refused behind a large one", full)
	}
}

// TestAskedAgain holds that a read whose message is lost, or its reply, is asked for again; that a
// command is not, and that it is known soon that nothing more comes of it.
func TestAskedAgain(t *testing.T) {
	for seed := range uint64(20) {
		s := newSim(seed, none)
		s.rates, s.calm = rates{unheard: 1}, true
		n := s.begin()
		s.until(3 * time.Second) // it owns all
		done, uncertain := 0, 0
		ask := func(reads bool) {
			n.Machine.Request("u", order{ID: fmt.Sprint(reads), Do: "get"}.body(), reads, 10*time.Second, func(_ []byte, err error) {
				switch {
				case err == nil && reads:
					done++
				case errors.Is(err, engine.ErrUncertain) && !reads:
					uncertain++
				default:
					t.Errorf("seed %d: reads: %v, %v", seed, reads, err)
				}
			})
		}
		s.calm = false // the messages are lost, or the replies
		if seed%2 == 0 {
			ask(true)
			ask(false)
		} else {
			s.calm = true
			ask(true)
			ask(false)
			s.calm = false
			s.until(s.now + 500*time.Millisecond)
		}
		s.calm = true
		s.until(7 * time.Second)
		if done != 1 || uncertain != 1 {
			t.Errorf("seed %d: %d reads are done, %d commands given up", seed, done, uncertain)
		}
	}
}

// TestHearsItself holds that a machine that was cut off for so long that others may have owned its
// partitions owns them anew, and that one that was cut off for less goes on.
func TestHearsItself(t *testing.T) {
	s := newSim(1, none)
	s.rates, s.calm = rates{}, true
	n := s.begin()
	s.until(3 * time.Second)
	first := n.parts[0].owner
	n.port.Cut(Absent / 2)
	s.until(6 * time.Second)
	if first == nil || n.parts[0].owner != first {
		t.Error("there is another owner after a moment")
	}
	n.port.Cut(2 * Absent)
	s.until(12 * time.Second)
	if now := n.parts[0].owner; now == nil || now == first || first.phase != ended {
		t.Error("the owner goes on that others did not hear of")
	}
}

// TestLeave holds that the next owner of a partition has nothing to do again, if the one before has
// left it.
func TestLeave(t *testing.T) {
	s := newSim(1, none)
	s.rates = rates{}
	n := s.begin()
	n.leaving = true // it owns nothing itself
	var calls recorded
	o := NewOwner(0, n.port, n, &calls, func(err error) { t.Error(err) })
	o.Begin()
	for range 100 {
		n.parts[0].session.Send("u", order{ID: "a"}.body(), func(error) {}, nil)
	}
	s.until(20 * time.Millisecond)
	left := false
	o.Leave(func() { left = true })
	read := len(calls.seqs)
	if read == 0 || left {
		t.Fatalf("%d commands were delivered before it left; that it has left is %v", read, left)
	}
	for _, seq := range calls.seqs {
		o.Done(seq, nil)
	}
	s.until(time.Second)
	if !left || len(calls.seqs) != read {
		t.Fatalf("it has left: %v; %d commands were delivered after that", left, len(calls.seqs)-read)
	}
	next := NewOwner(0, n.port, n, &calls, func(err error) { t.Error(err) })
	next.Begin()
	s.until(2 * time.Second)
	if len(calls.seqs) != 100 {
		t.Errorf("%d commands were delivered, of 100", len(calls.seqs))
	}
}

// recorded notes what is delivered.
type recorded struct{ seqs []uint64 }

func (r *recorded) Began(*Owner) {}

func (r *recorded) Deliver(_ *Owner, seq uint64, _ *Command) { r.seqs = append(r.seqs, seq) }
func (r *recorded) Repeat(*Owner, *Command)                  {}
func (r *recorded) Request(*Owner, *Request)                 {}
func (r *recorded) Ended(*Owner)                             {}
