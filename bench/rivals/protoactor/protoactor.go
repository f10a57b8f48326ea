// Package protoactor has the adapters of protoactor-go for the benchmarks of [rivals]. It is a
// package of its own because protoactor-go and hollywood register conflicting protobuf files: a
// process that holds both panics at its start.
package protoactor

import (
	"fmt"
	"io"
	"log/slog"

	"github.com/asynkron/protoactor-go/actor"
)

// ball is the message. Its size is zero, so boxing it allocates nothing.
type ball struct{}

func system() *actor.ActorSystem {
	return actor.NewActorSystem(actor.WithLoggerFactory(func(*actor.ActorSystem) *slog.Logger {
		return slog.New(slog.NewTextHandler(io.Discard, nil))
	}))
}

// end stops the actors, then the system.
func end(s *actor.ActorSystem, pids ...*actor.PID) {
	for _, pid := range pids {
		if err := s.Root.PoisonFuture(pid).Wait(); err != nil {
			panic(fmt.Sprintf("protoactor: stopping %v: %v", pid, err))
		}
	}
	s.Shutdown()
}

// Entity is an actor with the default mailbox.
func Entity(receive func()) (send, stop func()) {
	s := system()
	pid := s.Root.Spawn(actor.PropsFromFunc(func(c actor.Context) {
		if _, ok := c.Message().(ball); ok {
			receive()
		}
	}))
	return func() { s.Root.Send(pid, ball{}) }, func() { end(s, pid) }
}

// Pair is two actors with the default mailbox.
func Pair(hop func() bool) (serve, stop func()) {
	s := system()
	var ping, pong *actor.PID
	play := func(other **actor.PID) *actor.Props {
		return actor.PropsFromFunc(func(c actor.Context) {
			if _, ok := c.Message().(ball); ok && hop() {
				c.Send(*other, ball{})
			}
		})
	}
	ping = s.Root.Spawn(play(&pong))
	pong = s.Root.Spawn(play(&ping))
	return func() { s.Root.Send(ping, ball{}) }, func() { end(s, ping, pong) }
}
