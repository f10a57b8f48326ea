package clustertest

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/cluster"
)

// book is the state of the units of these tests: what has run, and what was told, in their order.
type book struct {
	Ran, Told []int
	Ink       float64 // cannot be encoded if it is NaN
}

// step is an operation on a book.
type step struct {
	ID    int
	Tells *target // another book that is told
	Fails bool    // it returns an error, which undoes nothing
	trouble
}

type target struct {
	Of  int // kind
	Key int
	trouble
}

// trouble is what an operation does beside its work.
type trouble struct {
	Panics int  // so many runs in a process panic
	Exits  bool // it calls runtime.Goexit
	Ends   bool // it ends the process
	Spoils bool // it leaves a state that cannot be encoded
	Waits  bool // its result is an open future
}

// heard is what a book is told.
type heard struct {
	ID int
	trouble
}

var (
	tried sync.Map // attempt → *atomic.Int64

	books = [...]*freerun.Kind[int, book]{
		freerun.NewKind("book", newBook, cluster.Durable()),
		freerun.NewKind("diary", newBook, cluster.Durable(), freerun.PassivateAfter(20*time.Millisecond)),
		freerun.NewKind("letter", newBook, cluster.Durable(), freerun.MaxActive(1)),
	}
	note = freerun.Op("note", func(c *freerun.Context, b *book, s step) (int, error) {
		b.Ran = append(b.Ran, s.ID)
		if s.Tells != nil {
			if err := hear.Tell(c, books[s.Tells.Of].At(c, s.Tells.Key), heard{s.ID, s.Tells.trouble}); err != nil {
				return 0, err
			}
		}
		if s.Fails {
			return 0, errOdd
		}
		return s.comes(c, b, "note", s.ID)
	})
	hear = freerun.Op("hear", func(c *freerun.Context, b *book, h heard) (int, error) {
		b.Told = append(b.Told, h.ID)
		return h.comes(c, b, "hear", h.ID)
	})
	look = freerun.ReadOp("look", func(_ *freerun.Context, b *book, _ struct{}) (book, error) {
		return book{Ran: slices.Clone(b.Ran), Told: slices.Clone(b.Told)}, nil
	})
	errOdd = errors.New("odd")
)

func newBook(*freerun.Context, int) (book, error) { return book{}, nil }

// attempt names the runs of an operation in a process.
type attempt struct {
	rt *freerun.Runtime
	op string
	id int
}

// comes makes the trouble, and returns what the operation returns.
func (t trouble) comes(c *freerun.Context, b *book, op string, id int) (int, error) {
	n, _ := tried.LoadOrStore(attempt{c.Runtime(), op, id}, new(atomic.Int64))
	if n.(*atomic.Int64).Add(1) <= int64(t.Panics) {
		panic(fmt.Sprint(op, " ", id))
	}
	if t.Ends {
		endProcess(c.Runtime())
	}
	if t.Exits || t.Ends {
		runtime.Goexit()
	}
	if t.Spoils {
		b.Ink = math.NaN()
	}
	if t.Waits {
		return freerun.Forward(c, freerun.Then(c, freerun.After(c, time.Hour), func(*freerun.Context, time.Time) (int, error) { return 0, nil }))
	}
	return len(b.Ran), nil
}

// endProcess ends the process of a simulated runtime, which may be one of several machines.
func endProcess(rt *freerun.Runtime) {
	if m, is := machinesAlive.Load(rt); is {
		m.(*machine).crash()
	} else {
		Crash(rt)
	}
}

const keys = 2 // of each kind

var idOf = regexp.MustCompile(`[0-9]+`)

// library is the program of these tests, and what it knows of its lives.
type library struct {
	s     *Sim
	ids   int
	sent  []sentStep
	reads []sentLook
	sum   map[string]int // of outcomes, for the log of a test
}

type sentStep struct {
	step    step
	of, key int
	outcome freerun.Future[int]
}

type sentLook struct {
	of, key int
	outcome freerun.Future[book]
}

