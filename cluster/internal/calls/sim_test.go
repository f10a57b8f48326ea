package calls

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/freerun-go/freerun/cluster/internal/engine"
	"github.com/freerun-go/freerun/cluster/internal/partition"
)

// world is the virtual time of a run: events happen one after another.
type world struct {
	random *rand.Rand
	now    time.Duration
	events []event
	count  int
}

type event struct {
	at time.Duration
	n  int
	fn func()
}

func (w *world) after(d time.Duration, fn func()) {
	w.count++
	e := event{w.now + d, w.count, fn}
	at, _ := slices.BinarySearchFunc(w.events, e, func(a, b event) int {
		if a.at != b.at {
			return int(a.at - b.at)
		}
		return a.n - b.n
	})
	w.events = slices.Insert(w.events, at, e)
}

func (w *world) run(until time.Duration) {
	for len(w.events) > 0 && w.events[0].at <= until {
		e := w.events[0]
		w.events = w.events[1:]
		w.now = e.at
		e.fn()
	}
	w.now = until
}

// machine is one that is alive, or not.
type machine struct {
	*world
	name  string
	alive bool
	left  bool   // in order: what it has sent before arrives
	owner string // of the partition, as it knows
	line  *Line
	gate  *Gate
	runs  int // calls
	view  int // the number of the move that it knows of

	leaving bool
}

func (m *machine) Run(fn func())  { fn() }
func (m *machine) Now() time.Time { return time.Unix(0, int64(m.now)) }
func (m *machine) After(d time.Duration, fn func()) {
	m.after(d, func() {
		if m.alive {
			fn()
		}
	})
}

var _ partition.World = (*machine)(nil)

// run is one run of a few machines: what is sent is lost, doubled, and overtaken.
type run struct {
	*world
	t        *testing.T
	machines []*machine
	lost     float64
	overtake bool
	leave    bool             // machines leave in order
	taken    map[string]int   // times, by call
	order    map[string][]int // what a machine has taken of each sender
	outcomes map[string]int
	sum      map[string]int
	views    int // moves
}

func (r *run) tell(from *machine, to string, m *Frame) {
	b := m.Append(nil)
	if r.random.Float64() < r.lost {
		r.sum["lost"]++
		return
	}
	way := time.Millisecond
	if r.overtake {
		way += time.Duration(r.random.IntN(int(3 * time.Millisecond)))
	}
	for _, other := range r.machines {
		if other.name != to {
			continue
		}
		arrives := func() {
			m, err := Decode(b, func(b []byte) string { return string(b) })
			if err != nil {
				r.t.Errorf("%v", err)
			}
			if !other.alive || !from.alive && !from.left {
				return
			}
			if m.Kind.IsToGate() {
				other.gate.Receive(&m)
			} else {
				other.line.Receive(&m)
			}
		}
		r.after(way, arrives)
		if r.overtake && r.random.Float64() < r.lost {
			r.after(2*way, arrives)
		}
	}
}

func (r *run) begin(name string) *machine {
	m := &machine{world: r.world, name: name, alive: true}
	tell := func(to string, what *Frame) { r.tell(m, to, what) }
	m.line = NewLine(0, name, m, func() string { return m.owner }, tell)
	m.gate = NewGate(0, name, m, tell, func(c *Incoming) error {
		call := string(c.Body)
		var from string
		var n int
		if _, err := fmt.Sscanf(call, "%s %d", &from, &n); err != nil {
			r.t.Fatal(err)
		}
		if m.owner != m.name {
			r.t.Errorf("%s was taken by %s, which does not have the partition", call, m.name)
		}
		if r.taken[call]++; r.taken[call] > 1 {
			r.t.Errorf("%s was taken twice", call)
		}
		at := from + " " + m.name
		if before := r.order[at]; len(before) > 0 && before[len(before)-1] >= n {
			r.t.Errorf("%s has taken %s after %d", m.name, call, before[len(before)-1])
		}
		r.order[at] = append(r.order[at], n)
		most := 5 * time.Millisecond
		if r.leave && r.random.IntN(10) == 0 {
			most = 500 * time.Millisecond
		}
		m.runs++
		m.After(time.Duration(r.random.IntN(int(most))), func() {
			m.runs--
			c.End(c.Body)
		})
		return nil
	})
	r.machines = append(r.machines, m)
	return m
}

func (r *run) members() (all []string) {
	for _, m := range r.machines {
		if m.alive {
			all = append(all, m.name)
		}
	}
	return all
}

