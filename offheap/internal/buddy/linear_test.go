package buddy

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
	"github.com/freerun-go/freerun/internal/verify/replay"
)

// call is a call of Alloc or Free, and whether a call of another goroutine overlapped it.
type call struct {
	free    bool
	order   uint
	overlap bool
}

type answer struct {
	offset uint64
	ok     bool
}

// TestLinearizable holds that histories of goroutines have an order in which each Alloc gets a
// block that is free then, each Free gives back a block that is handed out, and an Alloc fails only
// if no block is free. In spaces of several chunks an Alloc may miss a block in the hands of
// another call.
func TestLinearizable(t *testing.T) {
	const clients, each = 3, 5
	random := rand.New(rand.NewPCG(replay.Seed(t), 3))
	overlapped := 0
	for round := range 400 {
		leaves := uint64(32)
		if round%2 != 0 {
			leaves = 64
		}
		s := New(leaves, 0)
		// So much is taken that some calls find nothing.
		for range random.IntN(4) {
			s.Alloc(uint(3 + random.IntN(2)))
		}
		begin := ""
		for b := range s.All() {
			for range 1 << b.Order {
				begin += [...]string{".", "#"}[b.State]
			}
		}
		var clock atomic.Int64
		var ready atomic.Int32
		histories := make([][]porcupine.Operation, clients)
		var all sync.WaitGroup
		for c := range clients {
			seed := random.Uint64()
			all.Go(func() {
				random := rand.New(rand.NewPCG(seed, 4))
				var live []Block
				for ready.Add(1); ready.Load() < clients; {
					runtime.Gosched()
				}
				for range each {
					in, out := call{order: uint(random.IntN(5))}, answer{}
					if len(live) > 0 && random.IntN(2) == 0 {
						in = call{free: true, order: live[0].Order}
						out.offset = live[0].Offset
						live = live[1:]
					}
					called := clock.Add(1)
					if random.IntN(4) == 0 {
						runtime.Gosched() // so that calls overlap on one processor too
					}
					if in.free {
						out.ok = s.Free(out.offset, in.order)
					} else if out.offset, out.ok = s.Alloc(in.order); out.ok {
						live = append(live, Block{out.offset, in.order, Handed})
					}
					histories[c] = append(histories[c], porcupine.Operation{ClientId: c, Input: in, Call: called, Output: out, Return: clock.Add(1)})
				}
			})
		}
		all.Wait()
		var history []porcupine.Operation
		for _, h := range histories {
			history = append(history, h...)
		}
		for i, a := range history {
			for _, b := range history {
				if a.ClientId != b.ClientId && a.Call < b.Return && b.Call < a.Return {
					in := a.Input.(call)
					in.overlap = true
					history[i].Input = in
				}
			}
			if history[i].Input.(call).overlap {
				overlapped++
			}
		}
		model := porcupine.Model{
			Init: func() any { return begin },
			Step: func(state, input, output any) (bool, any) {
				return spaceStep(state.(string), input.(call), output.(answer), leaves > 32)
			},
			DescribeOperation: func(input, output any) string { return fmt.Sprint(input, output) },
		}
		if got := porcupine.CheckOperationsTimeout(model, history, time.Minute); got != porcupine.Ok {
			t.Fatalf("%v: this is no history of a space that begins as %s:\n%v", got, begin, history)
		}
	}
	if overlapped == 0 {
		t.Error("no two calls overlapped")
	}
}

// spaceStep makes a call to a space of which each leaf is free or taken.
func spaceStep(state string, in call, out answer, chunks bool) (bool, string) {
	n := uint64(1) << in.order
	if !out.ok {
		if in.free {
			return false, state
		}
		for at := uint64(0); at < uint64(len(state)); at += n {
			if isAll(state[at:at+n], '.') {
				return chunks && in.overlap, state
			}
		}
		return true, state
	}
	from, to := byte('.'), "#"
	if in.free {
		from, to = '#', "."
	}
	if !isAll(state[out.offset:out.offset+n], from) {
		return false, state
	}
	after := []byte(state)
	for i := range n {
		after[out.offset+i] = to[0]
	}
	return true, string(after)
}

func isAll(s string, c byte) bool {
	for i := range len(s) {
		if s[i] != c {
			return false
		}
	}
	return true
}
