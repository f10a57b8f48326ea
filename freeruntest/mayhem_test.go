package freeruntest_test

import (
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"os"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/activity"
	"github.com/freerun-go/freerun/freeruntest"
	"github.com/freerun-go/freerun/internal/simhost"
	"github.com/freerun-go/freerun/internal/verify/conformance"
	"github.com/freerun-go/freerun/internal/verify/replay"
)

// Everything at once: messages of all forms, from outside and from operations, to units with all
// options; scopes that are canceled, panics, blocking code, a changing number of processors, and an
// end that comes in three ways. In the end every message is accounted for: it ran once and came to
// what its operation returned, or it did not run and failed with a named error.

// mayhem is one runtime and what is sent to it.
type mayhem struct {
	t      *testing.T
	rt     *freerun.Runtime
	units  []*freerun.Unit[victim]
	scopes []atomic.Pointer[freerun.Scope]

	acts   bool         // there are activities among the messages
	left   atomic.Int64 // how many more messages may be sent
	wrong  atomic.Int64 // operations that overlapped another on their unit
	mu     sync.Mutex
	errand []*errand
	ended  []*freerun.Scope
}

// victim is the state of a unit. An operation that writes adds to both fields, one after the other.
// An operation that sees them differ overlaps another.
type victim struct {
	m          *mayhem
	first, all int
}

// errand is one message, or one call: what it was and what became of it.
type errand struct {
	m    *mayhem
	seed uint64
	hops int
	kind int
	ran  atomic.Int32
	told bool                     // it was refused, and the sender got the error
	done freerun.Future[*outcome] // the zero future of a Tell
	acts *activity.Activity       // instead of a future
}

// outcome is the result of an operation of an errand.
type outcome struct{ of *errand }

var errMayhem = errors.New("mayhem")

const (
	tell = iota
	send
	sendBoth
	sendAll
	read
	sendFree
	sendSmall
	sendLater
	sendAfterwards // with the future of another as argument
	act            // start an activity
	kinds
)

type errandAndFuture struct {
	e *errand
	f freerun.Future[*outcome]
}

var (
	mayhemOp   = freerun.Op[victim, *errand, *outcome]("mayhem.one", nil)
	mayhemBoth = freerun.Op2[victim, victim, *errand, *outcome]("mayhem.both", nil)
	mayhemAll  = freerun.OpAll[victim, *errand, *outcome]("mayhem.all", nil)
	mayhemRead = freerun.ReadOp[victim, *errand, *outcome]("mayhem.read", nil)
	mayhemFree = freerun.FreeOp[*errand, *outcome]("mayhem.free", nil)
	mayhemTiny = freerun.SmallOp[*errand, *outcome]("mayhem.tiny", nil)
	mayhemThen = freerun.Op[victim, errandAndFuture, *outcome]("mayhem.then", nil)
)

var _ = freerun.Define(mayhemOp, func(c *freerun.Context, v *victim, e *errand) (*outcome, error) {
	defer v.touch()()
	return e.run(c)
})

var _ = freerun.Define(mayhemBoth, func(c *freerun.Context, v, w *victim, e *errand) (*outcome, error) {
	defer v.touch()()
	defer w.touch()()
	return e.run(c)
})

var _ = freerun.Define(mayhemAll, func(c *freerun.Context, all []*victim, e *errand) (*outcome, error) {
	for _, v := range all {
		defer v.touch()()
	}
	return e.run(c)
})

var _ = freerun.Define(mayhemRead, func(c *freerun.Context, v *victim, e *errand) (*outcome, error) {
	v.look()
	o, err := e.run(c)
	v.look()
	return o, err
})

var _ = freerun.Define(mayhemFree, func(c *freerun.Context, e *errand) (*outcome, error) { return e.run(c) })

var _ = freerun.Define(mayhemTiny, func(c *freerun.Context, e *errand) (*outcome, error) { return e.run(c) })

var _ = freerun.Define(mayhemThen, func(c *freerun.Context, v *victim, a errandAndFuture) (*outcome, error) {
	defer v.touch()()
	if _, err := a.f.Result(); err != nil {
		a.e.m.wrong.Add(1) // it was started without what it needs
	}
	return a.e.run(c)
})