// runBooks is the function of Run.
func runBooks(s *Sim) { (&library{s: s, sum: map[string]int{}}).run() }

func (l *library) run() {
	tried.Clear()
	s := l.s
	for rt := range s.Lives() {
		for range s.Count(40) {
			l.act(rt)
		}
		if s.Random().IntN(2) == 0 {
			_ = rt.Quiesce(s.Context())
		}
	}
	rt, node := s.Last()
	l.check(rt, node)
}

// act does something at random.
func (l *library) act(rt *freerun.Runtime) {
	random, c, ctx := l.s.Random(), rt.Context(), l.s.Context()
	of, key := random.IntN(len(books)), random.IntN(keys)
	switch random.IntN(12) {
	case 0:
		f := look.Send(c, books[of].At(c, key), struct{}{})
		l.reads = append(l.reads, sentLook{of, key, f})
		if random.IntN(2) == 0 {
			_, _ = f.Wait(ctx)
		}
	case 1:
		books[of].Stop(c, key)
	case 2:
		_, _ = freerun.After(c, time.Duration(1+random.Int64N(int64(40*time.Millisecond)))).Wait(ctx)
	default:
		l.ids++
		x := step{ID: l.ids, Fails: random.IntN(10) == 0, trouble: l.trouble()}
		if random.IntN(2) == 0 {
			x.Tells = &target{random.IntN(len(books)), random.IntN(keys), l.trouble()}
		}
		f := note.Send(c, books[of].At(c, key), x)
		l.sent = append(l.sent, sentStep{x, of, key, f})
		if random.IntN(4) == 0 {
			_, _ = f.Wait(ctx)
		}
	}
}

func (l *library) trouble() (t trouble) {
	switch l.s.Random().IntN(50) {
	case 0, 1, 2:
		t.Panics = 1 + l.s.Random().IntN(3)
	case 3:
		t.Exits = true
	case 4:
		t.Ends = l.s.Random().IntN(4) == 0
	case 5:
		t.Spoils = true
	case 6:
		t.Waits = true
	}
	return t
}

// check compares what the units have with the outcomes.
func (l *library) check(rt *freerun.Runtime, node *cluster.Node) {
	ran, heard := map[int][]int{}, map[int]int{} // ID → unit and place; how often it was told
	final := map[[2]int]book{}
	for of := range books {
		for key := range keys {
			b, err := look.Send(rt.Context(), books[of].At(rt.Context(), key), struct{}{}).Wait(l.s.Context())
			if err != nil {
				l.s.Fatalf("book %d of kind %d: %v", key, of, err)
			}
			final[[2]int{of, key}] = b
			last := 0
			for i, id := range b.Ran {
				if id <= last {
					l.s.Errorf("book %d of kind %d: step %d comes after step %d", key, of, id, last)
				}
				last = id
				ran[id] = []int{of, key, i}
			}
			for _, id := range b.Told {
				heard[id]++
			}
		}
	}
	l.checkTold(ran, final, heard, node)
	l.checkOutcomes(ran)
	l.checkReads(final)
}

// checkTold holds that what a step has told came once, or is a recorded failure, if and only if the
// step is there; and in the order of its sender.
func (l *library) checkTold(ran map[int][]int, final map[[2]int]book, heard map[int]int, node *cluster.Node) {
	for f, err := range node.Failures() {
		if err != nil {
			l.s.Fatalf("failures: %v", err)
		}
		id, _ := strconv.Atoi(idOf.FindString(string(f.Arg)))
		heard[id]++
		l.sum["recorded failures"]++
	}
	for _, x := range l.sent {
		want := 0
		if ran[x.step.ID] != nil && x.step.Tells != nil {
			want = 1
			l.sum["told"]++
		}
		if heard[x.step.ID] != want {
			l.s.Errorf("step %d was told %d times, want %d", x.step.ID, heard[x.step.ID], want)
		}
	}
	for _, b := range final {
		last := map[[2]int]int{}
		for _, id := range b.Told {
			if at := ran[id]; at != nil {
				if from := [2]int{at[0], at[1]}; at[2] < last[from] {
					l.s.Errorf("step %d was told too late", id)
				} else {
					last[from] = at[2]
				}
			}
		}
	}
}

