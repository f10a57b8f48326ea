package runtimetest

// Gate holds an operation until the test opens it: for tests that need one to be running.
type Gate struct {
	Entered chan struct{} // closed by the operation
	Opened  chan struct{} // closed by the test
}

// NewGate returns a gate that is closed.
func NewGate() *Gate { return &Gate{make(chan struct{}), make(chan struct{})} }

// Pass waits at the gate. The operation calls it.
func (g *Gate) Pass() {
	close(g.Entered)
	<-g.Opened
}
