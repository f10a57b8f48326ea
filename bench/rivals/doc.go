// Package rivals compares the libraries that a user might pick instead of freerun with it, on four
// questions, as ordinary Go benchmarks:
//
//	go test -bench . ./bench/rivals/...
//
//	FanIn     four goroutines send to one entity that counts: time per message, until the last
//	PingPong  two entities pass one message to and fro: time per hop
//	Submit    one goroutine submits empty tasks and waits for all: time per task
//	Counters  64 goroutines tell and ask a million counters with keys: time per request, with a
//	          microsecond of work and with none
//
// Every rival is used as its documentation recommends, behind one of the adapters [contest.Entity],
// [contest.Pair], [contest.Pool] and [contest.Counters]. The tests check that each adapter delivers
// every message once. Messages carry nothing, so that no rival pays for the boxing of a value in an
// interface.
//
// Alike: the adapters call the same functions of a contest, with nothing in the messages, on as
// many processors. Not alike: the channel of FanIn has room for 1024 messages and its senders wait,
// while the unit of freerun has no bound; entities of the actor libraries receive values of any
// type.
//
// Counters has the same sequence of keys for all, drawn by the law of Zipf, and checks all counts.
// Its rivals are a map of counters with a mutex each, and a map of goroutines with a channel each.
// Not alike: whoever tells under a mutex does the work itself, and a goroutine for each key counts
// what is open in a WaitGroup, which all callers write to.
//
//	hollywood    github.com/anthdm/hollywood       entities
//	protoactor   github.com/asynkron/protoactor-go entities; in a folder of its own, because one
//	             process cannot hold it and hollywood: they register conflicting protobuf files
//	goakt        github.com/tochemey/goakt/v4      entities and counters; in a module of its own,
//	             with the many modules that it depends on: make goakt
//	ergo         not here: version 3 cannot be downloaded, as Go's module proxy refuses it, and
//	             version 2 drops what comes to a full mailbox, so these would not end
//	durable      not here: durable units beside bbolt, SQLite and DBOS are the program durable of
//	             `freerun bench durable`, in a module of its own (package bench/durable)
//	ants         github.com/panjf2000/ants/v2      tasks
//	pond         github.com/alitto/pond/v2         tasks
//	conc         github.com/sourcegraph/conc       tasks
package rivals

import "github.com/freerun-go/freerun/bench/rivals/contest"

// Each adapter has the type that its question requires.
var (
	_ contest.Entity = ChannelEntity
	_ contest.Pair   = ChannelPair
	_ contest.Pool   = GoPool
)
