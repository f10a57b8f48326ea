// Package ddb is the distributed database of the first paper (Quirk, 2008, section 9): four servers, each holding a
// unique set of keys, and twenty-eight clients that put a heavy and unbalanced load on them. The server of a key is
// determined by the key's hash. One key is hot: by default half of the requests go to it, so its server has more to do
// than the others together, and exclusion keeps that work on one processor.
//
// A client acts on what it reads: the value that comes back decides what it asks for next, and nothing of the next
// request is known before. So every client has one request under way at a time, and there are at most 28 in all.
//
// One operation is one request that a server has served: get, put or increment.
//
//	figure 7   messages run by each processor            messages_per_processor
//	figure 8   units stolen during the run               steals
//	figure 9   which units were stolen                   steals_per_server, steals_per_client
//	figure 10  CPU utilization                           not measured here: use the system's tools
//
//	variant    file          how
//	units      units.go      servers and clients are units; an answer reaches the client as the future in its next message
//	replies    replies.go    the same units; the server sends the answer to the client as a message of its own
//	channels   channels.go   a goroutine per server and per client, and a channel between each two that talk
//	mutex      mutex.go      a goroutine per client, and the servers' maps each under a lock: no servers at all
//
// The result is checked like accounts. Each client keeps a tally of what it added with its increments and puts it under
// a key of its own, at times and as its last request. At the end the tallies, the clients' own books and the values
// of the shared keys must agree, every client must have made its requests, and every key must be on its server: see audit.go.
package ddb
