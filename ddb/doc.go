// Package ddb is a database that speaks the Redis protocol (RESP2) and whose shards are units of the freerun runtime.
//
//	server, err := ddb.New(ddb.Config{Shards: 4, Processors: 2})
//	addr, err := server.Listen("127.0.0.1:6379") // tells where, if the port was 0
//	go server.Serve()                            // until Shutdown
//	err = server.Shutdown(ctx)                   // on SIGTERM: drains
//
// That is all a command line needs: --addr goes to Listen, --shards and --processors to Config, where 0 is the default.
// Serve returns nil after Shutdown, and a signal handler calls Shutdown with a context that ends when it has been
// patient enough. A server has no globals of its own; several live in one process.
//
// # How it works
//
// Each key belongs to one shard by a seeded hash; a shard is a unit, whose operations never overlap, so the commands
// on its data are plain sequential code. Each connection is a goroutine that takes all requests it has received (a
// pipeline), sorts them by shard, sends one message to each shard concerned, waits once for all, and writes the replies
// in the order of the requests.
//
// # Contracts
//
//   - The replies of a connection come in the order of its requests, however it pipelines.
//   - A command on one key is atomic. The commands of one connection on one key take effect in the order sent.
//   - MGET, MSET, DEL, EXISTS, FLUSHALL and FLUSHDB are atomic, however many shards their keys are in: each is one operation
//     on all of these units at once. Others see all of an MSET, or nothing.
//   - KEYS, DBSIZE and INFO see all that their connection sent before them and nothing that it sent after, but visit each shard
//     at a moment of its own: a shard is not kept waiting while another is searched.
//   - MULTI queues commands and EXEC executes them as one operation on all shards concerned, so nobody sees a part of it; those
//     in other shards go on meanwhile. With WATCH it is not executed, and answers with nil, if one of the keys has been written to,
//     has been deleted or has expired since, by whomever. A command that could not be queued makes EXEC answer EXECABORT; one that
//     fails when it is executed does not undo the others, as in Redis.
//   - SCAN returns every key that is present from the beginning of the iteration to its end, some perhaps twice. One
//     call visits one shard and at most COUNT keys, so it may return none although the iteration goes on.
//   - With a limit (MaxMemory) keys and values never come to take more, and what must make room is
//     Config.MaxMemoryPolicy's to say: evicted keys are deleted, also for those who WATCH them. A
//     command that finds no room answers with Redis's error, "OOM command not allowed when used
//     memory > 'maxmemory'.", and has changed nothing, on no shard; a transaction answers
//     EXECABORT. CONFIG SET changes maxmemory, maxmemory-policy and maxmemory-samples while the
//     server runs. A limit that is set below what keys and values take makes them no smaller at
//     once: until they have come down to it, a command that needs more makes others evict, or is
//     refused. With a policy that evicts they come down by and by, also if no command is sent; with
//     noeviction, or when nothing is left that the policy would evict, by what is deleted and
//     expires.
//   - A key lives at least as long as it was given, and less than a millisecond more. Once due it is never seen again, and is removed
//     within about 100 milliseconds even if no command asks for it.
//   - Errors have Redis 7.0's wording. What breaks the protocol gets an error and loses its connection; the others do
//     not notice. A command that panics (a fault of this package) answers with an error, as do those behind it in the
//     same message; the shard stays, and the log tells.
//   - Shutdown answers what has been received; then nothing of the server is left running.
//
// # Memory
//
// INFO's used_memory is what counts: for each key what its bytes and those of its value take, and 130 bytes beside, 100 off the heap.
// What clients take and Go's garbage come on top. A command is executed if what it may need at most can be reserved first, so a value
// that is larger than the limit is refused. Keys are evicted by the shard that needs room, among its own, or if that would be much of them by
// the fullest others; so least recently used is approximate twice, by samples and by shards.
//
// With Config.Values = OffHeap, keys and values are in an offheap.Arena, and Go's collector has nothing to do with them, however many there are:
// what it costs then is a copy of each long reply, and that a key and its value count as the next power of two bytes. The arena is twice MaxMemory, and so bounds what
// CONFIG SET can raise that to. A block is given back when its key is overwritten, deleted, evicted or due, and when the server ends nothing is
// left; if something is, Shutdown's error says so. docs/adr/0029 has the reasons.
//
// # Clients
//
// With Config.Password a client must give the password first, by AUTH or HELLO; until then its
// requests have at most 10 arguments of 16 KiB. Without one, only clients that connect from a
// loopback address are served, whatever address Listen was given: Redis's protected mode, which
// Config.Unprotected switches off. There is one user, default. CONFIG SET changes requirepass and
// protected-mode.
//
// What clients take is counted: buffers, queued transactions, watched keys, replies that wait. INFO has the sum as mem_clients_normal, CLIENT LIST the parts
// (qbuf, argv-mem, multi-mem, rbs, omem, tot-mem). A client that says nothing for 2 to 4 seconds keeps a buffer of 16 KiB. Two limits hold:
//
//   - Config.MaxClientMemory (maxmemory-clients), for all together, none by default: beyond it the clients that take the most are disconnected, and the log names them.
//   - Config.MaxClientOutput (client-output-buffer-limit), for one, 1 GiB by default: a client is disconnected if more waits for it, or has been copied for one reply.
//
// Beyond neither is any error sent, as in Redis: there would be replies in front of it.
//
// # What it takes
//
// Strings are the only type, 0 the only database; there is no persistence and no encryption: do not expose it to a network that is not trusted. HELLO 3 answers NOPROTO, whereupon clients go on with RESP2. Inline
// commands know Redis's quoting except \x escapes. Of SCAN, a cursor that was never given out is an error or the place
// that it happens to mean; a negative one is an error.
//
// Limits: arguments of 512 MiB (MaxBulk), requests of 1 GiB (MaxRequest) and 1,048,576 arguments (MaxArguments), inline
// requests of 64 KiB, 10,000 clients (MaxClients). Memory for a request grows with what arrives, not with what is
// announced. A connection executes at most 1024 requests before it writes their replies, and fewer if these get long; replies refer to long values
// and do not copy them, unless those are off the heap. For one client, at most 64 MiB of replies are made or wait (more by what one reply on each
// processor adds; with MaxClientOutput below 128 MiB half of that). For a client that does not read, nothing more is executed then, and when it has taken
// nothing for a minute (WriteTimeout) it is disconnected. The replies to KEYS, MGET and EXEC are made in one piece. What is queued since MULTI
// may take as much as a request (MaxRequest), 400 bytes for each command included.
// IdleTimeout is off by default, as in Redis.
//
// # redcon
//
// Requests are cut into arguments by github.com/tidwall/redcon's ReadNextCommand, and replies are built by its Append
// functions. Its Server is not used, since it buffers without limit, recurses once per read of an unfinished request
// (a client that sends byte by byte can overflow the stack, which is fatal), drops the sound requests in front of a
// broken one, copies every request, and closes its connections at once when it is closed.
package ddb
