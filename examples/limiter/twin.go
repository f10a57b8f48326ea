package main

import (
	"context"
	"hash/maphash"
	"sync"
	"time"
)

// twin is a limiter as plain Go has it: maps with mutexes, and a goroutine that drops idle keys.
type twin struct {
	limit  limit
	seed   maphash.Seed
	shards [64]struct {
		mu  sync.Mutex
		due map[string]int64
	}
	stop  chan struct{}
	swept sync.WaitGroup
}

func newTwin(l limit) *twin {
	t := &twin{limit: l, seed: maphash.MakeSeed(), stop: make(chan struct{})}
	for i := range t.shards {
		t.shards[i].due = map[string]int64{}
	}
	t.swept.Go(t.sweep)
	return t
}

func (t *twin) allow(_ context.Context, key string) (wait time.Duration, _ error) {
	s := &t.shards[maphash.String(t.seed, key)%uint64(len(t.shards))]
	s.mu.Lock()
	defer s.mu.Unlock()
	s.due[key], wait = t.limit.take(s.due[key], time.Now().UnixNano())
	return wait, nil
}

// sweep drops the keys that are as good as new. While it looks at a shard, that shard's keys wait.
func (t *twin) sweep() {
	for ticker := time.NewTicker(max(t.limit.full(), time.Millisecond)); ; {
		select {
		case <-t.stop:
			ticker.Stop()
			return
		case <-ticker.C:
		}
		for i := range t.shards {
			s := &t.shards[i]
			s.mu.Lock()
			for key, due := range s.due {
				if due <= time.Now().UnixNano() {
					delete(s.due, key)
				}
			}
			s.mu.Unlock()
		}
	}
}

func (t *twin) keys() (n int) {
	for i := range t.shards {
		t.shards[i].mu.Lock()
		n += len(t.shards[i].due)
		t.shards[i].mu.Unlock()
	}
	return n
}

func (t *twin) close(context.Context) error {
	close(t.stop)
	t.swept.Wait()
	return nil
}
