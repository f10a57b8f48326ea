package explore

import "github.com/freerun-go/freerun/internal/verify/memory"

// Source:   C. Flanagan and P. Godefroid, Dynamic partial-order reduction for model checking
//           software, POPL 2005; with sleep sets (P. Godefroid, 1996) and source sets (P. Abdulla
//           et al., Optimal dynamic partial order reduction, POPL 2014) where there is no bound;
//           bounded as in K. Coons, M. Musuvathi, K. McKinley, Bounded partial-order reduction,
//           OOPSLA 2013; store buffers as processes after P. Abdulla et al., Stateless model
//           checking for TSO and PSO, TACAS 2015.
// Sketch:   Depth first. A node is a situation on the path of the present execution. At each node,
//           and for the next step of each process, the search finds the latest earlier steps of
//           other processes on the same location that nothing forced to come first. At the nodes of
//           those steps it notes this process, or one that this process needs, as an alternative to
//           try. The next execution follows the path to the deepest node with an untried
//           alternative. So executions that differ only in the order of independent steps are
//           visited once, or a few times. With a bound, an alternative may cost one preemption too
//           many at that node, and none at an earlier node. So the process is noted also at the
//           node where the thread that made the earlier step was chosen, and at each node since
//           where choosing the process is no preemption.
// Store buffers exist only without a bound. Flushes cost no preemption, and the bounded reduction
//           reasons about blocks of steps between preemptions. With a bound, relaxed stores are
//           visible at once.
// Sleep sets are used only without a bound. They skip an execution whose equivalent was visited;
//           with a bound, the equivalent may have been forbidden.

// tree is the strategy of an exhaustive search.
type tree struct {
	bound int  // of preemptions; negative for none
	naive bool // tries every process at every node, for comparison
	nodes []node
	next  int // number of nodes that the present execution repeats

	clocks  [processes]past // the steps that each process's last step depends on
	buffers [memory.MaxThreads][]past
	places  []place // by the number of the location

	cut     bool // the bound forbade an alternative
	differs bool // an execution did not repeat its path
}

// past is a vector clock over steps. For each process it has the depth + 1 of the latest step of
// that process that comes before.
type past [processes]int32

func (c *past) join(o *past) {
	for i, n := range o {
		c[i] = max(c[i], n)
	}
}

// node is a situation with the processes that were tried in it, and those still to be tried.
type node struct {
	situation
	chosen      int
	clock       past // of the step that was chosen
	preemptions int  // before the choice
	wanted      set  // to be tried
	tried       set
	asleep      set // processes whose turn would repeat a visited execution
}

// place records the steps on one location that later steps on it depend on.
type place struct {
	wrote     past             // past of the last write
	writer    int32            // depth + 1 of the last write
	read      [processes]past  // pasts of the reads since
	readers   [processes]int32 // depth + 1 of each process's last read since
	writeFrom int              // the process that wrote
}

// begin prepares an execution that repeats the path down to the next untried choice.
func (t *tree) begin() {
	t.clocks = [processes]past{}
	t.buffers = [memory.MaxThreads][]past{}
	clear(t.places)
}

func (t *tree) choose(s *situation) int {
	if s.depth < t.next {
		n := &t.nodes[s.depth]
		if n.situation != *s {
			t.differs = true
			return -1
		}
		return n.chosen
	}
	t.races(s)
	n := node{situation: *s}
	if s.depth > 0 {
		before := &t.nodes[s.depth-1]
		n.preemptions = before.preemptions
		if before.preempts(before.chosen) {
			n.preemptions++
		}
		if t.bound < 0 && !t.naive {
			act := before.next[before.chosen]
			for q := range processes {
				if before.asleep.has(q) && q != before.chosen && !before.next[q].dependent(act) {
					n.asleep = n.asleep.with(q)
				}
			}
		}
	}
	n.chosen = s.usual()
	if awake := s.enabled &^ n.asleep; !awake.has(n.chosen) {
		if awake == 0 {
			return -1
		}
		n.chosen = awake.first()
	}
	n.wanted = set(0).with(n.chosen)
	if t.naive {
		n.wanted = n.enabled
	}
	t.nodes = append(t.nodes[:s.depth], n)
	t.next = s.depth + 1
	return n.chosen
}

// races notes, for the next step of each process, the nodes at which it might have come earlier. It
// does so before the step is made: afterwards a later conflicting step could hide the node, and
// there the bound, or the sleep set, might forbid the alternative.
func (t *tree) races(s *situation) {
	for p, act := range s.next {
		if act.at == 0 {
			continue
		}
		at, also := t.placesOf(act)
		without := t.before(p, act)
		with := without
		at.order(act, &with)
		with.join(&also.wrote)
		t.reverse(at, act, p, &without, &with)
		if also.writer > without[also.writeFrom] {
			t.instead(int(also.writer-1), act, p, &without, &with)
		}
	}
}

// placesOf returns the place of a step, and the place of the second location that it reads. If
// there is none, that is place 0, which no thread writes.
func (t *tree) placesOf(act action) (at, also *place) {
	for max(act.at, act.also) >= len(t.places) {
		t.places = append(t.places, place{})
	}
	return &t.places[act.at], &t.places[act.also]
}

// before returns the steps that come before the next step of p in every execution.
func (t *tree) before(p int, act action) past {
	clock := t.clocks[p]
	if isBuffer(p) {
		clock.join(&t.buffers[p-memory.MaxThreads][0])
	} else if act.kind.Fences() {
		clock.join(&t.clocks[p+memory.MaxThreads])
	}
	return clock
}

