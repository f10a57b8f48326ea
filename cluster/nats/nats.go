package nats

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/freerun-go/freerun/cluster"
	"github.com/freerun-go/freerun/cluster/nats/internal/member"
)

// Servers is the store of all processes that join it under one name: they share the durable units.
// program is that name, of 1 to 64 of a to z, 0 to 9, _ and -; the streams are called after it, so
// several programs can share servers. urls are those of the servers, with commas in between, as
// nats://a:4222,nats://b:4222: a process connects to one of them, and to another one when that
// ends.
//
//	node, err := cluster.Join(rt, nats.Servers("bank", "nats://127.0.0.1:4222", nats.Create(1)))
//
// Opening it waits for the servers, a minute at most ([Within]), and fails with
//   - [cluster.ErrStateLost] if the servers have no streams of the program, as servers that have
//     lost their disks have none; the first start asks for them with [Create]. And if they have
//     only a part of them;
//   - the errors of this package.
//
// A process that is to end, and has others, closes its node before it shuts its runtime down: it
// hands over what it has meanwhile ([cluster.Node.Close]).
func Servers(program, urls string, options ...Option) cluster.Store {
	s := member.Defaults(program)
	for i, o := range options {
		if o.set == nil {
			panic(fmt.Sprintf("nats: a zero Option, the one with index %d", i))
		}
		o.set(&s)
	}
	return member.Store(s, func(context.Context, *member.Settings) (member.Place, error) {
		if urls == "" {
			return member.Place{}, errors.New("nats: Servers has no server: its URLs are empty")
		}
		return member.Place{URL: urls, End: func() {}}, nil
	})
}

// Option is a setting of [Servers].
type Option struct{ set func(s *member.Settings) }

// Create makes the streams if there are none, on so many servers: 1, 3 or 5. With 3, one of them
// may end, and with 5, two, and the others go on. Streams that are on fewer servers already are
// refused. Several processes may make them at the same time; one that ends meanwhile leaves nothing
// that another one does not finish. It panics for other numbers.
//
// Leave it out once the program has run: servers that have lost all look like new ones.
func Create(servers int) Option {
	if servers != 1 && servers != 3 && servers != 5 {
		panic(fmt.Sprintf("nats: Create(%d); streams are on 1, 3 or 5 servers", servers))
	}
	return Option{func(s *member.Settings) { s.Streams.Create, s.Streams.Replicas = true, servers }}
}

// Partitions sets into how many parts the units are divided, of which each machine has some: 64
// without the option. The number is fixed for the life of the data, and another one is refused. It
// panics if n is not positive.
func Partitions(n int) Option {
	if n < 1 {
		panic(fmt.Sprintf("nats: Partitions(%d); it needs at least 1", n))
	}
	return Option{func(s *member.Settings) { s.Streams.Partitions = n }}
}

// Pairs sets on how many pairs of streams the partitions are: 1 without the option. Each stream has
// a leader of its own, so several pairs spread what is written over the servers. The number is
// fixed for the life of the data, and another one is refused; so is one above that of the
// partitions. It panics if n is not positive.
func Pairs(n int) Option {
	if n < 1 {
		panic(fmt.Sprintf("nats: Pairs(%d); it needs at least 1", n))
	}
	return Option{func(s *member.Settings) { s.Streams.Pairs = n }}
}

// Within sets how long [cluster.Join] waits for the servers, and not a minute. It panics if d is
// not positive.
func Within(d time.Duration) Option {
	if d <= 0 {
		panic(fmt.Sprintf("nats: Within(%v); it needs a positive time", d))
	}
	return Option{func(s *member.Settings) { s.Within = d }}
}

// Links has the machines connect to each other, each to the address listen of the others, as
// 10.0.0.5:7400 or :7400: calls of volatile units, direct commands and reads go straight to their
// machine, in about half of the time, and take nothing of the servers. An address without a host is
// told to others with the one under which the servers see this machine; port 0 is any that is free.
//
// The connections have TLS, with keys that are made at each start and told over the servers: who
// may not send there cannot connect. They are no promise: where none can be made, or one ends, all
// goes over the servers. Machines with and without Links are together in one program. It panics if
// listen is not host:port.
func Links(listen string) Option {
	if _, _, err := net.SplitHostPort(listen); err != nil {
		panic(fmt.Sprintf("nats: Links(%q): %v", listen, err))
	}
	return Option{func(s *member.Settings) { s.Links = listen }}
}

// Connection has the connection to the servers made with options of nats.go: credentials, TLS, a
// name, handlers of its events. Its times for pings and reconnecting are set already, so that a
// connection that is dead ends within seconds.
func Connection(options ...nats.Option) Option {
	return Option{func(s *member.Settings) { s.Connection = append(s.Connection, options...) }}
}
