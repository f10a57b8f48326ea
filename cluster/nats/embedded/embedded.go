//go:build !wasm

package embedded

import (
	"fmt"
	"net"
	"strconv"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"github.com/freerun-go/freerun/cluster"
	"github.com/freerun-go/freerun/cluster/nats/internal/member"
)

// Server is a store whose server of NATS runs in this process, and keeps what it has in a folder.
// program is the name of the program, as package nats has it.
//
//	node, err := cluster.Join(rt, embedded.Server("bank", "/var/lib/bank", embedded.Create()))
//
// The server is alone, and nothing connects to it but the process, unless [Routes] or [Listen] say
// otherwise. It syncs each write, unless [SyncEvery] says otherwise. It ends when the node is
// closed.
//
// Opening it fails with
//   - [cluster.ErrStateLost] if the folder has no server's store, as the folder of a lost mount has
//     none, or the servers have no streams: the first start asks for them with [Create];
//   - [cluster.ErrInUse] if another process has the folder, or this one;
//   - the errors of package nats, as its ErrNoServer if the server does not start, or too few of
//     the others have come within a minute ([Within]).
func Server(program, dir string, options ...Option) cluster.Store {
	s := settings{program: program, dir: dir, member: member.Defaults(program)}
	s.member.Streams.Replicas = 1
	for i, o := range options {
		if o.set == nil {
			panic(fmt.Sprintf("embedded: a zero Option, the one with index %d", i))
		}
		o.set(&s)
	}
	return member.Store(s.member, s.start)
}

// Option is a setting of [Server].
type Option struct{ set func(s *settings) }

// settings are how a server runs, and how its streams are opened.
type settings struct {
	program, dir string
	member       member.Settings
	listen       string // for clients; empty for none
	routes       *routes
	sync         time.Duration // 0: each write
	change       []func(o *server.Options)
}

// routes are how servers that belong together find each other.
type routes struct {
	listen, secret string
	servers        []string
}

// Create makes the folder of the server and the streams if there are none. With [Routes] the
// streams are on three servers, or on five. Leave it out once the program has run: a folder that
// was lost looks like a new one.
func Create() Option {
	return Option{func(s *settings) { s.member.Streams.Create = true }}
}

// Partitions is as that of package nats.
func Partitions(n int) Option {
	if n < 1 {
		panic(fmt.Sprintf("embedded: Partitions(%d); it needs at least 1", n))
	}
	return Option{func(s *settings) { s.member.Streams.Partitions = n }}
}

// Pairs is as that of package nats.
func Pairs(n int) Option {
	if n < 1 {
		panic(fmt.Sprintf("embedded: Pairs(%d); it needs at least 1", n))
	}
	return Option{func(s *settings) { s.member.Streams.Pairs = n }}
}

// Within is as that of package nats.
func Within(d time.Duration) Option {
	if d <= 0 {
		panic(fmt.Sprintf("embedded: Within(%v); it needs a positive time", d))
	}
	return Option{func(s *settings) { s.member.Within = d }}
}

// Listen has the server listen for clients at an address, a host and a port: other processes of the
// program that have no server of their own, and tools. Whoever connects may do all, unless
// [Settings] says who may. It panics for an empty address.
func Listen(address string) Option {
	if address == "" {
		panic("embedded: Listen with an empty address; without the option nobody else connects")
	}
	return Option{func(s *settings) { s.listen = address }}
}

// Routes has the server be one of three or five, on as many machines, each with a folder of its
// own. It listens for the others at listen; servers are the addresses of all, this one too. They
// show each other the secret: it goes over the network as it is, so on one that others use, have
// [Settings] give the routes TLS. One of three may end, and two of five, and the others go on. It
// panics for another number of servers, and for an empty secret.
func Routes(listen, secret string, servers ...string) Option {
	if n := len(servers); n != 3 && n != 5 {
		panic(fmt.Sprintf("embedded: Routes with %d servers; 3 or 5 go on when one ends", n))
	}
	if secret == "" {
		panic("embedded: Routes with an empty secret")
	}
	return Option{func(s *settings) {
		s.routes = &routes{listen, secret, servers}
		s.member.Streams.Replicas = len(servers)
	}}
}

// SyncEvery has outcomes be known before what they stand for is synced, which it is within d. A
// process that is killed loses nothing. When the power fails, what was stored in the last d may be
// lost; and all, if the operating system has not yet written the files that say what the streams
// are, which the server leaves to it. It panics if d is not positive.
func SyncEvery(d time.Duration) Option {
	if d <= 0 {
		panic(fmt.Sprintf("embedded: SyncEvery(%v); it needs a positive time", d))
	}
	return Option{func(s *settings) { s.sync = d }}
}

// Settings has change set more of the server's options, after all others: TLS for routes and
// clients, accounts, limits of its memory and of its disk. If clients need credentials then, so
// does the process ([Connection]). It panics for nil.
func Settings(change func(o *server.Options)) Option {
	if change == nil {
		panic("embedded: Settings with a nil function")
	}
	return Option{func(s *settings) { s.change = append(s.change, change) }}
}

// Links is as that of package nats. listen needs a host by which other machines reach this one.
func Links(listen string) Option {
	host, _, err := net.SplitHostPort(listen)
	if err != nil || host == "" || net.ParseIP(host).IsUnspecified() {
		panic(fmt.Sprintf("embedded: Links(%q); it needs host:port, with the host by which other machines reach this one", listen))
	}
	return Option{func(s *settings) { s.member.Links = listen }}
}

// Connection is as that of package nats, for the connection of the process to its own server.
func Connection(options ...nats.Option) Option {
	return Option{func(s *settings) { s.member.Connection = append(s.member.Connection, options...) }}
}

// address returns the parts of an address.
func address(what, at string) (host string, port int, err error) {
	host, text, err := net.SplitHostPort(at)
	if err == nil {
		port, err = strconv.Atoi(text)
	}
	if err != nil {
		return "", 0, fmt.Errorf("embedded: %s %q; it needs a host and a port, as 127.0.0.1:4222: %w", what, at, err)
	}
	if port == 0 {
		port = server.RANDOM_PORT
	}
	return host, port, nil
}
