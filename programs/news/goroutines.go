package news

import (
	"sync"
	"sync/atomic"

	"github.com/freerun-go/freerun/programs"
)

// post is a place on the board. It has a message after out is closed.
type post struct {
	out     chan struct{} // closed when the message is there
	message int           // written before out is closed, read after; so is next
	next    *post
	unread  atomic.Int64  // customers who have not read the message
	read    chan struct{} // closed after all have read it
}

func newPost(customers int) *post {
	p := &post{out: make(chan struct{}), read: make(chan struct{})}
	p.unread.Store(int64(customers))
	return p
}

// runGoroutines closes a channel to announce a message, and another when all have read it. A mutex
// with conditions to broadcast takes somewhat longer, and so does a channel to each customer.
func runGoroutines(cfg programs.Config) (programs.Result, error) {
	a := newAgency(cfg.Values)
	var all sync.WaitGroup
	var board sync.Mutex // the reporter holds it until the message is read
	meter := programs.StartMeter()
	first := newPost(len(a.customers))
	free := first // the place of the next message, under the lock
	for i := range a.customers {
		mine := &a.customers[i]
		all.Go(func() {
			var r reader
			for p := first; r.read < a.total(); p = p.next {
				<-p.out
				r.see(p.message)
				if p.unread.Add(-1) == 0 {
					close(p.read)
				}
			}
			*mine = r
		})
	}
	for reporter := range a.reporters {
		all.Go(func() {
			for i := range a.messages {
				board.Lock()
				p := free
				p.message, p.next = a.message(reporter, i), newPost(len(a.customers))
				free = p.next
				close(p.out)
				<-p.read
				board.Unlock()
			}
		})
	}
	all.Wait()
	result := meter.Stop(a.operations())
	result.Checksum = a.checksum()
	return result, nil
}
