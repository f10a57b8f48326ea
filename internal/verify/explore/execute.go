package explore

import (
	"errors"
	"fmt"
	"math/bits"
	"strings"

	"github.com/freerun-go/freerun/internal/verify/memory"
)

// A process makes steps. Process i, below memory.MaxThreads, is thread i; process i +
// memory.MaxThreads is the store buffer of thread i, and its steps are flushes.
const processes = 2 * memory.MaxThreads

// set is a set of processes.
type set uint8

func (s set) has(p int) bool    { return s&(1<<p) != 0 }
func (s set) with(p int) set    { return s | 1<<p }
func (s set) without(p int) set { return s &^ (1 << p) }
func (s set) first() int        { return bits.TrailingZeros8(uint8(s)) }

func isBuffer(p int) bool { return p >= memory.MaxThreads }

// situation holds the choices before a step.
type situation struct {
	depth   int
	enabled set
	current int // the thread that made the last step, flushes aside; -1 before the first
	next    [processes]action
}

// preempts reports whether choosing p takes the processor from a thread that could have gone on.
func (s *situation) preempts(p int) bool {
	return s.current >= 0 && p != s.current && !isBuffer(p) && s.enabled.has(s.current) && s.next[s.current].kind != memory.Spin
}

// usual returns the default choice: the current thread goes on while it can, and store buffers are
// flushed only when no thread can go on.
func (s *situation) usual() int {
	if s.current >= 0 && s.enabled.has(s.current) {
		return s.current
	}
	return s.enabled.first()
}

// action holds those parts of a step that other steps may depend on.
type action struct {
	kind memory.Kind
	at   int // the location's number, 0 for none
	also int // the number of a second location, which is read; 0 for none
}

// dependent reports whether the order of two steps of different processes can matter.
func (a action) dependent(b action) bool {
	return a.at != 0 && a.at == b.at && (a.kind.Writes() || b.kind.Writes()) ||
		a.also != 0 && a.also == b.at && b.kind.Writes() || b.also != 0 && b.also == a.at && a.kind.Writes()
}

// strategy chooses the process that makes the next step.
type strategy interface {
	// choose returns an enabled process, or -1 to give the execution up.
	choose(s *situation) int
	// did reports a step after it: process p made it, in the situation s.
	did(s *situation, p int)
	// buffered reports how many stores thread p put into its buffer in its latest step, or before
	// its first.
	buffered(p, stores int)
}

// machine executes the body again and again.
type machine struct {
	body    func(*Run)
	buffers bool // relaxed stores go through store buffers
	workers []*worker

	run     *Run
	threads []*worker // the workers of the present execution
	stopped set       // threads stopped for good
	seen    [memory.MaxThreads]int
	steps   int
	path    []uint8 // the processes chosen, and where one was stopped
	trace   *trace
}

// maxSteps is the number of steps after which an execution is taken to be endless.
const maxSteps = 5000

var errAbandoned = errors.New("explore: abandoned")

// execute runs the body once, then its threads in the order that the strategy chooses. The error
// says what was wrong with the execution; it is errAbandoned if the strategy gave up.
func (m *machine) execute(choose strategy) (err error) {
	memory.Reset()
	memory.StoreBuffers = m.buffers
	m.run, m.stopped, m.seen, m.path = &Run{}, 0, [memory.MaxThreads]int{}, m.path[:0]
	m.threads = nil
	m.body(m.run)
	for len(m.workers) < len(m.run.threads) {
		m.workers = append(m.workers, newWorker())
	}
	m.threads = m.workers[:len(m.run.threads)]
	defer func() {
		for _, w := range m.threads {
			w.unwind()
		}
	}()
	for i, w := range m.threads {
		w.begin(i, m.run.names[i], m.run.threads[i])
		if w.outcome != nil {
			return fmt.Errorf("%s: %w", w.thread.Name, w.outcome)
		}
		choose.buffered(i, w.thread.Pending())
	}
	s := situation{current: -1}
	for {
		m.look(&s)
		if s.enabled == 0 {
			if err := m.stuck(); err != nil {
				return err
			}
			break
		}
		p := choose.choose(&s)
		if p < 0 {
			if m.stopped != 0 {
				return m.stuck()
			}
			return errAbandoned
		}
		if s.depth >= maxSteps {
			return fmt.Errorf("no end after %d steps: the threads keep each other from ending", maxSteps)
		}
		w := m.threads[p%memory.MaxThreads]
		stores := w.thread.Pending()
		if err := m.step(&s, p); err != nil {
			return err
		}
		choose.did(&s, p)
		if !isBuffer(p) {
			choose.buffered(p, w.thread.Pending()-stores)
		}
		s.depth++
		if !isBuffer(p) {
			s.current = p
		}
	}
	if m.run.after != nil && m.stopped == 0 {
		return m.finish()
	}
	return nil
}