// touch makes the write of an operation to a unit. It writes now; the function that it returns
// writes again, at the operation's end.
func (v *victim) touch() func() {
	v.look()
	v.first++
	n := v.first
	return func() {
		v.all++
		if v.first != n || v.all != n {
			v.m.wrong.Add(1)
		}
	}
}

// look is the body of an operation that only reads.
func (v *victim) look() {
	if v.first != v.all {
		v.m.wrong.Add(1)
	}
}

// run is the body of every operation: it sends, computes, blocks, and ends in one of many ways.
func (e *errand) run(c *freerun.Context) (*outcome, error) {
	e.ran.Add(1)
	random := rand.New(rand.NewPCG(e.seed, 1))
	var last freerun.Future[*outcome]
	if e.hops > 0 {
		for range random.IntN(3) {
			last = e.m.send(c, random, e.hops-1)
		}
	}
	switch random.IntN(24) {
	case 0:
		panic("mayhem")
	case 1:
		runtime.Goexit()
	case 2:
		return nil, errMayhem
	case 3, 4:
		c.Block(runtime.Gosched)
	case 5, 6:
		n := freerun.Reduce(c, 40, func(c *freerun.Context, i int) int { return i }, func(a, b int) int { return a + b })
		if n != 780 {
			e.m.wrong.Add(1)
		}
	case 7:
		freerun.Join(c, func(c *freerun.Context) int { e.m.send(c, rand.New(rand.NewPCG(e.seed, 2)), 0); return 0 },
			func(c *freerun.Context) int { return 0 })
	case 8:
		if random.IntN(4) == 0 {
			freerun.Join(c, func(c *freerun.Context) int { panic("mayhem in a branch") }, func(c *freerun.Context) int { return 0 })
		}
	case 9, 10, 11:
		if last != (freerun.Future[*outcome]{}) {
			return freerun.Forward(c, last)
		}
	}
	return &outcome{e}, nil
}

// live is the body of an activity: it sends, waits for results, sleeps, yields, blocks, and ends in
// one of many ways.
func (e *errand) live(a *activity.Activity) {
	e.ran.Add(1)
	random := rand.New(rand.NewPCG(e.seed, 6))
	c := freerun.ContextOf(a)
	for range random.IntN(4) {
		switch random.IntN(7) {
		case 0:
			a.Yield()
		case 1:
			a.Sleep(time.Duration(random.IntN(200)) * time.Microsecond)
		case 2:
			a.Block(runtime.Gosched)
		case 3:
			if e.hops > 0 {
				if f := e.m.send(c, random, e.hops-1); f != (freerun.Future[*outcome]{}) {
					f.Await(a)
				}
			}
		case 4:
			if e.hops > 0 {
				activity.Go(a, func(a *activity.Activity) { a.Yield() }).Wait(a)
			}
		case 5:
			ctx, cancel := context.WithCancel(a)
			d := time.Duration(random.IntN(100)) * time.Microsecond
			activity.Go(c, func(a *activity.Activity) { a.Sleep(d); cancel() })
			activity.Go(c, func(a *activity.Activity) { a.Sleep(50 * time.Microsecond) }).Wait(ctx)
			cancel()
		case 6:
			freerun.Join(c, func(c *freerun.Context) int { return 0 }, func(c *freerun.Context) int { runtime.Gosched(); return 0 })
		}
	}
	switch random.IntN(16) {
	case 0:
		panic("mayhem")
	case 1:
		runtime.Goexit()
	}
}

