package rivals

import "github.com/anthdm/hollywood/actor"

// ball is the message of all rivals whose messages are interfaces. Its size is zero, so boxing it
// allocates nothing.
type ball struct{}

func hollywood() *actor.Engine {
	engine, err := actor.NewEngine(actor.NewEngineConfig())
	must(err)
	return engine
}

// HollywoodEntity is an actor with the default inbox.
func HollywoodEntity(receive func()) (send, stop func()) {
	engine := hollywood()
	pid := engine.SpawnFunc(func(c *actor.Context) {
		if _, ok := c.Message().(ball); ok {
			receive()
		}
	}, "counter")
	return func() { engine.Send(pid, ball{}) }, func() { <-engine.Poison(pid).Done() }
}

// HollywoodPair is two actors with the default inbox.
func HollywoodPair(hop func() bool) (serve, stop func()) {
	engine := hollywood()
	var ping, pong *actor.PID
	play := func(other **actor.PID) func(*actor.Context) {
		return func(c *actor.Context) {
			if _, ok := c.Message().(ball); ok && hop() {
				c.Send(*other, ball{})
			}
		}
	}
	ping = engine.SpawnFunc(play(&pong), "ping")
	pong = engine.SpawnFunc(play(&ping), "pong")
	return func() { engine.Send(ping, ball{}) }, func() {
		<-engine.Poison(ping).Done()
		<-engine.Poison(pong).Done()
	}
}
