package cluster

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/freerun-go/freerun"
)

// purse is the state of the units whose history is checked, together.
type purse struct{ Coins int }

var errTooFew = errors.New("too few coins")

// mostPurses is how many purses a history has at most.
const mostPurses = 3

// move is an operation on purses: Coins come to one, or go if they are fewer than none; or it is
// from another purse that they come; or all get as many as the others; or it reads.
type move struct {
	Coins    int
	From, To int
	Evens    int // how many purses, if not 0
	Reads    bool
	Panics   int  // how many runs panic; three make it fail
	Exits    bool // it calls runtime.Goexit
	ID       int  // by which runs are counted
}

var (
	movesRun sync.Map // ID → *atomic.Int64

	purses = freerun.NewKind("purse", func(*freerun.Context, string) (purse, error) { return purse{}, nil },
		Durable(Tagged()), freerun.PassivateAfter(time.Millisecond))
	carry = freerun.Op("carry", func(_ *freerun.Context, p *purse, m move) (int, error) { return m.carry(p) })
	pass  = freerun.Op2("pass", func(_ *freerun.Context, from, to *purse, m move) (int, error) { return m.carry(from, to) })
	even  = freerun.OpAll("even", func(_ *freerun.Context, all []*purse, m move) (int, error) { return m.carry(all...) })
	count = freerun.ReadOp("count", func(_ *freerun.Context, p *purse, _ struct{}) (int, error) { return p.Coins, nil })
)

func purseAt(c *freerun.Context, n int) *freerun.Unit[purse] { return purses.At(c, purseKey(n)) }

func purseKey(n int) string { return fmt.Sprintf("{purse}/%d", n) }

// carry carries out a move on its purses.
func (m move) carry(on ...*purse) (int, error) {
	var coins [mostPurses]int
	for i, p := range on {
		coins[i] = p.Coins
	}
	coins, last, fits := m.on(coins, 0, len(on)-1, len(on))
	if !fits {
		return 0, errTooFew
	}
	for i, p := range on {
		p.Coins = coins[i]
	}
	if m.Panics > 0 {
		n, _ := movesRun.LoadOrStore(m.ID, new(atomic.Int64))
		if n.(*atomic.Int64).Add(1) <= int64(m.Panics) {
			panic("a move fails")
		}
	}
	if m.Exits {
		runtime.Goexit()
	}
	return last, nil
}

// on returns the coins after a move from one place to another, or that evens the first all, and
// what its outcome is; or that there are too few.
func (m move) on(coins [mostPurses]int, from, to, all int) (after [mostPurses]int, last int, fits bool) {
	if m.Evens > 0 {
		sum := 0
		for _, n := range coins[:all] {
			sum += n
		}
		for i := range all {
			coins[i] = sum / all
		}
		coins[0] += sum % all
		return coins, sum, true
	}
	if from != to {
		coins[from] -= m.Coins
	}
	coins[to] += m.Coins
	return coins, coins[to], coins[from] >= 0 && coins[to] >= 0
}

// result is how a move ended.
type result int

const (
	done    result = iota
	refused        // by the operation: nothing has changed
	undone         // nothing has changed; a read has seen what was undone
	open           // no outcome came: it has had its effect, or none, or may have it later
	ended          // no outcome came, and the process has ended: it has had its effect, or none
)

type outcome struct {
	Result result
	Coins  int // of done
}

// moved is a move of a history. Times are in nanoseconds of one clock for all processes.
type moved struct {
	Client     int
	Move       move
	Begin, End int64
	Outcome    outcome
}

// pursesModel is what the purses do, for Porcupine: as one object. A state is the coins of each.
var pursesModel = porcupine.NondeterministicModel{
	Init: func() []any { return []any{[mostPurses]int{}} },
	Step: func(state, input, output any) (next []any) {
		coins, m, o := state.([mostPurses]int), input.(move), output.(outcome)
		unknown := o.Result == open || o.Result == ended
		if m.Reads && (o.Result == undone || unknown || o.Coins == coins[m.To]) {
			return []any{coins}
		} else if m.Reads {
			return nil
		}
		after, last, fits := m.on(coins, m.From, m.To, m.Evens)
		switch {
		case o.Result == undone, unknown && !fits, o.Result == refused && !fits:
			return []any{coins}
		case unknown:
			return []any{coins, after}
		case o.Result == done && fits && o.Coins == last:
			return []any{after}
		}
		return nil
	},
}

// checkHistory searches for an order of the moves that explains their outcomes.
func checkHistory(all []moved) error {
	var operations []porcupine.Operation
	last := int64(0)
	for _, m := range all {
		last = max(last, m.Begin, m.End)
	}
	for _, m := range all {
		if m.Outcome.Result == open {
			m.End = last + 1
		}
		operations = append(operations, porcupine.Operation{ClientId: m.Client, Input: m.Move, Call: m.Begin, Output: m.Outcome, Return: m.End})
	}
	switch porcupine.CheckOperationsTimeout(pursesModel.ToModel(), operations, time.Minute) {
	case porcupine.Ok:
		return nil
	case porcupine.Unknown:
		return errors.New("Porcupine has not decided within a minute")
	}
	return errors.New("no order of the moves explains their outcomes")
}

