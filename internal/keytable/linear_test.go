package keytable

import (
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/freerun-go/freerun/internal/verify/linear"
	"github.com/freerun-go/freerun/internal/verify/replay"
)

// TestTableLinearizable checks short histories of goroutines that share few keys, while the table
// moves to a larger or a smaller level, or does not.
func TestTableLinearizable(t *testing.T) {
	const rounds, clients, each = 1500, 4, 6
	seed := replay.Seed(t)
	var j judge
	for round := range uint64(rounds) {
		table := Table[int]{test: &hooks[int]{hash: spread}}
		var began contents
		first := make([]*numbered, 3)
		for key := range first {
			first[key] = object(key, key+1)
			began[key] = key + 1
			table.LoadOrStore(&first[key].Entry)
		}
		begins(&table, int(round%3)-1)
		var arrived atomic.Int64
		recorder := linear.NewRecorder(clients)
		var all sync.WaitGroup
		for number := range clients {
			random := rand.New(rand.NewPCG(seed+round, uint64(number)))
			s := scribe{&table, recorder.Client(number)}
			all.Go(func() {
				for arrived.Add(1); arrived.Load() < clients; {
					runtime.Gosched()
				}
				for i := range each {
					key := random.IntN(4)
					fresh := object(key, 10+number*each+i)
					switch random.IntN(4) {
					case 0:
						s.load(key)
					case 1:
						s.loadOrStore(fresh)
					case 2:
						if e := s.load(key); e != nil {
							s.replace(e, fresh)
						}
					case 3:
						if e := s.load(key); e != nil {
							s.delete(e)
						}
					}
					for range random.IntN(3) {
						runtime.Gosched()
					}
				}
			})
		}
		all.Wait()
		if err := j.check(began, recorder.History()); err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
	}
}

// spread has key 0 to 3 in four slots of a level with four, and all of a level with two in two; the
// keys from 4 on have the same hashes.
func spread(key int) uint64 { return uint64(key&3)<<62 | uint64(key>>2) }

// begins has the table's entries move, from a level with four slots, to one with eight if more is
// 1, to one with two if it is -1, and not at all if it is 0.
func begins(table *Table[int], more int) {
	l := table.current.Load()
	if len(l.slots) == 2 {
		table.resize(l, 2)
		for i := range 2 {
			table.move(l, l.next.Load(), i)
		}
		table.current.Store(l.next.Load())
		l = table.current.Load()
	}
	if more != 0 {
		table.resize(l, uint(2+more))
	}
}
