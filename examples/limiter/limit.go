package main

import (
	"context"
	"time"
)

// limit is what each key is allowed: Burst requests at once, and then one each Each.
type limit struct {
	Burst int
	Each  time.Duration
}

// full is how long a key has to be silent to be as good as a new one.
func (l limit) full() time.Duration { return time.Duration(l.Burst) * l.Each }

// take takes a request from a key at time now, in nanoseconds. due is the time at which all that it
// was allowed would have come one by one; a new key has 0. If the key has to wait first, take
// returns for how long, and due stays as it is.
func (l limit) take(due, now int64) (_ int64, wait time.Duration) {
	due = max(due, now)
	if wait = time.Duration(due-now) - l.full() + l.Each; wait > 0 {
		return due, wait
	}
	return due + int64(l.Each), 0
}

// limiter answers for each key. Any goroutine may ask.
type limiter interface {
	// allow takes a request from a key, or tells how long it has to wait before.
	allow(ctx context.Context, key string) (wait time.Duration, err error)
	// keys is how many keys are in memory.
	keys() int
	close(ctx context.Context) error
}
