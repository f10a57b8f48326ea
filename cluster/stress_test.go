package cluster

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/cluster/internal/engine"
	"github.com/freerun-go/freerun/cluster/internal/layout"
)

// fickle is a store in memory, whose writes and reads come late, in their order, and fail.
type fickle struct {
	mu      sync.Mutex
	entries map[string][]byte
	work    chan func()
	ended   chan struct{}
	fails   atomic.Int64 // of 1000 writes
	failed  atomic.Int64
	made    atomic.Int64 // writes, with those that have failed
	crashed bool         // nothing is stored or told any more
	isSplit bool         // a part of a write is made
	flaw    flaw
}

// flaw is what is wrong with a store: the controls.
type flaw int

const (
	sound     flaw = iota
	forgets        // says that a write is done that it has not made
	halves         // makes the last part of a write alone
	resurrect      // makes a write of which it says that it has failed
	keeps          // does not remove what is to be removed
	splits         // makes the parts of a write one after another
)

func newFickle(entries map[string][]byte, is flaw) *fickle {
	f := &fickle{flaw: is, entries: entries, work: make(chan func(), 1<<16), ended: make(chan struct{})}
	go func() {
		defer close(f.ended)
		for fn := range f.work {
			if rand.IntN(4) == 0 {
				time.Sleep(time.Duration(rand.IntN(50)) * time.Microsecond)
			}
			fn()
		}
	}()
	return f
}

func (f *fickle) open(n *Node) error {
	n.engine = f
	return nil
}

func (f *fickle) Put(writes []engine.Write, done func(error)) {
	f.work <- func() {
		f.made.Add(1)
		f.mu.Lock()
		if f.crashed {
			f.mu.Unlock()
			return
		}
		err := error(nil)
		if rand.Int64N(1000) < f.fails.Load() {
			f.failed.Add(1)
			err = fmt.Errorf("%w: it is a test", engine.ErrNoSpace)
		}
		if err == nil && !(f.flaw == forgets && rand.IntN(3) == 0) || f.flaw == resurrect {
			if f.flaw == splits && len(writes) > 1 {
				f.apply(writes[:1])
				f.isSplit = true
				f.mu.Unlock()
				time.Sleep(time.Duration(rand.IntN(200)) * time.Microsecond)
				f.mu.Lock()
				f.isSplit = false
				if f.crashed {
					f.mu.Unlock()
					return
				}
			}
			f.apply(writes)
		}
		f.mu.Unlock()
		done(err)
	}
}

func (f *fickle) apply(writes []engine.Write) {
	for i, w := range writes {
		switch {
		case f.flaw == halves && i < len(writes)-1:
		case w.Value != nil:
			f.entries[string(w.Key)] = w.Value
		case f.flaw != keeps:
			delete(f.entries, string(w.Key))
		}
	}
}

// crash ends the store in the middle of everything, and returns what it has. A store that splits
// writes crashes within one, if one comes.
func (f *fickle) crash() map[string][]byte {
	f.mu.Lock()
	defer f.mu.Unlock()
	for tries := 0; f.flaw == splits && !f.isSplit && tries < 1000; tries++ {
		f.mu.Unlock()
		time.Sleep(10 * time.Microsecond)
		f.mu.Lock()
	}
	f.crashed = true
	return maps.Clone(f.entries)
}

func (f *fickle) Get(key []byte, done func([]byte, error)) {
	get := func() {
		f.mu.Lock()
		v := f.entries[string(key)]
		f.mu.Unlock()
		done(v, nil)
	}
	if rand.IntN(2) == 0 {
		get()
		return
	}
	go func() {
		time.Sleep(time.Duration(rand.IntN(50)) * time.Microsecond)
		get()
	}()
}

