// Package ddb is the distributed database of the first paper (Quirk, 2008, section 9): four
// servers, each with keys of its own, and twenty-eight clients that put a heavy and unbalanced load
// on them. The hash of a key selects its server. One key is hot: by default half of the requests go
// to it. Its server has more to do than the others together, and exclusion keeps that work on one
// processor.
//
// A client acts on what it reads: the value that comes back determines the next request, and
// nothing of that request is known before. So a client has one request under way at a time, and
// there are at most 28 in all.
//
// One operation is one request that a server has served: get, put or increment.
//
//	figure 7   messages run by each processor            messages_per_processor
//	figure 8   units stolen during the run               steals
//	figure 9   which units were stolen                   steals_per_server, steals_per_client
//	           and how much they had to do               messages_per_server, messages_per_client
//	figure 10  CPU utilization                           cpu_ns_per_op, beside ns_per_op
//
//	variant    file          how
//	units      units.go      servers and clients are units; answers are futures
//	replies    replies.go    the same units; the server sends the answer as a message of its own
//	channels   channels.go   a goroutine per server and client; channels between those that talk
//	mutex      mutex.go      a goroutine per client; a map under a lock for each server
//
// The result is checked like accounts. Each client keeps a tally of what its increments added, and
// stores the tally under a key of its own, at times and as its last request. At the end the
// tallies, the clients' own books and the values of the shared keys must agree, every client must
// have made its requests, and every key must be on its server: see audit.go.
package ddb
