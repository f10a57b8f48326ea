// Package rivals puts the libraries that a user might pick instead of freerun side by side with it, on three questions,
// as ordinary Go benchmarks:
//
//	go test -bench . ./bench/rivals/...
//
//	FanIn     four goroutines send to one entity that counts: time per message, until the last is received
//	PingPong  two entities pass one message to and fro: time per hop
//	Submit    one goroutine submits empty tasks and waits for all: time per task
//
// Every rival is used the way its documentation recommends, behind one of the adapters [contest.Entity], [contest.Pair] and [contest.Pool]; the
// tests check that each adapter delivers what is sent, once. Messages carry nothing, so that no rival
// pays for the boxing of a value in an interface.
//
//	hollywood    github.com/anthdm/hollywood       entities
//	protoactor   github.com/asynkron/protoactor-go entities; in a folder of its own, since it and hollywood register
//	                                               conflicting protobuf files and one process can't hold both
//	ants         github.com/panjf2000/ants/v2      tasks
//	pond         github.com/alitto/pond/v2         tasks
//	conc         github.com/sourcegraph/conc       tasks
package rivals

import "github.com/freerun-go/freerun/bench/rivals/contest"

// The adapters have the types that the questions are put to.
var (
	_ contest.Entity = ChannelEntity
	_ contest.Pair   = ChannelPair
	_ contest.Pool   = GoPool
)