// moves gives the partition to a machine; each learns of that when it does, and not of what was
// before.
func (r *run) moves(to string) {
	all := r.members()
	late := int(200 * time.Millisecond)
	if r.random.IntN(2) == 0 {
		late = int(time.Millisecond) // before what was sent
	}
	r.views++
	view := r.views
	for _, m := range r.machines {
		m.After(time.Duration(r.random.IntN(late)), func() {
			if view < m.view {
				return
			}
			m.view, m.owner = view, to
			m.gate.Open(to == m.name)
			m.line.Members(all)
			m.gate.Members(all)
		})
	}
}

// leaveOf has a machine give its partition to another one, and go as soon as nothing runs there.
func (r *run) leaveOf(m, heir *machine) {
	m.leaving = true
	r.moves(heir.name)
	m.After(250*time.Millisecond, func() { r.goesIdle(m, heir) })
}

func (r *run) goesIdle(m, heir *machine) {
	switch {
	case m.runs > 0:
		m.After(100*time.Microsecond, func() { r.goesIdle(m, heir) })
	default:
		m.alive, m.left = false, true
		r.moves(heir.name)
		r.sum["left"]++
	}
}

// outcomeOf is a function that is told an outcome.
type outcomeOf func(body []byte, err error)

func (f outcomeOf) Done(body []byte, err error) { f(body, err) }

// TestCalls holds that a call is taken once at most, in the order of its sender, and has one
// outcome, whatever is lost, and wherever the partition moves; and that without faults each is
// taken.
func TestCalls(t *testing.T) {
	sum := map[string]int{}
	for seed := range uint64(2000) {
		w := &world{random: rand.New(rand.NewPCG(seed, 0xca11))}
		r := &run{world: w, t: t, taken: map[string]int{}, order: map[string][]int{}, outcomes: map[string]int{}, sum: sum}
		if w.random.IntN(2) == 0 {
			r.lost = 0.02
		}
		r.overtake = w.random.IntN(2) == 0
		r.leave = !r.overtake && w.random.IntN(2) == 0
		dies := w.random.IntN(4) == 0
		for i := range 1 + w.random.IntN(3) {
			r.begin(fmt.Sprint("m", i))
		}
		r.moves("m0")
		asked := 0
		for range 100 {
			w.run(w.now + time.Duration(w.random.IntN(int(40*time.Millisecond))))
			m := r.machines[w.random.IntN(len(r.machines))]
			if !m.alive {
				continue
			}
			switch w.random.IntN(20) {
			case 0:
				if !m.leaving {
					r.moves(m.name)
				}
			case 1:
				if dies && m != r.machines[0] && !m.leaving {
					m.alive = false
					r.moves(r.machines[0].name)
				}
			case 2:
				if r.leave && m != r.machines[0] && !m.leaving {
					r.leaveOf(m, r.machines[0])
				}
			}
			asked++
			call := fmt.Sprintf("%s %d", m.name, asked)
			ctx, cancel := context.WithCancel(context.Background())
			o := &Outgoing{Context: ctx, Body: []byte(call), Until: m.Now().Add(30 * time.Second)}
			began := w.now
			o.To = outcomeOf(func(body []byte, err error) {
				if late := w.now - began; late > 10*time.Second {
					t.Errorf("%s has had no outcome for %v: %v", call, late, err)
				}
				if r.outcomes[call]++; r.outcomes[call] > 1 {
					t.Errorf("%s has two outcomes", call)
				}
				switch {
				case err == nil && (string(body) != call || r.taken[call] != 1):
					t.Errorf("%s has outcome %q, and was taken %d times", call, body, r.taken[call])
				case errors.Is(err, partition.ErrNotRun):
					sum["not run"]++
					if r.taken[call] > 0 {
						t.Errorf("%s was taken, and its sender was told that it was not", call)
					}
				case errors.Is(err, engine.ErrUncertain):
					sum["uncertain"]++
					if r.lost == 0 && !dies && ctx.Err() == nil {
						t.Errorf("%s is uncertain, and nothing was lost", call)
					}
				}
				sum["outcomes"]++
			})
			m.line.Send(o)
			w.after(time.Hour, cancel)
			if w.random.IntN(30) == 0 {
				w.after(time.Duration(w.random.IntN(int(time.Second))), cancel)
				sum["canceled"]++
			}
		}
		w.run(w.now + time.Second)
		r.moves("m0") // all come to know one owner
		w.run(w.now + 2*time.Minute)
		for _, m := range r.machines {
			if !m.alive {
				continue
			}
			if len(m.line.open) > 0 || !m.line.IsIdle() {
				t.Errorf("%s has %d calls that are open, at the end", m.name, len(m.line.open))
			}
		}
		if t.Failed() {
			t.Fatalf("it is seed %d", seed)
		}
	}
	t.Log(sum)
	for _, what := range []string{"lost", "uncertain", "canceled", "left"} {
		if sum[what] == 0 {
			t.Errorf("no run has one of these: %s", what)
		}
	}
}