// checkOutcomes holds that what was acknowledged is there, at the place that its outcome tells, and
// that what has failed is not.
func (l *library) checkOutcomes(ran map[int][]int) {
	for _, x := range l.sent {
		n, err := x.outcome.Wait(l.s.Context())
		at := ran[x.step.ID]
		var p *freerun.PanicError
		switch {
		case err == nil && (at == nil || at[2] != n-1):
			l.s.Errorf("step %d was acknowledged as number %d, and is at %v", x.step.ID, n, at)
		case errors.Is(err, errOdd) && at == nil:
			l.s.Errorf("step %d was acknowledged, and is not there", x.step.ID)
		case err == nil, errors.Is(err, errOdd):
			l.sum["acknowledged"]++
		case errors.Is(err, freerun.ErrClosed), errors.Is(err, cluster.ErrStopped), errors.Is(err, freerun.ErrGoexit) && x.step.Ends:
			l.sum["unknown"]++
			if strings.Contains(err.Error(), "had no effect") {
				l.s.Errorf("step %d: nobody knows whether that is so: %v", x.step.ID, err)
			}
		case errors.Is(err, cluster.ErrNoSpace), errors.Is(err, errRead), errors.Is(err, freerun.ErrGoexit) && x.step.Exits,
			errors.As(err, &p) && x.step.Panics == 3, errors.Is(err, cluster.ErrForwarded) && x.step.Waits,
			x.step.Spoils && strings.Contains(err.Error(), "NaN"):
			l.sum["failed"]++
			if at != nil {
				l.s.Errorf("step %d has failed with %v, and is there", x.step.ID, err)
			}
		default:
			l.s.Errorf("step %+v: %v", x.step, err)
		}
	}
}

// checkReads holds that no read has seen what was undone or lost later.
func (l *library) checkReads(final map[[2]int]book) {
	for _, x := range l.reads {
		seen, err := x.outcome.Wait(l.s.Context())
		if err != nil {
			continue
		}
		l.sum["reads"]++
		now := final[[2]int{x.of, x.key}]
		if !isPrefix(seen.Ran, now.Ran) || !isPrefix(seen.Told, now.Told) {
			l.s.Errorf("a read has seen %v of book %d of kind %d, which has %v now", seen, x.key, x.of, now)
		}
	}
}

// isPrefix reports whether b begins with a.
func isPrefix(a, b []int) bool { return len(a) <= len(b) && slices.Equal(a, b[:len(a)]) }

// TestBooks has units run, tell, panic, end goroutines and the process, become passive, stop and be
// collected while the disk and the process fail.
func TestBooks(t *testing.T) {
	sum, faults := map[string]int{}, map[string]int{}
	Run(t, Options{Seeds: ourSeeds}, func(s *Sim) {
		l := &library{s: s, sum: sum}
		l.run()
		for _, f := range s.faults {
			faults[kindNames[f.kind]]++
		}
		sum["runs"]++
		sum["lives"] += s.number
		sum["steps"] += s.steps
	})
	t.Log(sum, faults)
	if sum["runs"] < 100 { // a seed, or a number of schedules, is in the environment
		return
	}
	for k, name := range kindNames {
		if faults[name] == 0 {
			t.Errorf("no run has fault %d, %s", k, name)
		}
	}
	for _, what := range []string{"acknowledged", "failed", "unknown", "told", "reads", "recorded failures"} {
		if sum[what] == 0 {
			t.Errorf("no run has one of these: %s", what)
		}
	}
}

// TestBooksRepeat holds that a seed repeats its run, with all that the disk is given.
func TestBooksRepeat(t *testing.T) {
	x := newSearch(t, Options{}, runBooks)
	for seed := range uint64(ourSeeds / 10) {
		if !x.repeats(1000 + seed) {
			return
		}
	}
}