// stop stops thread p for good.
func (m *machine) stop(p int) {
	m.stopped = m.stopped.with(p)
	m.path = append(m.path, stopped|uint8(p))
}

// stopped marks in a path that a thread was stopped.
const stopped = 0x80

// look notes in s which processes can make a step, and the next step of each.
func (m *machine) look(s *situation) {
	s.enabled, s.next = 0, [processes]action{}
	changes := 0
	for _, w := range m.threads {
		changes += w.thread.Changes
	}
	for i, w := range m.threads {
		// The buffer of a stopped thread is not flushed: buffering a store is no step, so this
		// covers a thread that stops before its relaxed stores.
		if l := w.thread.Buffered(); l != nil && !m.stopped.has(i) {
			b := i + memory.MaxThreads
			s.next[b] = action{kind: memory.Flush, at: l.ID}
			s.enabled = s.enabled.with(b)
		}
		if !w.running {
			continue
		}
		s.next[i] = action{kind: w.pending.Kind}
		if w.pending.At != nil {
			s.next[i].at = w.pending.At.ID
			if w.pending.Also != nil {
				s.next[i].also = w.pending.Also.ID
			}
		}
		if !m.stopped.has(i) && m.can(i, w, changes) {
			s.enabled = s.enabled.with(i)
		}
	}
}

// can reports whether thread i can make its next step. changes is the number of changes that all
// threads have made.
func (m *machine) can(i int, w *worker, changes int) bool {
	switch {
	case w.pending.Kind.Fences() && w.thread.Pending() > 0:
		return false
	case w.pending.Kind == memory.Spin:
		return changes-w.thread.Changes > m.seen[i]
	case w.pending.Kind == memory.Acquire:
		return w.pending.Open()
	}
	return true
}

// step lets process p make its step.
func (m *machine) step(s *situation, p int) error {
	m.steps++
	m.path = append(m.path, uint8(p))
	w := m.threads[p%memory.MaxThreads]
	if isBuffer(p) {
		at := w.thread.Buffered()
		w.thread.Flush()
		m.trace.add(w.thread.Name+"'s buffer", memory.Access{Kind: memory.Flush, At: at}, w.thread.Result)
		return nil
	}
	a := w.pending
	if a.Kind == memory.Spin {
		m.seen[p] = 0
		for i, other := range m.threads {
			if i != p {
				m.seen[p] += other.thread.Changes
			}
		}
	}
	w.thread.Result = ""
	w.resume()
	m.trace.add(w.thread.Name, a, w.thread.Result)
	if w.outcome != nil {
		return fmt.Errorf("%s: %w", w.thread.Name, w.outcome)
	}
	return nil
}

// stuck is called when no thread can go on. It returns an error that names the waiting threads and
// what each waits for, or nil if none waits.
func (m *machine) stuck() error {
	var waiting []string
	for i, w := range m.threads {
		if !w.running || m.stopped.has(i) {
			continue
		}
		what := "waits, in a loop, for a step that no thread will make"
		if w.pending.Kind == memory.Acquire {
			what = fmt.Sprintf("waits for %v, which no thread will give it", w.pending.At)
		}
		if at := w.pending.Where(); at != "" {
			what += ", at " + at
		}
		waiting = append(waiting, w.thread.Name+" "+what)
	}
	switch {
	case waiting == nil:
		return nil
	case m.stopped != 0:
		return fmt.Errorf("held up by %s, which was stopped: %s", m.threads[m.stopped.first()].thread.Name, strings.Join(waiting, "; "))
	}
	return errors.New("deadlock: " + strings.Join(waiting, "; "))
}

// finish runs the function that the body declared with [Run.After].
func (m *machine) finish() error {
	if err := protect(m.run.after); err != nil {
		return fmt.Errorf("at the end: %w", err)
	}
	return nil
}
