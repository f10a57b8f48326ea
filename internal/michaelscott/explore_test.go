//go:build explore

package michaelscott

import (
	"fmt"
	"testing"

	"github.com/freerun-go/freerun/internal/sync/atomics"
	"github.com/freerun-go/freerun/internal/verify/explore"
	"github.com/freerun-go/freerun/internal/verify/linear"
)

// player is a queue of numbers as scenarios use it. The number of the thread comes with each
// call.
type player interface {
	enqueue(thread, v int)
	dequeue(thread int) (int, bool)
	stock() error // what is wrong with the nodes, once all threads have ended
}

// scenario is how many items are in the queue at first, and what each thread does: e enqueues, d
// dequeues.
type scenario struct {
	before  int
	threads []string
}

func (s scenario) String() string { return fmt.Sprint(s.before, s.threads) }

// play declares the threads, and holds what they saw, and what is left, against the model of a
// queue.
func (s scenario) play(r *explore.Run, p player) {
	const setUp = 3 // as a thread; none of the threads has this number
	recorder := linear.NewRecorder(setUp + 1)
	enqueue := func(thread, v int) {
		recorder.Client(thread).Enqueue(v, func(v int) bool { p.enqueue(thread, v); return true })
	}
	dequeue := func(thread int) bool {
		_, ok := recorder.Client(thread).Dequeue(func() (int, bool) { return p.dequeue(thread) })
		return ok
	}
	for i := range s.before {
		enqueue(setUp, i+1)
	}
	for thread, calls := range s.threads {
		r.Go(fmt.Sprint(calls, " ", thread), func() {
			for i, call := range calls {
				if call == 'e' {
					enqueue(thread, 10*(thread+1)+i)
				} else {
					dequeue(thread)
				}
			}
			recorder.Client(thread).Done()
		})
	}
	r.After(func() {
		for left := 0; dequeue(setUp); left++ {
			if left > 20 {
				r.Failf("the queue does not come to an end")
			}
		}
		if err := linear.Check(linear.FIFO(linear.Unbounded, linear.Strict), recorder.History()); err != nil {
			r.Failf("%v", err)
		}
		if err := p.stock(); err != nil {
			r.Failf("%v", err)
		}
	})
}

// token is an item with a number.
type token struct {
	Item
	number atomics.Plain[int]
}

// tokens plays scenarios with an IntrusiveMPMC. A thread enqueues the tokens that it has
// dequeued, the latest first, and makes new ones when it has none: so nodes are used again at once.
type tokens struct {
	q     IntrusiveMPMC[*token]
	have  [4][]*token
	all   []*token
	flaws *flaws // for controls: what is done instead of the queue's own methods
}

func newTokens() *tokens {
	itemNodes = new(domain[any])
	return &tokens{}
}

// warmTokens are tokens for which the list has started and all records are there, which saves
// steps.
func warmTokens() *tokens {
	p := newTokens()
	itemNodes.Reserve(3)
	p.q.list.start(nil)
	return p
}

func (p *tokens) enqueue(thread, v int) {
	var e *token
	if have := p.have[thread]; len(have) > 0 {
		e, p.have[thread] = have[len(have)-1], have[:len(have)-1]
	} else {
		e = new(token)
		p.all = append(p.all, e)
	}
	e.number.Set(v)
	if p.flaws != nil {
		p.flaws.enqueue(&p.q, e)
	} else {
		p.q.Enqueue(e)
	}
}

func (p *tokens) dequeue(thread int) (int, bool) {
	var e *token
	var ok bool
	if p.flaws != nil {
		e, ok = p.flaws.dequeue(&p.q)
	} else {
		e, ok = p.q.TryDequeue()
	}
	if !ok {
		return 0, false
	}
	p.have[thread] = append(p.have[thread], e)
	return e.number.Get(), true
}

// stock counts the nodes, when the queue is empty.
func (p *tokens) stock() error {
	var s stock[any]
	s.add("the sentinel", p.q.list.head.Load())
	for _, e := range p.all {
		s.add("a token", e.node.Get())
	}
	s.addRecords(itemNodes)
	return s.check(len(p.all)+1+2*itemNodes.Records(), p.q.list.tail.Load() == p.q.list.head.Load())
}

// numbers plays scenarios with an UnboundedMPMC.
type numbers struct{ q UnboundedMPMC[int] }

// newNumbers returns a queue that has nodes to use again, and acquires at most so many at once.
func newNumbers(most int) *numbers {
	batch = most
	p := new(numbers)
	p.q.nodes.Reserve(3)
	for range 3 * most {
		p.q.Enqueue(0)
		p.q.TryDequeue()
	}
	return p
}

func (p *numbers) enqueue(_, v int)          { p.q.Enqueue(v) }
func (p *numbers) dequeue(_ int) (int, bool) { return p.q.TryDequeue() }

func (p *numbers) stock() error {
	s, most := stockOf(&p.q, 8)
	return s.check(most, true)
}

