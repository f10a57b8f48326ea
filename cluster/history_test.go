package cluster

import (
	"context"
	"errors"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/freerun-go/freerun"
)

// purse is the state of the unit whose history is checked.
type purse struct{ Coins int }

var errTooFew = errors.New("too few coins")

// move is an operation on a purse: Coins come, or go if they are fewer than none; or it reads.
type move struct {
	Coins  int
	Reads  bool
	Panics int // how many runs panic; three make it fail
	ID     int // by which runs are counted
}

var (
	movesRun sync.Map // ID → *atomic.Int64

	purses = freerun.NewKind("purse", func(*freerun.Context, int) (purse, error) { return purse{}, nil },
		Durable(), freerun.PassivateAfter(time.Millisecond))
	carry = freerun.Op("carry", func(_ *freerun.Context, p *purse, m move) (int, error) {
		if p.Coins+m.Coins < 0 {
			return 0, errTooFew
		}
		p.Coins += m.Coins
		if m.Panics > 0 {
			n, _ := movesRun.LoadOrStore(m.ID, new(atomic.Int64))
			if n.(*atomic.Int64).Add(1) <= int64(m.Panics) {
				panic("a move fails")
			}
		}
		return p.Coins, nil
	})
	count = freerun.ReadOp("count", func(_ *freerun.Context, p *purse, _ struct{}) (int, error) { return p.Coins, nil })
)

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

// pursesModel is what a purse does, for Porcupine. A state is the coins.
var pursesModel = porcupine.NondeterministicModel{
	Init: func() []any { return []any{0} },
	Step: func(state, input, output any) (next []any) {
		coins, m, o := state.(int), input.(move), output.(outcome)
		after, unknown := coins+m.Coins, o.Result == open || o.Result == ended
		switch {
		case o.Result == undone:
			return []any{coins}
		case m.Reads && (unknown || o.Coins == coins):
			return []any{coins}
		case m.Reads:
			return nil
		case unknown && after < 0:
			return []any{coins}
		case unknown:
			return []any{coins, after}
		case o.Result == refused && after < 0:
			return []any{coins}
		case o.Result == done && after >= 0 && o.Coins == after:
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

// randomMove is one of the moves of a test. Some panic.
func randomMove(id int) move {
	m := move{Coins: rand.IntN(21) - 10, ID: id}
	switch rand.IntN(12) {
	case 0:
		m.Panics = 1 + rand.IntN(3)
	case 1, 2, 3:
		m = move{Reads: true}
	}
	return m
}

// carryOut sends a move to the purse, and waits for its outcome.
func carryOut(ctx context.Context, c *freerun.Context, m move) (outcome, error) {
	f := freerun.Future[int]{}
	if m.Reads {
		f = count.Send(c, purses.At(c, 0), struct{}{})
	} else {
		f = carry.Send(c, purses.At(c, 0), m)
	}
	coins, err := f.Wait(ctx)
	var p *freerun.PanicError
	switch {
	case err == nil:
		return outcome{done, coins}, nil
	case errors.Is(err, errTooFew):
		return outcome{Result: refused}, nil
	case errors.Is(err, ErrNoSpace), errors.Is(err, errUndone) && m.Reads, errors.As(err, &p) && m.Panics == 3:
		return outcome{Result: undone}, nil
	case errors.Is(err, freerun.ErrClosed):
		return outcome{Result: open}, nil
	}
	return outcome{}, err
}

// disturb has the unit become passive, or gives it the time for that.
func disturb(c *freerun.Context) {
	switch rand.IntN(30) {
	case 0:
		purses.Stop(c, 0)
	case 1:
		time.Sleep(2 * time.Millisecond)
	case 2:
		runtime.GC()
	}
}

const historyClients = 6

// history has goroutines carry out moves over a store, which crashes in the middle, and then over
// what is left of it.
func history(t *testing.T, fails int64, is flaw) (all []moved) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	movesRun.Clear()
	var clock, ids atomic.Int64
	var mu sync.Mutex
	entries := map[string][]byte{}
	for life := range 2 {
		f := newFickle(entries, is)
		f.fails.Store(fails)
		rt, n := joined(t, f)
		var clients sync.WaitGroup
		for client := range historyClients {
			clients.Go(func() {
				for range 30 {
					m := randomMove(int(ids.Add(1)))
					begin := clock.Add(1)
					o, err := carryOut(ctx, rt.Context(), m)
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

// TestHistory has Porcupine check the history of one unit, whose operations panic, which becomes
// passive, and whose store fails writes and crashes.
func TestHistory(t *testing.T) {
	for _, fails := range []int64{0, 50} {
		for range 5 {
			if err := checkHistory(history(t, fails, sound)); err != nil {
				t.Error(err)
			}
		}
	}
}

// TestHistoryControls holds that Porcupine finds stores that break their promises.
func TestHistoryControls(t *testing.T) {
	for is, fails := range map[flaw]int64{forgets: 0, resurrect: 300} {
		found := false
		for range 20 {
			if found = checkHistory(history(t, fails, is)) != nil; found {
				break
			}
		}
		if !found {
			t.Errorf("flaw %d is not found", is)
		}
	}
}
