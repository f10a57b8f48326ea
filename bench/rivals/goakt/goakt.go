// Package goakt has the adapters of goakt for the benchmarks of bench/rivals: actors for FanIn and
// PingPong, and grains, its virtual actors with names, for Counters. It is a module of its own, and
// not of the workspace: goakt depends on some 200 modules, which nobody needs who builds freerun.
//
//	make goakt COUNT=3
package goakt

import (
	"context"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/freerun-go/freerun/bench/rivals/contest"
	"github.com/tochemey/goakt/v4/actor"
)

// ball is the message without content. Its size is zero, so boxing it allocates nothing.
type ball struct{}

func system(name string) actor.ActorSystem {
	s, err := actor.NewActorSystem(name, actor.WithLoggingDisabled())
	must(err)
	must(s.Start(context.Background()))
	return s
}

// receiver is an actor that calls a function for each ball.
type receiver struct{ receive func(c *actor.ReceiveContext) }

func (*receiver) PreStart(*actor.Context) error { return nil }
func (*receiver) PostStop(*actor.Context) error { return nil }
func (r *receiver) Receive(c *actor.ReceiveContext) {
	if _, ok := c.Message().(ball); ok {
		r.receive(c)
	}
}

func spawn(s actor.ActorSystem, name string, receive func(c *actor.ReceiveContext)) *actor.PID {
	pid, err := s.Spawn(context.Background(), name, &receiver{receive}, actor.WithLongLived())
	must(err)
	return pid
}

// Entity is an actor with the default mailbox.
func Entity(receive func()) (send, stop func()) {
	ctx := context.Background()
	s := system("entity")
	pid := spawn(s, "entity", func(*actor.ReceiveContext) { receive() })
	return func() { must(actor.Tell(ctx, pid, ball{})) }, func() { must(s.Stop(ctx)) }
}

// Pair is two actors with the default mailbox.
func Pair(hop func() bool) (serve, stop func()) {
	ctx := context.Background()
	s := system("pair")
	var ping, pong *actor.PID
	play := func(other **actor.PID) func(*actor.ReceiveContext) {
		return func(c *actor.ReceiveContext) {
			if hop() {
				c.Tell(*other, ball{})
			}
		}
	}
	ping = spawn(s, "ping", play(&pong))
	pong = spawn(s, "pong", play(&ping))
	return func() { must(actor.Tell(ctx, ping, ball{})) }, func() { must(s.Stop(ctx)) }
}

// counter is a grain that counts.
type counter struct {
	n    int64
	done *sync.WaitGroup
}

// told and asked are requests with a piece of work.
type (
	told  struct{ work int }
	asked struct{ work int }
)

func (*counter) OnActivate(context.Context, *actor.GrainProps) error   { return nil }
func (*counter) OnDeactivate(context.Context, *actor.GrainProps) error { return nil }

func (g *counter) OnReceive(c *actor.GrainContext) {
	switch m := c.Message().(type) {
	case *told:
		contest.Work(m.work)
		g.n++
		g.done.Done()
		c.NoErr()
	case *asked:
		contest.Work(m.work)
		g.n++
		c.Response(g.n)
	default:
		c.Unhandled()
	}
}

// Counters returns a set of counters with keys: grains, whose identities are kept in a map once
// they are known, as GrainIdentity is a look-up and an activation.
func Counters() (tell func(uint64, int), ask func(uint64, int) int64, wait, stop func()) {
	ctx := context.Background()
	s := system("counters")
	var open sync.WaitGroup
	var known sync.Map // uint64 → *actor.GrainIdentity
	at := func(key uint64) *actor.GrainIdentity {
		if id, ok := known.Load(key); ok {
			return id.(*actor.GrainIdentity)
		}
		id, err := s.GrainIdentity(ctx, strconv.FormatUint(key, 16), func(context.Context) (actor.Grain, error) {
			return &counter{done: &open}, nil
		}, actor.WithLongLivedGrain())
		must(err)
		known.Store(key, id)
		return id
	}
	tell = func(key uint64, work int) {
		open.Add(1)
		must(s.TellGrain(ctx, at(key), &told{work}))
	}
	ask = func(key uint64, work int) int64 {
		n, err := s.AskGrain(ctx, at(key), &asked{work}, time.Minute)
		must(err)
		return n.(int64)
	}
	return tell, ask, open.Wait, func() { must(s.Stop(ctx)) }
}

func must(err error) {
	if err != nil {
		panic(fmt.Sprintf("goakt: %v", err))
	}
}