// small are scenarios of which all interleavings can be explored, medium those of which some
// with few preemptions can.
var (
	small = []scenario{
		{0, []string{"e", "d"}},
		{1, []string{"e", "e"}},
		{1, []string{"d", "d"}},
		{1, []string{"de", "d"}},
		{2, []string{"d", "ded"}},
		{1, []string{"de", "ed"}},
		{2, []string{"de", "de"}},
	}
	medium = []scenario{
		{1, []string{"ded", "dede"}},
		{0, []string{"e", "ed", "de"}},
		{1, []string{"d", "de", "de"}},
		{2, []string{"de", "de", "de"}},
	}
	large = scenario{2, []string{"dede", "eded", "ddee"}}
)

// explored plays all scenarios.
func explored[P player](t *testing.T, fresh func() P) {
	all := func(name string, preemptions int, scenarios ...scenario) {
		for _, s := range scenarios {
			t.Run(name+" "+s.String(), func(t *testing.T) {
				explore.Exhaustive(t, preemptions, func(r *explore.Run) { s.play(r, fresh()) })
			})
		}
	}
	all("small", explore.Unbounded, small...)
	all("medium", 2, medium...)
	t.Run("random", func(t *testing.T) { explore.Random(t, 3000, func(r *explore.Run) { large.play(r, fresh()) }) })
	t.Run("frozen", func(t *testing.T) { explore.Freeze(t, func(r *explore.Run) { large.play(r, fresh()) }) })
}

func TestExploreIntrusiveMPMC(t *testing.T) { explored(t, newTokens) }
func TestExploreUnboundedMPMC(t *testing.T) {
	for most := 1; most <= 2; most++ {
		t.Run(fmt.Sprint("batches of ", most), func(t *testing.T) {
			explored(t, func() *numbers { return newNumbers(most) })
		})
	}
}

// TestExploreUnboundedMPMCClaim lets one thread claim nodes while another uses the same ones again.
// It does so again with a claim that does not look whether the first node is still the first.
func TestExploreUnboundedMPMCClaim(t *testing.T) {
	while := func(claim func(*UnboundedMPMC[int], *record[int]) (*node[int], int)) func(*explore.Run) {
		return func(r *explore.Run) {
			p := newNumbers(1)
			r.Go("user", func() {
				for _, call := range "eede" {
					if call == 'e' {
						p.q.Enqueue(0)
					} else {
						p.q.TryDequeue()
					}
				}
			})
			r.Go("claimer", func() {
				own := p.q.nodes.Enter()
				if f, count := claim(&p.q, own); count > 0 {
					p.q.screen(own, f, count)
				}
				p.q.nodes.Leave(own)
			})
			r.After(func() {
				if err := p.stock(); err != nil {
					r.Failf("%v", err)
				}
			})
		}
	}
	t.Run("as it is", func(t *testing.T) { explore.Exhaustive(t, 3, while((*UnboundedMPMC[int]).claim)) })
	t.Run("not looked at again", func(t *testing.T) { explore.MustFail(t, 3, while(hastyClaim)) })
}

// TestExploreMichaelScottFlaws seeds mistakes into the steps of the list, each of which must be
// found; without a mistake nothing may be found.
func TestExploreMichaelScottFlaws(t *testing.T) {
	with := func(f flaws, s scenario) func(*explore.Run) {
		return func(r *explore.Run) {
			p := warmTokens()
			p.flaws = &f
			s.play(r, p)
		}
	}
	for _, c := range []struct {
		name        string
		flaws       flaws
		preemptions int
		scenario    scenario
	}{
		{"head not looked at again", flaws{uncheckedHead: true}, 2, scenario{2, []string{"d", "de"}}},
		{"tail not looked at again", flaws{uncheckedTail: true}, 2, scenario{1, []string{"e", "dede"}}},
		{"hazard word not visible in time", flaws{unfenced: true}, explore.Unbounded, scenario{2, []string{"d", "de"}}},
		{"value taken without a hazard word", flaws{unnamed: true}, 1, scenario{2, []string{"d", "dede"}}},
		{"nodes used again without a search", flaws{unsearched: true}, 1, scenario{2, []string{"d", "dede"}}},
		{"hazard word dropped before tail is pushed", flaws{dropsWord: true}, 2, scenario{0, []string{"e", "dedede"}}},
		{"dequeue without helping, and the word dropped", flaws{dropsWord: true, helplessTake: true}, 1, scenario{0, []string{"e", "dede"}}},
		{"dequeue without helping", flaws{helplessTake: true}, 3, scenario{0, []string{"e", "ee", "de"}}},
	} {
		t.Run(c.name, func(t *testing.T) { explore.MustFail(t, c.preemptions, with(c.flaws, c.scenario)) })
		t.Run("without: "+c.scenario.String(), func(t *testing.T) { explore.Exhaustive(t, 2, with(flaws{}, c.scenario)) })
	}
	t.Run("enqueue without helping", func(t *testing.T) {
		explore.MustBlock(t, with(flaws{helplessLink: true}, scenario{0, []string{"e", "e"}}))
	})
}