// randomMove is one of the moves of a test of n purses. Some panic.
func randomMove(id, n int) move {
	m := move{Coins: rand.IntN(21) - 10, From: rand.IntN(n), To: rand.IntN(n), ID: id}
	switch rand.IntN(12) {
	case 0:
		m.Panics = 1 + rand.IntN(3)
		m.Exits = rand.IntN(4) == 0
	case 1, 2, 3:
		m = move{Reads: true, To: m.To}
	case 4:
		if n > 1 {
			m.Evens = n
		}
	}
	return m
}

// carryOut sends a move to its purses, and waits for its outcome.
func carryOut(ctx context.Context, c *freerun.Context, m move) (outcome, error) {
	f := freerun.Future[int]{}
	switch {
	case m.Reads:
		f = count.Send(c, purseAt(c, m.To), struct{}{})
	case m.Evens > 0:
		var all []*freerun.Unit[purse]
		for n := range m.Evens {
			all = append(all, purseAt(c, n))
		}
		f = even.Send(c, all, m)
	case m.From != m.To:
		f = pass.Send(c, purseAt(c, m.From), purseAt(c, m.To), m)
	default:
		f = carry.Send(c, purseAt(c, m.To), m)
	}
	coins, err := f.Wait(ctx)
	var p *freerun.PanicError
	switch {
	case err == nil:
		return outcome{done, coins}, nil
	case errors.Is(err, errTooFew):
		return outcome{Result: refused}, nil
	case errors.Is(err, ErrNoSpace), errors.Is(err, errUndone) && m.Reads, errors.As(err, &p) && m.Panics == 3, errors.Is(err, freerun.ErrGoexit) && m.Exits:
		return outcome{Result: undone}, nil
	case errors.Is(err, freerun.ErrClosed):
		return outcome{Result: open}, nil
	}
	return outcome{}, err
}

// apart carries out a move from one purse to another in two parts: the control.
func apart(ctx context.Context, c *freerun.Context, m move) (outcome, error) {
	if m.Reads || m.Evens > 0 || m.From == m.To || m.Coins < 0 {
		return carryOut(ctx, c, m)
	}
	o, err := carryOut(ctx, c, move{Coins: -m.Coins, From: m.From, To: m.From})
	if o.Result == done && err == nil {
		return carryOut(ctx, c, move{Coins: m.Coins, From: m.To, To: m.To})
	}
	return o, err
}

// disturb has a unit become passive, or gives it the time for that.
func disturb(c *freerun.Context) {
	switch rand.IntN(30) {
	case 0:
		purses.Stop(c, purseKey(rand.IntN(mostPurses)))
	case 1:
		time.Sleep(2 * time.Millisecond)
	case 2:
		runtime.GC()
	}
}

const historyClients = 6

// chronicle says what a history is of.
type chronicle struct {
	purses int
	fails  int64 // of 1000 writes
	is     flaw
	by     func(ctx context.Context, c *freerun.Context, m move) (outcome, error)
}

// history has goroutines carry out moves over a store, which crashes in the middle, and then over
// what is left of it.
func history(t *testing.T, of chronicle) (all []moved) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	movesRun.Clear()
	var clock, ids atomic.Int64
	var mu sync.Mutex
	entries := map[string][]byte{}
	for life := range 2 {
		f := newFickle(entries, of.is)
		f.fails.Store(of.fails)
		rt, n := joined(t, f)
		var clients sync.WaitGroup
		for client := range historyClients {
			clients.Go(func() {
				for range 30 {
					m := randomMove(int(ids.Add(1)), of.purses)
					begin := clock.Add(1)
					o, err := of.by(ctx, rt.Context(), m)
					if err != nil {
						t.Errorf("%+v: %v", m, err)
					}
					mu.Lock()
					all = append(all, moved{client, m, begin, clock.Add(1), o})
					mu.Unlock()
					if o.Result == open {
						return
					}
					disturb(rt.Context())
				}
			})
		}
		if life == 0 {
			for at := rand.Int64N(100); clock.Load() < at; {
				time.Sleep(100 * time.Microsecond)
			}
			entries = f.crash()
			rt.Close()
		}
		clients.Wait()
		if err := errors.Join(rt.Shutdown(ctx), n.Close()); err != nil && life > 0 {
			t.Error(err)
		}
	}
	return all
}

// TestHistory has Porcupine check the history of one unit, and of some of one tag, whose operations
// panic, which become passive, and whose store fails writes and crashes.
func TestHistory(t *testing.T) {
	for _, purses := range []int{1, mostPurses} {
		for _, fails := range []int64{0, 50} {
			for range 5 {
				if err := checkHistory(history(t, chronicle{purses, fails, sound, carryOut})); err != nil {
					t.Errorf("%d purses: %v", purses, err)
				}
			}
		}
	}
}

// TestHistoryControls holds that Porcupine finds stores that break their promises, and moves that
// are not one operation.
func TestHistoryControls(t *testing.T) {
	for _, of := range []chronicle{
		{1, 0, forgets, carryOut},
		{1, 300, resurrect, carryOut},
		{mostPurses, 0, forgets, carryOut},
		{mostPurses, 0, splits, carryOut},
		{mostPurses, 0, sound, apart},
	} {
		found := false
		for range 30 {
			if found = checkHistory(history(t, of)) != nil; found {
				break
			}
		}
		if !found {
			t.Errorf("flaw %d is not found with %d purses", of.is, of.purses)
		}
	}
}
