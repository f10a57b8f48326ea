package activity

import "context"

// Gate is a crowd for tests.
type Gate struct{ crowd }

func NewGate() *Gate { return new(Gate) }

func (g *Gate) Wait(ctx context.Context) error { return g.wait(ctx) }
func (g *Gate) Open()                          { g.open() }

// Sleeps reports whether an activity waits.
func (a *Activity) Sleeps() bool {
	st := a.stack.Load()
	return st != nil && st.waiter.Load().word.Load()&stateBits == waiting
}