func (f *fickle) Scan(prefix, after []byte, each func(key, value []byte) error) error {
	f.mu.Lock()
	entries := maps.Clone(f.entries)
	f.mu.Unlock()
	for _, k := range slices.Sorted(maps.Keys(entries)) {
		if bytes.HasPrefix([]byte(k), prefix) && (after == nil || k > string(after)) {
			if err := each([]byte(k), entries[k]); err != nil {
				return err
			}
		}
	}
	return nil
}

func (f *fickle) Close() error {
	close(f.work)
	<-f.ended
	return nil
}

// book is the state of the units of the stress test: what has run, in its order.
type book struct {
	Ran, Told []int
	Late      []int // what its timers have told
	Answered  []int
}

type step struct {
	ID, Tells int // Tells is the number of a book, or -1
	Asks      bool
	Late      bool // a timer tells it
	Panics    int  // how many runs panic
	Exits     bool
}

var (
	tried sync.Map // ID → *atomic.Int64: runs

	books = freerun.NewKind("book", func(*freerun.Context, int) (book, error) { return book{}, nil }, Durable())
	note  = freerun.Op("note", func(c *freerun.Context, b *book, s step) (int, error) {
		b.Ran = append(b.Ran, s.ID)
		err := error(nil)
		switch {
		case s.Tells >= 0 && s.Asks:
			err = Ask(c, hear, books.At(c, s.Tells), s.ID, hearAnswer)
		case s.Tells >= 0:
			err = hear.Tell(c, books.At(c, s.Tells), s.ID)
		}
		if err == nil && s.Late {
			err = TellAfter(c, time.Duration(s.ID%5)*time.Millisecond, fmt.Sprint(s.ID), hearLate, s.ID)
		}
		if err != nil {
			return 0, err
		}
		n, _ := tried.LoadOrStore(s.ID, new(atomic.Int64))
		if n.(*atomic.Int64).Add(1) <= int64(s.Panics) {
			panic(fmt.Sprint("step ", s.ID))
		}
		if s.Exits {
			runtime.Goexit()
		}
		if s.ID%7 == 0 {
			return 0, errOdd // which undoes nothing
		}
		return len(b.Ran), nil
	})
	hear = freerun.Op("hear", func(_ *freerun.Context, b *book, id int) (int, error) {
		b.Told = append(b.Told, id)
		return 0, nil
	})
	hearLate = freerun.Op("hearLate", func(_ *freerun.Context, b *book, id int) (int, error) {
		b.Late = append(b.Late, id)
		return 0, nil
	})
	hearAnswer = freerun.Op("hearAnswer", func(_ *freerun.Context, b *book, a Answer[int, int]) (int, error) {
		b.Answered = append(b.Answered, a.Arg)
		return 0, a.Err // it is a lost message then, and nothing else
	})
	look = freerun.ReadOp("look", func(_ *freerun.Context, b *book, _ struct{}) (book, error) {
		return book{slices.Clone(b.Ran), slices.Clone(b.Told), slices.Clone(b.Late), slices.Clone(b.Answered)}, nil
	})
	errOdd = errors.New("odd")
)

// TestStress has units run, tell, panic, end goroutines, become passive and be collected while
// writes fail and the process ends: what was acknowledged is there, once, in its order, and what
// failed is not; what was told came if and only if what told it is there.
func TestStress(t *testing.T) {
	for _, fails := range []int64{0, 20, 300} {
		for _, crashes := range []bool{false, true} {
			t.Run(fmt.Sprintf("%d, crash %v", fails, crashes), func(t *testing.T) {
				for _, problem := range stress(t, fails, crashes, sound) {
					t.Error(problem)
				}
			})
		}
	}
}

// TestStressControls holds that the test above finds stores that break their promises.
func TestStressControls(t *testing.T) {
	for is, fails := range map[flaw]int64{forgets: 0, halves: 0, resurrect: 300, keeps: 0} {
		found := 0
		for range 20 {
			if found = len(stress(t, fails, true, is)); found > 0 {
				break
			}
		}
		if found == 0 {
			t.Errorf("flaw %d is not found", is)
		}
	}
}

const senders, units, steps = 4, 6, 2000