// send sends one message of some form through c, in some scope, with some priority. It returns the
// message's future, if that form has one.
func (m *mayhem) send(c *freerun.Context, random *rand.Rand, hops int) (f freerun.Future[*outcome]) {
	if m.left.Add(-1) < 0 {
		return f
	}
	e := &errand{m: m, seed: random.Uint64(), hops: hops, kind: random.IntN(kinds)}
	if random.IntN(3) == 0 {
		if s := m.scopes[random.IntN(len(m.scopes))].Load(); s != nil {
			c = c.WithScope(s)
		}
	}
	if random.IntN(3) == 0 {
		c = c.WithPriority([]freerun.Priority{freerun.High, freerun.Normal, freerun.Low, freerun.Idle}[random.IntN(4)])
	}
	if e.kind == act && !m.acts {
		e.kind = send
	}
	u, v := m.units[random.IntN(len(m.units))], m.units[random.IntN(len(m.units))]
	switch e.kind {
	case tell:
		e.told = mayhemOp.Tell(c, u, e) != nil
	case send:
		e.done = mayhemOp.Send(c, u, e)
	case sendBoth:
		e.done = mayhemBoth.Send(c, u, v, e)
	case sendAll:
		e.done = mayhemAll.Send(c, m.units[:1+random.IntN(3)], e)
	case read:
		e.done = mayhemRead.Send(c, u, e)
	case sendFree:
		e.done = mayhemFree.Send(c, e)
	case sendSmall:
		e.done = mayhemTiny.Send(c, e)
	case sendLater:
		f, timer := mayhemOp.SendAfter(c, time.Duration(random.IntN(300))*time.Microsecond, u, e)
		if random.IntN(4) == 0 {
			timer.Stop()
		}
		e.done = f
	case sendAfterwards:
		if first := m.send(c, random, hops); first != (freerun.Future[*outcome]{}) {
			e.done = mayhemThen.Send(c, u, errandAndFuture{e, first})
		} else {
			e.done = mayhemOp.Send(c, u, e)
		}
	}
	if e.kind == act {
		e.acts = activity.Go(c, e.live)
	}
	m.mu.Lock()
	m.errand = append(m.errand, e)
	m.mu.Unlock()
	return e.done
}

// newMayhem makes the units and scopes of a runtime.
func newMayhem(t *testing.T, rt *freerun.Runtime, random *rand.Rand, messages int) *mayhem {
	m := &mayhem{t: t, rt: rt, scopes: make([]atomic.Pointer[freerun.Scope], 3), acts: true}
	m.left.Store(int64(messages))
	for range 3 + random.IntN(6) {
		options := []freerun.UnitOption{}
		if random.IntN(3) == 0 {
			options = append(options, freerun.MailboxLimit(1+random.IntN(5), []freerun.FullPolicy{freerun.Reject, freerun.WaitForRoom}[random.IntN(2)]))
		}
		if random.IntN(4) == 0 {
			options = append(options, freerun.UnitPriority([]freerun.Priority{freerun.High, freerun.Low, freerun.Idle}[random.IntN(3)]))
		}
		switch random.IntN(8) {
		case 0:
			options = append(options, freerun.StopOnPanic())
		case 1:
			options = append(options, freerun.RestartOnPanic(func() victim { return victim{m: m} }, 20, time.Hour))
		}
		m.units = append(m.units, freerun.NewUnit(rt, victim{m: m}, options...))
	}
	for i := range m.scopes {
		m.scopes[i].Store(rt.Scope(t.Context()))
	}
	return m
}

// stir cancels a scope and puts another in its place.
func (m *mayhem) stir(random *rand.Rand) {
	s := &m.scopes[random.IntN(len(m.scopes))]
	old := s.Swap(m.rt.Scope(m.t.Context()))
	old.Cancel(nil)
	m.mu.Lock()
	m.ended = append(m.ended, old)
	m.mu.Unlock()
	m.rt.Resize(1 + random.IntN(4))
}