// order adds the earlier steps on this location that come before the step act.
func (at *place) order(act action, clock *past) {
	clock.join(&at.wrote)
	if act.kind.Writes() {
		for q := range at.read {
			clock.join(&at.read[q])
		}
	}
}

func (t *tree) did(s *situation, p int) {
	act := s.next[p]
	clock := t.before(p, act)
	if isBuffer(p) {
		t.buffers[p-memory.MaxThreads] = t.buffers[p-memory.MaxThreads][1:]
	}
	at, also := t.placesOf(act)
	if act.at != 0 {
		at.order(act, &clock)
		clock.join(&also.wrote)
	}
	here := int32(s.depth + 1)
	clock[p] = here
	t.clocks[p] = clock
	t.nodes[s.depth].clock = clock
	if act.at == 0 {
		return
	}
	if act.kind.Writes() {
		*at = place{wrote: clock, writer: here, writeFrom: p}
	} else {
		at.read[p], at.readers[p] = clock, here
	}
	if act.also != 0 {
		also.read[p], also.readers[p] = clock, here
	}
}

// buffered notes the steps that p's buffered stores depend on: those of the latest step of their
// thread.
func (t *tree) buffered(p, stores int) {
	for range stores {
		t.buffers[p] = append(t.buffers[p], t.clocks[p])
	}
}

// reverse notes where p's step might come before earlier steps that conflict with it, if nothing
// forces their order. without and with are the steps before p's step, without and with the order on
// the location.
func (t *tree) reverse(at *place, act action, p int, without, with *past) {
	if at.writer > 0 && at.writeFrom != p && at.writer > without[at.writeFrom] {
		t.instead(int(at.writer-1), act, p, without, with)
	}
	if act.kind.Writes() {
		for q, d := range at.readers {
			if q != p && d > without[q] {
				t.instead(int(d-1), act, p, without, with)
			}
		}
	}
}

// instead notes an alternative to the step at depth i, so that p's step comes first.
func (t *tree) instead(i int, act action, p int, without, with *past) {
	if act.kind == memory.Acquire {
		i = t.opened(i, act, p, without)
	}
	if t.bound < 0 {
		t.wantOneOf(i, t.initials(i, p, with))
		return
	}
	t.want(i, p)
	for thread := t.nodes[i].chosen; i > 0 && t.nodes[i-1].chosen == thread; {
		if i--; !t.nodes[i].preempts(p) {
			t.want(i, p)
		}
	}
	t.want(i, p)
}

// opened returns the depth of the latest step, at i or before, that conflicts with the Acquire of p
// and could have come after it. A step that let p go on could not.
func (t *tree) opened(i int, act action, p int, clock *past) int {
	for d := i; d >= 0; d-- {
		n := &t.nodes[d]
		if q := n.chosen; q != p && n.next[q].dependent(act) && int32(d+1) > clock[q] && n.enabled.has(p) {
			return d
		}
	}
	return i
}

// initials returns the processes that can go first, in place of the step at depth i, on the way to
// p's step. It considers the later steps that do not depend on step i. A process is initial if its
// first such step depends on no other of them.
func (t *tree) initials(i, p int, clock *past) set {
	var seen, initial set
	var first [processes]int32
	add := func(q int, here int32, c *past) {
		if seen.has(q) {
			return
		}
		free := true
		for r := range processes {
			free = free && !(seen.has(r) && c[r] >= first[r])
		}
		if free {
			initial = initial.with(q)
		}
		seen, first[q] = seen.with(q), here
	}
	by := t.nodes[i].chosen
	for d := i + 1; d < len(t.nodes); d++ {
		if n := &t.nodes[d]; n.clock[by] < int32(i+1) {
			add(n.chosen, int32(d+1), &n.clock)
		}
	}
	add(p, int32(len(t.nodes)+1), clock)
	return initial
}

// wantOneOf notes one of the initials at this depth, unless one is noted already or asleep.
func (t *tree) wantOneOf(depth int, initials set) {
	n := &t.nodes[depth]
	if initials&(n.wanted|n.asleep) != 0 {
		return
	}
	if able := initials & n.enabled; able != 0 {
		n.wanted = n.wanted.with(able.first())
	} else {
		n.wanted |= n.enabled
	}
}

// want notes p at this depth or, if p cannot go on there, all processes that can.
func (t *tree) want(depth, p int) {
	n := &t.nodes[depth]
	if n.enabled.has(p) {
		n.wanted = n.wanted.with(p)
	} else {
		n.wanted |= n.enabled
	}
}

// advance chooses the path of the next execution and reports whether there is one.
func (t *tree) advance() bool {
	for len(t.nodes) > 0 {
		depth := len(t.nodes) - 1
		n := &t.nodes[depth]
		n.tried = n.tried.with(n.chosen)
		n.asleep = n.asleep.with(n.chosen)
		for todo := n.wanted &^ n.tried; todo != 0; {
			p := todo.first()
			todo = todo.without(p)
			if t.bound < 0 && !t.naive && n.asleep.has(p) {
				n.tried = n.tried.with(p)
				continue
			}
			if t.bound >= 0 && n.preemptions >= t.bound && n.preempts(p) {
				t.cut = true
				n.tried = n.tried.with(p)
				continue
			}
			n.chosen = p
			t.next = depth + 1
			return true
		}
		t.nodes = t.nodes[:depth]
	}
	return false
}
