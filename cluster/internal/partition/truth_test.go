package partition

import (
	"encoding/json"
	"errors"
	"strings"
)

// truth is what the writes of a run have had as effects, in order: the engine tells it.
type truth struct {
	sim     *sim
	units   map[string][]string // commands by unit, in the order of their effects
	refused map[string]bool
	effects map[string]int // how often
}

// written is told each write that was made.
func (t *truth) written(key string, value []byte) {
	if key == CheckpointKey || value == nil { // a checkpoint
		return
	}
	_, rest, err := DecodeRecord(value)
	if err != nil {
		panic(err)
	}
	var s state
	if err := json.Unmarshal(rest, &s); err != nil {
		panic(err)
	}
	for _, id := range s.Batch {
		t.sim.logf("%s has %s", key, id)
		if refused, is := strings.CutSuffix(id, "!"); is {
			t.refused[refused] = true
			t.effects[refused]++
			continue
		}
		t.units[key] = append(t.units[key], id)
		t.effects[id]++
	}
}

// asked is a command of a client, and what has become of it.
type asked struct {
	order
	unit     string
	told     bool
	direct   bool // a request
	accepted int  // 0: not known, 1: yes, 2: no
	outcome  string
	ended    bool
	err      error
}

// client sends commands from a machine, and knows what it was told.
type client struct {
	name string
	dead bool // with its machine
	all  []*asked
}

// check holds what was promised against what the writes have.
func (s *sim) check() {
	t := s.truth
	pays := map[string]*asked{}
	for _, c := range s.clients {
		for _, a := range c.all {
			n := t.effects[a.ID]
			switch {
			case n > 1:
				s.errorf("%s has had its effect %d times", a.ID, n)
			case a.direct && n > 0 && errors.Is(a.err, ErrNotRun):
				s.errorf("%s has had its effect, and its outcome is %v", a.ID, a.err)
			case a.accepted == 1 && n == 0:
				s.errorf("%s was accepted, and has had no effect", a.ID)
			case a.ended && a.err == nil && n == 0:
				s.errorf("%s has the outcome %q, and no effect", a.ID, a.outcome)
			case a.ended && a.err == nil && (a.outcome == refused) != t.refused[a.ID]:
				s.errorf("%s has the outcome %q; that it was refused is %v", a.ID, a.outcome, t.refused[a.ID])
			case !c.dead && !a.told && !a.ended:
				s.errorf("%s has no outcome", a.ID)
			case !c.dead && !a.direct && a.accepted == 0:
				s.errorf("whether %s is accepted is not known", a.ID)
			}
			if a.Do == "pay" && n == 1 && !t.refused[a.ID] {
				pays[a.ID+">"] = a
			}
			if a.Do == "forget" && n == 1 && !t.refused[a.ID] {
				pays[a.ID+">"] = a
			}
		}
		s.checkOrder(c)
	}
	for id := range pays {
		if n := t.effects[id]; n != 1 {
			s.errorf("what was sent, %s, has had its effect %d times", id, n)
		}
	}
	for id, n := range t.effects {
		if strings.HasSuffix(id, ">") && pays[id] == nil {
			s.errorf("%s has had its effect %d times, and was not sent", id, n)
		}
	}
	s.checkSent()
	s.checkSum()
}

// checkOrder holds that what a client has sent to a unit comes there in its order, and that what
// is missing was not accepted.
func (s *sim) checkOrder(c *client) {
	place := map[string]int{}
	for _, ids := range s.truth.units {
		for i, id := range ids {
			place[id] = i
		}
	}
	last := map[string]int{}
	for _, a := range c.all {
		at, there := place[a.ID]
		if !there || a.direct {
			continue
		}
		if before, some := last[a.unit]; some && at < before {
			s.errorf("%s came before an earlier command of its sender to %s", a.ID, a.unit)
		}
		last[a.unit] = at
	}
}

// checkSent holds that what one unit has sent another comes there in its order.
func (s *sim) checkSent() {
	type way struct{ from, to string }
	sent := map[way][]string{}
	byID := map[string]*asked{}
	for _, c := range s.clients {
		for _, a := range c.all {
			byID[a.ID] = a
		}
	}
	for unit, ids := range s.truth.units {
		for _, id := range ids {
			if a := byID[id]; a != nil {
				switch a.Do {
				case "pay":
					sent[way{unit, a.To}] = append(sent[way{unit, a.To}], id+">")
				case "forget":
					sent[way{unit, "bank"}] = append(sent[way{unit, "bank"}], id+">")
				}
			}
		}
	}
	for w, ids := range sent {
		place := map[string]int{}
		for i, id := range s.truth.units[w.to] {
			place[id] = i + 1
		}
		last := 0
		for _, id := range ids {
			if at := place[id]; at > 0 {
				if at < last {
					s.errorf("%s came to %s before what %s had sent earlier", id, w.to, w.from)
				}
				last = at
			}
		}
	}
}

// checkSum holds that no balance was lost or made. What was refused at its receiver is missing.
func (s *sim) checkSum() {
	sum, missing := 0, 0
	s.store.Each(func(_ int, key string, value []byte) {
		if key == CheckpointKey {
			return
		}
		_, rest, err := DecodeRecord(value)
		if err != nil {
			panic(err)
		}
		var st state
		if err := json.Unmarshal(rest, &st); err != nil {
			panic(err)
		}
		sum += st.Balance
	})
	for id := range s.truth.refused {
		if strings.HasSuffix(id, ">") {
			missing++
		}
	}
	if sum != 0 && missing == 0 {
		s.errorf("the sum of all balances is %d", sum)
	}
}
