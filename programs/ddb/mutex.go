package ddb

import (
	"sync"

	"github.com/freerun-go/freerun/programs"
)

// shard is a server's table under a lock, padded so that two locks do not share a cache line.
type shard struct {
	mu    sync.Mutex
	table *table
	_     [112]byte
}

func (s *shard) serve(r request) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.table.serve(r)
}

func runMutex(cfg programs.Config) (programs.Result, error) {
	db := newDatabase(cfg.Values)
	shards := make([]shard, len(db.tables))
	for i, t := range db.tables {
		shards[i].table = t
	}
	finish := programs.NewFinish(len(db.clients))
	var clients sync.WaitGroup
	meter := programs.StartMeter()
	for _, c := range db.clients {
		clients.Go(func() {
			r, ok := c.next(0)
			for ok {
				r, ok = c.next(shards[home(r.key, len(shards))].serve(r))
			}
			finish.Reached()
		})
	}
	end, _ := finish.Wait()
	r := meter.StopAt(end, db.requests())
	clients.Wait()
	return db.finishRun(r)
}