// account checks the outcome of all messages. graceful says that the runtime ran all messages that
// it had accepted.
func (m *mayhem) account(graceful bool) {
	t := m.t
	for _, e := range m.errand {
		n := e.ran.Load()
		if n > 1 {
			t.Errorf("a message of kind %d was run %d times", e.kind, n)
		}
		if e.kind == tell {
			if e.told && n != 0 {
				t.Errorf("a message was run, and its sender was told that it was refused")
			}
			continue
		}
		if e.kind == act {
			e.accountActivity(t, n)
			continue
		}
		_, err := e.done.Result()
		var p *freerun.PanicError
		switch {
		case errors.Is(err, freerun.ErrClosed), errors.Is(err, freerun.ErrCanceled), errors.Is(err, freerun.ErrFull),
			errors.Is(err, freerun.ErrStopped), errors.Is(err, freerun.ErrSameUnit):
			if graceful && n != 0 && e.hops == 0 { // others may have forwarded one that was not run
				t.Errorf("a message of kind %d was run, and came to %v", e.kind, err)
			}
		case err == nil, errors.Is(err, errMayhem), errors.As(err, &p):
			if _, inArgument := err.(*freerun.ArgumentError); n == 0 && !inArgument {
				t.Errorf("a message of kind %d was not run, and came to %v", e.kind, err)
			}
		default:
			t.Errorf("a message of kind %d came to %v", e.kind, err)
		}
	}
	if n := m.wrong.Load(); n != 0 {
		t.Errorf("%d operations were not alone, or had not what they needed", n)
	}
	if s := m.rt.Stats(); graceful && s.Sent != s.Done {
		t.Errorf("%d messages were sent, and %d are done", s.Sent, s.Done)
	}
	for i := range m.scopes {
		m.ended = append(m.ended, m.scopes[i].Load())
	}
	for i, s := range m.ended {
		if graceful && hasOpen(s) {
			t.Errorf("scope %d of %d has open messages in the end", i, len(m.ended))
		}
	}
	for i, u := range m.units {
		if s := u.Stats(); graceful && (s.HeldBack || s.Waiting != 0) {
			t.Errorf("unit %d in the end: %+v", i, s)
		}
	}
}

// accountActivity checks what became of an activity that began n times.
func (e *errand) accountActivity(t *testing.T, n int32) {
	if !e.acts.Ended() {
		t.Errorf("an activity that began %d times has not ended", n)
		return
	}
	var p *freerun.PanicError
	switch err := e.acts.Wait(t.Context()); {
	case errors.Is(err, freerun.ErrClosed), errors.Is(err, freerun.ErrCanceled): // begun or not
	case err == nil, errors.As(err, &p):
		if n == 0 {
			t.Errorf("an activity did not begin, and came to %v", err)
		}
	default:
		t.Errorf("an activity came to %v", err)
	}
}

// hasOpen reports whether a scope still has something open after the end of its runtime. Wait has
// nothing to wait for then, and returns the error of its context, if that is done, or that of the
// runtime's end, whichever it finds first.
func hasOpen(s *freerun.Scope) bool {
	done, cancel := context.WithCancel(context.Background())
	cancel()
	for range 30 {
		if s.Wait(done) == context.Canceled {
			return true
		}
	}
	return false
}

// TestMayhem runs for some seconds, or for as long as FREERUN_MAYHEM says.
func TestMayhem(t *testing.T) {
	length := 2 * time.Second
	if text := os.Getenv("FREERUN_MAYHEM"); text != "" {
		given, err := time.ParseDuration(text)
		if err != nil {
			t.Fatal(err)
		}
		length = given
	}
	seed := replay.Seed(t)
	rounds, messages := 0, 0
	for begun := time.Now(); time.Since(begun) < length && !t.Failed(); rounds++ {
		messages += mayhemRound(t, rand.New(rand.NewPCG(seed, uint64(rounds))), !conformance.RaceDetector || rounds%withActivities == 0)
	}
	t.Logf("%d rounds, %d messages", rounds, messages)
}

// withActivities: under the race detector one round in so many has activities. Go's runtime never
// frees what the race detector keeps of a coroutine, some 5 kB each; an hour of such rounds alone
// would need more memory than there is.
const withActivities = 64

