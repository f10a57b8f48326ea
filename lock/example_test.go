//go:build !explore

package lock_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/freerun-go/freerun/lock"
)

// An MCS is used like a sync.Mutex.
func ExampleMCS() {
	var l lock.MCS
	var all sync.WaitGroup
	count := 0
	for range 10 {
		all.Go(func() {
			for range 100 {
				l.Lock()
				count++
				l.Unlock()
			}
		})
	}
	all.Wait()
	fmt.Println(count)
	// Output: 1000
}

// A waiter that has waited for long enough leaves the queue; the others do not notice.
func ExampleCLH() {
	var l lock.CLH
	l.Lock()
	ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	err := l.LockContext(ctx)
	fmt.Println(errors.Is(err, context.DeadlineExceeded))
	l.Unlock()
	fmt.Println(l.TryLock())
	// Output:
	// true
	// true
}

// A lock with two places: one for the holder, one for a waiter, which keeps its place until its
// turn even if it gives up. Further callers are refused.
func ExampleAnderson() {
	l := lock.NewAnderson(2)
	l.Lock()
	// Long enough for LockContext to begin: with a context that has ended, it takes no place.
	ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer cancel()
	fmt.Println("first: ", l.LockContext(ctx))
	fmt.Println("second:", l.LockContext(context.Background()))
	l.Unlock()
	fmt.Println("third: ", l.LockContext(context.Background()))
	// Output:
	// first:  context deadline exceeded
	// second: lock: no free place in the queue
	// third:  <nil>
}

// A lock that admits the newest waiter first takes only another queue.
func ExampleNewFIFO() {
	var q newestFirst
	l := lock.NewFIFO(&q)
	l.Lock()
	var all sync.WaitGroup
	for i := range 3 {
		all.Go(func() {
			l.Lock()
			fmt.Println("waiter", i)
			l.Unlock()
		})
		for q.len() <= i { // for the sake of the example: let it come to wait
			time.Sleep(time.Millisecond)
		}
	}
	l.Unlock()
	all.Wait()
	// Output:
	// waiter 2
	// waiter 1
	// waiter 0
}

// newestFirst is a queue of waiters that gives back the newest waiter first.
type newestFirst struct {
	mu      sync.Mutex
	waiters []*lock.Waiter
}

func (q *newestFirst) TryEnqueue(w *lock.Waiter) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.waiters = append(q.waiters, w)
	return true
}

func (q *newestFirst) TryDequeue() (*lock.Waiter, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	last := len(q.waiters) - 1
	if last < 0 {
		return nil, false
	}
	w := q.waiters[last]
	q.waiters = q.waiters[:last]
	return w, true
}

func (q *newestFirst) len() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.waiters)
}

// The zero FIFO has a queue of its own.
func ExampleFIFO() {
	var l lock.FIFO
	l.Lock()
	fmt.Println(l.TryLock())
	l.Unlock()
	// Output: false
}

// A Backoff is for critical sections that are shorter than a handover.
func ExampleBackoff() {
	var l lock.Backoff
	total := 0
	var all sync.WaitGroup
	for i := range 4 {
		all.Go(func() {
			l.Lock()
			defer l.Unlock()
			total += i
		})
	}
	all.Wait()
	fmt.Println(total)
	// Output: 6
}
