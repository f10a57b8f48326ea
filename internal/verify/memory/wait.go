package memory

import (
	"context"
	"time"
)

// Token lets a model thread wait: one thread gives it, another takes it. It is either available or
// not; giving it twice leaves one. The zero value is not available. Only model threads may wait for
// it.
type Token struct {
	held bool
	at   Location
}

// Give makes the token available. It returns false if it was available already.
func (k *Token) Give() bool {
	t := step(Update, &k.at, "token")
	given := !k.held
	k.held = true
	if t != nil {
		k.at.acquire(t)
		k.at.release(t, given)
		t.result("given")
	}
	return given
}

// TryTake takes the token if it is available, and reports whether it did.
func (k *Token) TryTake() bool {
	t := step(Update, &k.at, "token")
	taken := k.held
	k.held = false
	if t != nil {
		k.at.acquire(t)
		k.at.release(t, taken)
		t.result("taken: %v", taken)
	}
	return taken
}

// Take waits until the token is available or ctx has ended, and reports whether it took the token.
// The scheduler does not choose a thread that waits.
func (k *Token) Take(ctx context.Context) bool {
	over := func() bool { return ctx != nil && ctx.Err() != nil }
	if t := Current; t != nil && !t.Freed {
		k.at.touch("token")
		var also *Location
		if c, ok := ctx.(*Context); ok {
			over = func() bool { return c.ended }
			also = &c.at
			also.touch("context")
		}
		t.pause(Access{Kind: Acquire, At: &k.at, Also: also, Open: func() bool { return k.held || over() }})
		if t.Freed {
			return false
		}
		t.Clock[t.ID]++
		k.at.acquire(t)
		k.at.release(t, k.held)
		t.result("taken: %v", k.held)
	}
	taken := k.held
	k.held = false
	return taken
}

// Context is a context that model threads can end and wait for. Only [Context.Cancel] ends it.
type Context struct {
	ended bool
	at    Location
}

// Cancel ends the context.
func (c *Context) Cancel() {
	t := step(Update, &c.at, "context")
	c.ended = true
	if t != nil {
		c.at.release(t, true)
		t.result("ended")
	}
}

// Err returns [context.Canceled] once the context has ended.
func (c *Context) Err() error {
	t := step(Load, &c.at, "context")
	if t != nil {
		c.at.acquire(t)
		t.result("ended: %v", c.ended)
	}
	if c.ended {
		return context.Canceled
	}
	return nil
}

// Done panics: a model thread cannot wait for a channel. It waits for this context through
// internal/sync/park.
func (c *Context) Done() <-chan struct{} {
	panic("memory: a model thread waits for a context through internal/sync/park only")
}

// Deadline reports that the context has no deadline.
func (c *Context) Deadline() (time.Time, bool) { return time.Time{}, false }

// Value returns nil.
func (c *Context) Value(any) any { return nil }

// Preset makes the token available before the threads start. It is no step of a thread.
func (k *Token) Preset() { k.held = true }
