//go:build !explore

package park_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/freerun-go/freerun/internal/sync/park"
)

func TestUnparkComesFirst(t *testing.T) {
	p := park.New()
	p.Unpark()
	p.Unpark() // there is one token at most
	p.Park()
	if p.TryConsume() {
		t.Error("a second token was left")
	}
}

func TestUnparkWakes(t *testing.T) {
	p, q := park.New(), park.New()
	var both sync.WaitGroup
	both.Go(func() {
		for range 1000 {
			p.Park()
			q.Unpark()
		}
	})
	for range 1000 {
		p.Unpark()
		q.Park()
	}
	both.Wait()
}

func TestParkContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := park.New()
		reason := errors.New("enough")
		ctx, cancel := context.WithTimeoutCause(t.Context(), time.Hour, reason)
		defer cancel()
		if err := p.ParkContext(ctx); !errors.Is(err, reason) {
			t.Errorf("got %v, want %v", err, reason)
		}
		p.Unpark()
		if err := p.ParkContext(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// TestParkContextThatNeverEnds wakes a goroutine that waits with a context that cannot end.
func TestParkContextThatNeverEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := park.New()
		go func() {
			time.Sleep(time.Minute)
			p.Unpark()
		}()
		if err := p.ParkContext(context.Background()); err != nil {
			t.Error(err)
		}
	})
}

func TestMutexExcludes(t *testing.T) {
	var m park.Mutex
	var all sync.WaitGroup
	count := 0
	for range 4 {
		all.Go(func() {
			for i := range 3000 {
				switch i % 3 {
				case 0:
					m.Lock()
				case 1:
					for !m.TryLock() {
						time.Sleep(0)
					}
				default:
					for !m.LockTimeout(time.Microsecond) {
						time.Sleep(0)
					}
				}
				count++
				m.Unlock()
			}
		})
	}
	all.Wait()
	if count != 12_000 {
		t.Errorf("counted %d of 12000", count)
	}
}

func TestMutexTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var m park.Mutex
		m.Lock()
		if m.TryLock() || m.LockTimeout(0) || m.LockTimeout(time.Hour) {
			t.Error("locked twice")
		}
		go func() {
			time.Sleep(time.Minute)
			m.Unlock()
		}()
		if !m.LockTimeout(time.Hour) {
			t.Error("not locked though it was free after a minute")
		}
		m.Unlock()
		defer func() {
			if recover() == nil {
				t.Error("no panic from unlocking an unlocked mutex")
			}
		}()
		m.Unlock()
	})
}
