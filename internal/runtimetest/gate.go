package runtimetest

// Gate holds one operation until the test opens the gate. It is for tests that need an operation
// to be running.
type Gate struct {
	Entered chan struct{} // closed by Pass, when the operation runs
	Opened  chan struct{} // closed by the test
}

// NewGate returns a gate that is closed.
func NewGate() *Gate { return &Gate{make(chan struct{}), make(chan struct{})} }

// Pass waits until the gate is open. The operation calls it, once.
func (g *Gate) Pass() {
	close(g.Entered)
	<-g.Opened
}