// mayhemRound runs one runtime from its beginning to its end and returns the number of messages.
func mayhemRound(t *testing.T, random *rand.Rand, acts bool) int {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute) // turns a hang into a failure
	defer cancel()
	options, flight := recordingOptions(random)
	rt := freerun.New(append(options, freerun.Processors(1+random.IntN(4)), freerun.Logger(slog.New(slog.DiscardHandler)), freerun.Watchdog(time.Millisecond, 2))...)
	tracing := startTracer(t, rt, rand.New(rand.NewPCG(random.Uint64(), 7)), flight)
	defer tracing.stop()
	m := newMayhem(t, rt, random, 2000)
	m.acts = acts
	var all sync.WaitGroup
	for range 1 + random.IntN(4) {
		own := rand.New(rand.NewPCG(random.Uint64(), 3))
		all.Go(func() {
			for m.left.Load() > 0 {
				if f := m.send(rt.Context(), own, 3); own.IntN(8) == 0 && f != (freerun.Future[*outcome]{}) {
					f.Wait(ctx)
				}
			}
		})
	}
	stirrer := rand.New(rand.NewPCG(random.Uint64(), 4))
	all.Go(func() {
		for m.left.Load() > 0 {
			m.stir(stirrer)
			time.Sleep(50 * time.Microsecond)
		}
	})
	end := random.IntN(3)
	var err error
	switch end {
	case 0: // everything is sent, and then the end
		all.Wait()
		err = rt.Shutdown(ctx)
	case 1: // the end comes during the sends
		for m.left.Load() > 1000 {
			runtime.Gosched()
		}
		err = rt.Shutdown(ctx)
	case 2: // and waits for nothing
		for m.left.Load() > 1000 {
			runtime.Gosched()
		}
		rt.Close()
	}
	if err != nil {
		t.Errorf("Shutdown: %v", err)
	}
	m.left.Store(0)
	all.Wait()
	m.account(end < 2)
	for i := range m.scopes {
		m.scopes[i].Load().Cancel(nil)
	}
	return len(m.errand)
}

// TestMayhemExplored has one sender only, and runs under many schedules.
func TestMayhemExplored(t *testing.T) {
	freeruntest.Explore(t, func(rt *freerun.Runtime) { mayhemInTurns(t, rt, freeruntest.Random(rt)) }, freeruntest.Runs(300))
}

// mayhemInTurns runs one deterministic runtime to its end.
func mayhemInTurns(t *testing.T, rt *freerun.Runtime, random *rand.Rand) {
	m := newMayhem(t, rt, random, 60)
	for m.left.Load() > 0 {
		f := m.send(rt.Context(), random, 3)
		if random.IntN(6) == 0 {
			m.stir(random)
		}
		if random.IntN(6) == 0 && f != (freerun.Future[*outcome]{}) {
			if _, err := f.Wait(context.Background()); errors.Is(err, freerun.ErrStalled) {
				t.Errorf("stalled: %v", err)
			}
		}
	}
	if err := rt.Shutdown(within(t)); err != nil {
		t.Errorf("Shutdown: %v", err)
	}
	m.account(true)
	for i := range m.scopes {
		m.scopes[i].Load().Cancel(nil)
	}
}

// TestMayhemRepeats holds that under one schedule the same operations begin in the same order,
// whatever a program uses.
func TestMayhemRepeats(t *testing.T) {
	run := func(seed uint64) []string {
		s := &recorder{random: rand.New(rand.NewPCG(seed, 7))}
		rt := freerun.New(simhost.Option[freerun.Option](s), freerun.Logger(slog.New(slog.DiscardHandler)))
		mayhemInTurns(t, rt, rand.New(rand.NewPCG(seed, 8)))
		return s.began
	}
	for seed := range uint64(100) {
		once, again := run(seed), run(seed)
		for i := range max(len(once), len(again)) {
			if i >= len(once) || i >= len(again) || once[i] != again[i] {
				t.Fatalf("seed %d: of %d and %d that began, number %d differs", seed, len(once), len(again), i)
			}
		}
	}
}

// recorder is a schedule that keeps the names of the operations that began.
type recorder struct {
	random *rand.Rand
	began  []string
}

func (r *recorder) Choose(ready []int) int { return r.random.IntN(len(ready)) }

func (r *recorder) Began(processor int, operation string) {
	r.began = append(r.began, strconv.Itoa(processor)+" "+operation)
}

// within returns a context that turns a hang into a failure.
func within(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	return ctx
}
