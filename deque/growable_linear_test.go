package deque_test

import (
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/freerun-go/freerun/deque"
	"github.com/freerun-go/freerun/internal/replay"
)

// nothing is what a history has for a Pop or Steal of an empty deque.
const nothing = -1

type call struct {
	verb  string
	value int // that is pushed
}

// growableModel is the sequential specification: a slice whose last element is the owner's end. Outputs are values.
var growableModel = porcupine.Model{
	Init:  func() any { return []int(nil) },
	Equal: func(a, b any) bool { return slices.Equal(a.([]int), b.([]int)) },
	Step: func(state, input, output any) (bool, any) {
		values, c, got := state.([]int), input.(call), output.(int)
		last := len(values) - 1
		switch {
		case c.verb == "push":
			return true, append(slices.Clip(values), c.value)
		case len(values) == 0:
			return got == nothing, values
		case c.verb == "pop":
			return got == values[last], values[:last]
		default:
			return got == values[0], values[1:]
		}
	},
}

// TestGrowableLinearizable checks short histories of an owner and two thieves that overlap. A Steal that lost a race says nothing
// about the deque and is left out. In every other round the buffer is
// nearly full at first, and grows while it is stolen from.
func TestGrowableLinearizable(t *testing.T) {
	const rounds, thieves = 1_500, 2
	seed := replay.Seed(t)
	for round := range uint64(rounds) {
		d := deque.NewGrowable[int]()
		var values [100]int
		var history []porcupine.Operation
		var mu sync.Mutex
		var clock, arrived atomic.Int64
		record := func(client int, c call, from int64, got *int) {
			to, output := clock.Add(1), nothing
			if got != nil {
				output = *got
			}
			mu.Lock()
			defer mu.Unlock()
			history = append(history, porcupine.Operation{ClientId: client, Input: c, Call: from, Output: output, Return: to})
		}
		next := 0
		push := func() {
			v := &values[next]
			*v = next
			next++
			from := clock.Add(1)
			d.Push(v)
			record(0, call{"push", *v}, from, nil)
		}
		for range round % 2 * 61 {
			push()
		}
		var group sync.WaitGroup
		together := func() {
			for arrived.Add(1); arrived.Load() <= thieves; {
				runtime.Gosched()
			}
		}
		for client := 1; client <= thieves; client++ {
			random := rand.New(rand.NewPCG(seed+round, uint64(client)))
			group.Go(func() {
				together()
				for range 5 {
					from := clock.Add(1)
					if v, outcome := d.Thief().Steal(); outcome != deque.Retry {
						record(client, call{verb: "steal"}, from, v)
					}
					for range random.IntN(2) {
						runtime.Gosched()
					}
				}
			})
		}
		random := rand.New(rand.NewPCG(seed+round, 0))
		together()
		for range 14 {
			if random.IntN(2) == 0 {
				push()
			} else {
				from := clock.Add(1)
				record(0, call{verb: "pop"}, from, d.Pop())
			}
		}
		group.Wait()
		if got := porcupine.CheckOperationsTimeout(growableModel, history, time.Minute); got != porcupine.Ok {
			t.Errorf("round %d: the history is %v, want %v:", round, got, porcupine.Ok)
			for _, o := range history {
				t.Errorf("  client %d, from %d to %d: %+v gave %d", o.ClientId, o.Call, o.Return, o.Input, o.Output)
			}
			return
		}
	}
}

// TestGrowableModelTellsWrongFromRight keeps the model honest: histories that break the contract are refused.
func TestGrowableModelTellsWrongFromRight(t *testing.T) {
	one, two, pop, steal := call{"push", 1}, call{"push", 2}, call{verb: "pop"}, call{verb: "steal"}
	for name, c := range map[string]struct {
		inputs  []call
		outputs []int
		want    bool
	}{
		"newest to the owner":  {[]call{one, two, pop, pop, pop}, []int{0, 0, 2, 1, nothing}, true},
		"oldest to the thief":  {[]call{one, two, steal, pop, steal}, []int{0, 0, 1, 2, nothing}, true},
		"oldest to the owner":  {[]call{one, two, pop}, []int{0, 0, 1}, false},
		"newest to the thief":  {[]call{one, two, steal}, []int{0, 0, 2}, false},
		"one value twice":      {[]call{one, pop, steal}, []int{0, 1, 1}, false},
		"empty with something": {[]call{one, steal}, []int{0, nothing}, false},
	} {
		var history []porcupine.Operation
		for i := range c.inputs {
			history = append(history, porcupine.Operation{Input: c.inputs[i], Call: int64(2 * i), Output: c.outputs[i], Return: int64(2*i + 1)})
		}
		if got := porcupine.CheckOperations(growableModel, history); got != c.want {
			t.Errorf("%s: accepted %v, want %v", name, got, c.want)
		}
	}
}
