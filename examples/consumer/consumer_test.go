package main

import (
	"context"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/freeruntest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var small = work{customers: 3, each: 8, again: time.Second}

// fake is a queue in memory, which delivers again as JetStream does.
type fake struct {
	now   func() time.Time
	sleep func(time.Duration)

	mu       sync.Mutex
	messages []*delivery
	last     int    // after how many deliveries this life ends
	end      func() // ends it
}

type delivery struct {
	*fake
	data []byte
	due  time.Time // when it is delivered
	done bool
}

var errEnd = errors.New("the queue ends")

func newFake(now func() time.Time, sleep func(time.Duration), events []event) *fake {
	q := &fake{now: now, sleep: sleep, end: func() {}}
	for _, e := range events {
		text, _ := json.Marshal(e)
		q.messages = append(q.messages, &delivery{fake: q, data: text, due: now()})
	}
	return q
}

// next returns the message that is due first, and ends when all are acknowledged, or the life is.
func (q *fake) next() (message, error) {
	for {
		m, wait := q.first()
		if m == nil || q.last == 0 {
			q.end()
			return nil, errEnd
		}
		if wait <= 0 {
			q.last--
			m.comesAgain(small.again)
			return m, nil
		}
		q.sleep(wait)
	}
}

func (q *fake) first() (m *delivery, wait time.Duration) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, other := range q.messages {
		if d := other.due.Sub(q.now()); !other.done && (m == nil || d < wait) {
			m, wait = other, d
		}
	}
	return m, wait
}

func (d *delivery) comesAgain(after time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.due = d.now().Add(after)
}

func (d *delivery) Data() []byte { return d.data }

func (d *delivery) NakWithDelay(after time.Duration) error {
	d.comesAgain(after)
	return nil
}

func (d *delivery) Ack() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.done = true
	return nil
}

func (d *delivery) Term() error { return d.Ack() }

// variant is a consumer that is right or wrong.
type variant struct {
	do   func(*ledger) func(context.Context, job) error
	pool func(pool) pool
}

var right = variant{doIn, func(p pool) pool { return p }}

// units consumes all events with freerun, in several lives, and returns the ledger.
func (v variant) units(t testing.TB, rt *freerun.Runtime, lives int, fails func() bool) *ledger {
	l := newLedger()
	l.fails = func(event) bool { return fails() }
	q := newFake(rt.Now, func(d time.Duration) { freerun.After(rt.Context(), d).Wait(t.Context()) }, small.events())
	for life := range lives {
		q.last = -1
		if life < lives-1 {
			q.last = freeruntest.Random(rt).IntN(20)
		}
		s := rt.Scope(t.Context())
		q.end = func() {
			if q.last == 0 {
				s.Cancel(nil)
			}
		}
		p := newKeyed(rt, v.do(l))
		if consume(s.Context(), q.next, v.pool(p)); q.last != 0 && p.Wait(t.Context()) != nil {
			t.Error(p.Wait(t.Context()))
		}
	}
	return l
}

// explored tells under how many of 500 schedules a variant is wrong: with failures, and the ends of
// two lives; and how many events came early under those in which nothing fails.
func (v variant) explored(t *testing.T) (wrong, early int) {
	freeruntest.Explore(t, func(rt *freerun.Runtime) {
		random := freeruntest.Random(rt)
		l := v.units(t, rt, 3, func() bool { return random.IntN(10) == 0 })
		if disorder(l.journal, small.customers, small.each) != nil {
			wrong++
		}
	})
	freeruntest.Explore(t, func(rt *freerun.Runtime) {
		early += v.units(t, rt, 1, func() bool { return false }).early
	})
	return wrong, early
}

// TestUnits holds that each event has its effect once and in order, over failures and ends, and
// that the pool keeps the order: while nothing fails, no event comes early.
func TestUnits(t *testing.T) {
	if wrong, early := right.explored(t); wrong > 0 || early > 0 {
		t.Errorf("it is wrong under %d schedules, and %d events came early", wrong, early)
	}
}

// trusting is a ledger without the condition: it takes what comes in the order in which it comes.
func trusting(l *ledger) func(context.Context, job) error {
	return func(_ context.Context, j job) error {
		l.mu.Lock()
		defer l.mu.Unlock()
		if l.fails(j.event) {
			return j.NakWithDelay(pause)
		}
		l.journal = append(l.journal, j.event)
		return j.Ack()
	}
}

// hasty acknowledges before the effect.
func hasty(l *ledger) func(context.Context, job) error {
	return func(ctx context.Context, j job) error {
		err := j.Ack()
		l.add(ctx, j.event)
		return err
	}
}

// loose is a pool that keeps no order: each job has a key of its own.
type loose struct {
	pool
	jobs int
}

func (p *loose) Submit(ctx context.Context, _ string, j job) error {
	p.jobs++
	return p.pool.Submit(ctx, strconv.Itoa(p.jobs), j)
}

// TestControls holds that each wrong consumer is found.
func TestControls(t *testing.T) {
	if wrong, _ := (variant{trusting, right.pool}).explored(t); wrong == 0 {
		t.Error("a ledger that takes all that comes is not found")
	}
	if wrong, _ := (variant{hasty, right.pool}).explored(t); wrong == 0 {
		t.Error("an acknowledgement before the effect is not found")
	}
	without := func(p pool) pool { return &loose{pool: p} }
	if wrong, early := (variant{doIn, without}).explored(t); early == 0 || wrong > 0 {
		t.Errorf("a pool without order has %d events early; the ledger is wrong under %d schedules", early, wrong)
	}
	if wrong, _ := (variant{trusting, without}).explored(t); wrong == 0 {
		t.Error("a pool without order, and a ledger that takes all that comes, are not found")
	}
}

// TestTwin is the test of the twin, in a bubble of Go's virtual time.
func TestTwin(t *testing.T) {
	for seed := range uint64(100) {
		for _, lives := range []int{1, 3} {
			synctest.Test(t, func(t *testing.T) {
				l, random := newLedger(), rand.New(rand.NewPCG(seed, 0))
				l.fails = func(event) bool { return lives > 1 && random.IntN(10) == 0 }
				l.wait = func(event) time.Duration { return pause / 20 }
				q := newFake(time.Now, time.Sleep, small.events())
				for life := range lives {
					ctx, end := context.WithCancel(t.Context())
					if q.last = -1; life < lives-1 {
						q.last, q.end = random.IntN(20), end
					}
					consume(ctx, q.next, newTwin(ctx, doIn(l)))
					end()
				}
				if e := disorder(l.journal, small.customers, small.each); e != nil || lives == 1 && l.early > 0 {
					t.Errorf("seed %d, %d lives: %+v, %d events came early", seed, lives, e, l.early)
				}
			})
		}
	}
}

// TestCommand runs the command with NATS: its consumer ends in the middle, and another one goes on.
func TestCommand(t *testing.T) {
	if slices.Contains([]string{"js", "wasip1"}, runtime.GOOS) {
		t.Skip("no server on WebAssembly")
	}
	for _, twin := range []bool{false, true} {
		w := work{customers: 50, each: 40, slow: time.Millisecond, twin: twin, again: 200 * time.Millisecond}
		if err := w.run(t.Context()); err != nil {
			t.Error(err)
		}
	}
}
