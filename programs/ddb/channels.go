package ddb

import (
	"sync"

	"github.com/freerun-go/freerun/programs"
)

// asked is a request with the channel for its answer.
type asked struct {
	request
	answer chan<- int64
}

func runChannels(cfg programs.Config) (programs.Result, error) {
	db := newDatabase(cfg.Values)
	inboxes := make([]chan asked, len(db.tables))
	var servers sync.WaitGroup
	for i, t := range db.tables {
		// A client has one request under way, so with this much room no client waits to send.
		inbox := make(chan asked, len(db.clients))
		inboxes[i] = inbox
		servers.Go(func() {
			for r := range inbox {
				r.answer <- t.serve(r.request)
			}
		})
	}
	finish := programs.NewFinish(len(db.clients))
	var clients sync.WaitGroup
	meter := programs.StartMeter()
	for _, c := range db.clients {
		clients.Go(func() {
			answer := make(chan int64, 1) // with room, so that no server waits for a client
			r, ok := c.next(0)
			for ok {
				inboxes[home(r.key, len(inboxes))] <- asked{r, answer}
				r, ok = c.next(<-answer)
			}
			finish.Reached()
		})
	}
	end, _ := finish.Wait()
	r := meter.StopAt(end, db.requests())
	clients.Wait()
	for _, inbox := range inboxes {
		close(inbox)
	}
	servers.Wait()
	return db.finishRun(r)
}
