package queue_test

import (
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/freerun-go/freerun/internal/replay"
	"github.com/freerun-go/freerun/queue"
)

// giveUp is what a history has for a Dequeue that returned nil.
const giveUp = -1

// mailboxCall is an input of a history: Enqueue of value, or Dequeue.
type mailboxCall struct {
	enqueue bool
	value   int
}

// mailboxAnswer is an output of a history: idle of Enqueue, value of Dequeue.
type mailboxAnswer struct {
	idle  bool
	value int
}

type mailboxState struct {
	owned bool
	items []int
}

// mailboxModel is the sequential specification: a queue that appoints an owner when it was given up, and is given up by a Dequeue
// that finds it empty. A Dequeue without an owner is illegal.
var mailboxModel = porcupine.Model{
	Init: func() any { return mailboxState{} },
	Equal: func(a, b any) bool {
		x, y := a.(mailboxState), b.(mailboxState)
		return x.owned == y.owned && slices.Equal(x.items, y.items)
	},
	Step: func(state, input, output any) (bool, any) {
		s, call, answer := state.(mailboxState), input.(mailboxCall), output.(mailboxAnswer)
		if call.enqueue {
			return answer.idle == !s.owned, mailboxState{owned: true, items: append(slices.Clip(s.items), call.value)}
		}
		switch {
		case !s.owned:
			return false, s
		case answer.value == giveUp:
			return len(s.items) == 0, mailboxState{}
		}
		if len(s.items) == 0 || s.items[0] != answer.value {
			return false, s
		}
		return true, mailboxState{owned: true, items: s.items[1:]}
	},
}

// TestMailboxLinearizable checks short histories of goroutines that enqueue and drain when they are told to, and use nodes
// again by the rule. A history begins when all its goroutines have arrived, so that their calls overlap.
func TestMailboxLinearizable(t *testing.T) {
	const rounds, clients, each = 600, 4, 6
	seed := replay.Seed(t)
	for round := range uint64(rounds) {
		var m queue.Mailbox
		var clock, arrived atomic.Int64
		var mu sync.Mutex
		var history []porcupine.Operation
		record := func(client int, call mailboxCall, from int64, answer mailboxAnswer) {
			to := clock.Add(1)
			mu.Lock()
			defer mu.Unlock()
			history = append(history, porcupine.Operation{ClientId: client, Input: call, Call: from, Output: answer, Return: to})
		}
		var all sync.WaitGroup
		for client := range clients {
			random := rand.New(rand.NewPCG(seed+round, uint64(client)))
			pause := func() {
				for range random.IntN(3) {
					runtime.Gosched()
				}
			}
			all.Go(func() {
				for arrived.Add(1); arrived.Load() < clients; {
					runtime.Gosched()
				}
				var spare []*parcel // mine to enqueue again
				for i := range each {
					it := &parcel{}
					if len(spare) > 0 {
						it, spare = spare[0], spare[1:]
					}
					value := client*each + i
					it.number = value
					from := clock.Add(1)
					idle := m.Enqueue(&it.Node)
					record(client, mailboxCall{enqueue: true, value: value}, from, mailboxAnswer{idle: idle})
					pause()
					for owner, before := idle, (*parcel)(nil); owner; pause() {
						from := clock.Add(1)
						n := m.Dequeue()
						answer := mailboxAnswer{value: giveUp}
						if owner = n != nil; owner {
							answer.value = parcelOf(n).number
						}
						record(client, mailboxCall{}, from, answer)
						if before != nil {
							spare = append(spare, before)
						}
						before = parcelOf(n)
					}
				}
			})
		}
		all.Wait()
		if got := porcupine.CheckOperationsTimeout(mailboxModel, history, time.Minute); got != porcupine.Ok {
			t.Errorf("round %d: the history is %v, want %v:", round, got, porcupine.Ok)
			for _, o := range history {
				t.Errorf("  client %d, from %d to %d: %+v gave %+v", o.ClientId, o.Call, o.Return, o.Input, o.Output)
			}
			return
		}
	}
}

// TestMailboxModelTellsWrongFromRight keeps the model honest: histories that break the contract are refused.
func TestMailboxModelTellsWrongFromRight(t *testing.T) {
	one, two, take := mailboxCall{enqueue: true, value: 1}, mailboxCall{enqueue: true, value: 2}, mailboxCall{}
	idle, busy := mailboxAnswer{idle: true}, mailboxAnswer{}
	got := func(value int) mailboxAnswer { return mailboxAnswer{value: value} }
	for name, c := range map[string]struct {
		inputs  []mailboxCall
		outputs []mailboxAnswer
		want    bool
	}{
		"in order":             {[]mailboxCall{one, two, take, take, take, one}, []mailboxAnswer{idle, busy, got(1), got(2), got(giveUp), idle}, true},
		"empty but owned":      {[]mailboxCall{one, take, two}, []mailboxAnswer{idle, got(1), busy}, true},
		"out of order":         {[]mailboxCall{one, two, take}, []mailboxAnswer{idle, busy, got(2)}, false},
		"two owners":           {[]mailboxCall{one, two}, []mailboxAnswer{idle, idle}, false},
		"no owner":             {[]mailboxCall{one}, []mailboxAnswer{busy}, false},
		"an owner too many":    {[]mailboxCall{one, take, two}, []mailboxAnswer{idle, got(1), idle}, false},
		"given up too early":   {[]mailboxCall{one, two, take, take}, []mailboxAnswer{idle, busy, got(1), got(giveUp)}, false},
		"twice the same":       {[]mailboxCall{one, take, take}, []mailboxAnswer{idle, got(1), got(1)}, false},
		"dequeue by no owner":  {[]mailboxCall{take}, []mailboxAnswer{got(giveUp)}, false},
		"owned after given up": {[]mailboxCall{one, take, take, two}, []mailboxAnswer{idle, got(1), got(giveUp), busy}, false},
	} {
		var history []porcupine.Operation
		for i := range c.inputs {
			history = append(history, porcupine.Operation{Input: c.inputs[i], Call: int64(2 * i), Output: c.outputs[i], Return: int64(2*i + 1)})
		}
		if accepted := porcupine.CheckOperations(mailboxModel, history); accepted != c.want {
			t.Errorf("%s: accepted %v, want %v", name, accepted, c.want)
		}
	}
}
