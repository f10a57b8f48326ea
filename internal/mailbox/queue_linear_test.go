package mailbox_test

import (
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/freerun-go/freerun/internal/mailbox"
	"github.com/freerun-go/freerun/internal/verify/linear"
	"github.com/freerun-go/freerun/internal/verify/replay"
)

// TestMailboxLinearizable checks short histories of goroutines that enqueue and drain when they are
// told to, and use nodes again by the rule. A history begins when all its goroutines have arrived,
// so that their calls overlap.
func TestMailboxLinearizable(t *testing.T) {
	const rounds, clients, each = 600, 4, 6
	seed := replay.Seed(t)
	for round := range uint64(rounds) {
		var m mailbox.Queue
		var arrived atomic.Int64
		recorder := linear.NewRecorder(clients)
		var all sync.WaitGroup
		for number := range clients {
			client, random := recorder.Client(number), rand.New(rand.NewPCG(seed+round, uint64(number)))
			pause := func() {
				for range random.IntN(3) {
					runtime.Gosched()
				}
			}
			all.Go(func() {
				for arrived.Add(1); arrived.Load() < clients; {
					runtime.Gosched()
				}
				var spare []*parcel // this client's, to enqueue again
				for i := range each {
					it := &parcel{}
					if len(spare) > 0 {
						it, spare = spare[0], spare[1:]
					}
					it.number = number*each + i
					owner := client.Enqueue(it.number, func(int) bool { return m.Enqueue(&it.Node) })
					pause()
					for before := (*parcel)(nil); owner; pause() {
						var taken *parcel
						_, owner = client.Dequeue(func() (int, bool) {
							n := m.Dequeue()
							if n == nil {
								return 0, false
							}
							taken = parcelOf(n)
							return taken.number, true
						})
						if before != nil {
							spare = append(spare, before)
						}
						before = taken
					}
				}
			})
		}
		all.Wait()
		if err := linear.Check(linear.Mailbox(), recorder.History()); err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
	}
}