// sent is a step that was sent to a unit, and its outcome.
type sent struct {
	unit    int
	step    step
	outcome freerun.Future[int]
	// again is the outcome of the same step, of the same identity; nil for most.
	again *freerun.Future[int]
}

func stress(t *testing.T, fails int64, crashes bool, is flaw) (problems []string) {
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	f := newFickle(map[string][]byte{}, is)
	f.fails.Store(fails)
	rt, n := joined(t, f)
	tried.Clear()
	all, crashed := sendSteps(rt, f, crashes)
	there, failed := map[int]bool{}, map[int]bool{}
	for _, s := range all {
		v, err := s.outcome.Wait(ctx)
		if s.again != nil {
			switch v2, err2 := s.again.Wait(ctx); {
			case err2 != nil && err2.Error() != errOdd.Error(): // it has had no effect
			case err == nil && (v != v2 || err2 != nil), err != nil && err.Error() == errOdd.Error() && err2 == nil:
				problems = append(problems, fmt.Sprintf("step %+v: %d, %v, and again %d, %v", s.step, v, err, v2, err2))
			case err != nil: // the second one has run
				err = err2
			}
			if err != nil && err.Error() == errOdd.Error() {
				err = nil
			}
		}
		var p *freerun.PanicError
		switch {
		case err == nil, errors.Is(err, errOdd):
			there[s.step.ID] = true
		case errors.Is(err, ErrNoSpace), errors.Is(err, freerun.ErrGoexit) && s.step.Exits,
			errors.As(err, &p) && s.step.Panics >= 3:
			failed[s.step.ID] = true
		case crashes && errors.Is(err, freerun.ErrClosed): // it has had its effect, or none
		default:
			problems = append(problems, fmt.Sprintf("step %+v: %v", s.step, err))
		}
	}
	t.Log(len(there), "steps done,", len(failed), "failed;", f.failed.Load(), "writes failed")
	if crashes {
		_ = n.Close()
		f = newFickle(crashed, is)
		rt, n = joined(t, f)
	}
	f.fails.Store(0)
	if is == sound {
		awaitDeliveries(ctx, t, f)
	}
	if err := rt.Quiesce(ctx); err != nil {
		t.Fatal(err)
	}
	if is == sound {
		problems = append(problems, miscounted(n, f)...)
	}
	for range 2 {
		problems = append(problems, check(ctx, t, rt, all, there, failed)...)
		for u := range units {
			if _, err := books.Stop(rt.Context(), u).Wait(ctx); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := rt.Shutdown(ctx); err != nil {
		t.Error(err)
	}
	if err := n.Close(); err != nil {
		t.Error(err)
	}
	return problems
}

func joined(t *testing.T, f Store) (*freerun.Runtime, *Node) {
	rt := freerun.New(freerun.Logger(slog.New(slog.DiscardHandler)))
	n, err := Join(rt, f)
	if err != nil {
		t.Fatal(err)
	}
	return rt, n
}

// sendSteps sends the steps, and crashes the store in the middle if it is asked to.
func sendSteps(rt *freerun.Runtime, f *fickle, crashes bool) (all []sent, crashed map[string][]byte) {
	var each [senders][]sent
	var wg sync.WaitGroup
	for s := range senders {
		wg.Go(func() {
			for i := range steps {
				each[s] = append(each[s], sendStep(rt.Context(), s*steps+i))
			}
		})
	}
	if crashes {
		at := 50 + rand.Int64N(400)
		for end := time.Now().Add(5 * time.Second); f.made.Load() < at && time.Now().Before(end); {
			time.Sleep(time.Millisecond)
		}
		crashed = f.crash()
		rt.Close()
	}
	wg.Wait()
	return slices.Concat(each[:]...), crashed
}

func sendStep(c *freerun.Context, id int) sent {
	x := step{ID: id, Tells: -1}
	switch rand.IntN(20) {
	case 0:
		x.Panics = rand.IntN(4)
	case 1:
		x.Exits = rand.IntN(4) == 0
	case 2, 3, 4, 5:
		x.Tells = rand.IntN(units)
	}
	switch rand.IntN(20) {
	case 0, 1:
		x.Late = true
	case 2, 3, 4, 5, 6, 7, 8, 9:
		x.Asks = true
	}
	u := rand.IntN(units)
	s := sent{unit: u, step: x}
	if rand.IntN(10) == 0 {
		once := Once(c, fmt.Sprint(id))
		again := freerun.Future[int]{}
		s.outcome, again = note.Send(once, books.At(c, u), x), note.Send(once, books.At(c, u), x)
		s.again = &again
	} else {
		s.outcome = note.Send(c, books.At(c, u), x)
	}
	switch rand.IntN(100) {
	case 0, 1:
		books.Stop(c, rand.IntN(units))
	case 2:
		runtime.GC()
	case 3, 4, 5, 6:
		look.Send(c, books.At(c, u), struct{}{})
	}
	if rand.IntN(50) == 0 {
		time.Sleep(time.Millisecond)
	}
	return s
}

// awaitDeliveries waits until all that was told has come: what is delivered again after a pause
// counts nowhere meanwhile.
func awaitDeliveries(ctx context.Context, t *testing.T, f *fickle) {
	for {
		left := 0
		for _, sort := range []string{layout.Sent, layout.Wake} {
			_ = f.Scan([]byte(sort), nil, func(key, value []byte) error { left++; return nil })
		}
		if left == 0 {
			return
		}
		if time.Sleep(time.Millisecond); ctx.Err() != nil {
			t.Fatalf("%d deliveries are left", left)
		}
	}
}

// check compares what the units have with the outcomes.
func check(ctx context.Context, t *testing.T, rt *freerun.Runtime, all []sent, there, failed map[int]bool) (problems []string) {
	report := func(format string, args ...any) { problems = append(problems, fmt.Sprintf(format, args...)) }
	told, got, late, answered := map[int]int{}, map[int]bool{}, map[int]int{}, map[int]int{}
	ran := map[int][2]int{} // ID → the unit that has run it, and when
	var heard [][]int       // of each unit
	for u := range units {
		b, err := look.Send(rt.Context(), books.At(rt.Context(), u), struct{}{}).Wait(ctx)
		if err != nil {
			t.Fatal(err)
		}
		last := [senders]int{}
		for _, id := range b.Ran {
			if got[id] {
				report("step %d has run twice", id)
			}
			got[id] = true
			ran[id] = [2]int{u, len(ran)}
			if failed[id] {
				report("step %d has failed, and is there", id)
			}
			if id < last[id/steps] {
				report("unit %d: step %d comes after step %d", u, id, last[id/steps])
			}
			last[id/steps] = id
		}
		for _, id := range b.Told {
			told[id]++
		}
		for _, id := range b.Late {
			late[id]++
		}
		for _, id := range b.Answered {
			answered[id]++
		}
		heard = append(heard, b.Told)
	}
	for u, ids := range heard {
		last := [units]int{}
		for _, id := range ids {
			from, when := ran[id][0], ran[id][1]
			if when < last[from] {
				report("unit %d has heard step %d of unit %d too late", u, id, from)
			}
			last[from] = when
		}
	}
	for _, s := range all {
		id, want := s.step.ID, 0
		if there[id] && !got[id] {
			report("step %d was acknowledged, and is not there", id)
		}
		if got[id] && s.step.Tells >= 0 {
			want = 1
		}
		if told[id] != want {
			report("step %d was told %d times, want %d", id, told[id], want)
		}
		if !s.step.Asks {
			want = 0
		}
		if answered[id] != want {
			report("step %d was answered %d times, want %d", id, answered[id], want)
		}
		if want = 0; got[id] && s.step.Late {
			want = 1
		}
		if late[id] != want {
			report("step %d was told by a timer %d times, want %d", id, late[id], want)
		}
	}
	return problems
}
