// Package ddb is a database that speaks the Redis protocol (RESP2). Its shards are units of the
// freerun runtime.
//
//	server, err := ddb.New(ddb.Config{Shards: 4, Processors: 2})
//	addr, err := server.Listen("127.0.0.1:6379") // with port 0, returns the one chosen
//	go server.Serve()                            // until Shutdown
//	err = server.Shutdown(ctx)                   // on SIGTERM: drains
//
// A command line needs no more: --addr goes to Listen, --shards and --processors go to Config,
// where 0 is the default. Serve returns nil after Shutdown. A signal handler calls Shutdown with a
// context that bounds how long it waits. A server has no globals; several can live in one process.
//
// # How it works
//
// Each key belongs to one shard, which a seeded hash selects. A shard is a unit, and operations of
// one unit never overlap; so the commands on its data are plain sequential code. Each connection is
// a goroutine. It takes all requests that it has received (a pipeline), sorts them by shard, sends
// one message to each shard concerned, waits once for all of them, and writes the replies in the
// order of the requests.
//
// # Contracts
//
//   - The replies of a connection come in the order of its requests, however it pipelines.
//   - A command on one key is atomic. The commands of one connection on one key take effect in the
//     order sent.
//   - MGET, MSET, DEL, EXISTS, FLUSHALL and FLUSHDB are atomic, however many shards hold their
//     keys: each is one operation on all of these units at once. Other connections see all of an
//     MSET, or nothing of it.
//   - KEYS, DBSIZE and INFO see everything that their connection sent before them and nothing that
//     it sent after them. They visit each shard at a moment of its own, so no shard waits while
//     another is searched.
//   - MULTI queues commands. EXEC executes them as one operation on all shards concerned: no other
//     connection sees a part of the transaction, and all other shards go on meanwhile. If a watched
//     key (WATCH) was written, was deleted or expired since, through any connection, EXEC executes
//     nothing and answers nil. A command that could not be queued makes EXEC answer EXECABORT. A
//     command that fails during EXEC does not undo the others, as in Redis.
//   - SCAN returns every key that is present from the beginning of the iteration to its end, some
//     perhaps twice. One call visits one shard and at most COUNT keys, so it may return none
//     although the iteration goes on.
//   - With a limit (MaxMemory), no command makes keys and values exceed it. Config.MaxMemoryPolicy
//     selects the keys that make room; evicted keys are deleted, which clients that WATCH them
//     notice. A command that finds no room has changed nothing on any shard and answers with
//     Redis's error, "OOM command not allowed when used memory > 'maxmemory'."; a transaction
//     answers EXECABORT.
//   - CONFIG SET changes the parameters of memory, of clients and of the password while the server
//     runs. A limit of memory below the memory in use deletes nothing at once. Until memory is
//     below the limit, a command that needs more makes shards evict or is refused. A policy that
//     evicts reduces memory in the background, even if no command is sent. With noeviction, or
//     when the policy finds nothing more to evict, memory shrinks as keys are deleted and expire.
//   - A key lives for its time to live, and less than a millisecond longer. A key that is due is
//     never seen again. It is removed within about 100 milliseconds even if no command asks for it.
//   - Errors have Redis 7.0's wording. A client that breaks the protocol gets an error and loses
//     its connection; other clients do not notice. A command that panics (a fault of this package)
//     answers with an error, as do the commands behind it in the same message. The shard goes on,
//     and the log has the panic.
//   - Shutdown answers what has been received; then nothing of the server is left running.
//
// # Memory
//
// The limit applies to INFO's used_memory. For each key it counts the room that the key takes, the
// room that its value takes, and 65 bytes of bookkeeping. The memory of clients
// and Go's garbage come on top. A command is executed after the most that it may need has been
// reserved, so a value larger than the limit is refused. A shard that needs room evicts from its
// own keys; if that would be a large part of them, the fullest other shards evict. So least
// recently used is approximate twice: by samples and by shards.
//
// With Config.Values = OffHeap, keys and values live in an offheap.Arena, and Go's collector spends
// nothing on them, however many there are. The price is a copy of each long reply, and that a key
// with its value counts as the next power of two bytes. The arena has twice the bytes of MaxMemory,
// which bounds the limit that CONFIG SET accepts. A block is freed when its key is overwritten,
// deleted, evicted or due. At the end of the server no block is left; if one is, Shutdown's error
// says so. docs/adr/0029 has the reasons.
//
// # Clients
//
// With Config.Password, a client must first give the password by AUTH or HELLO. Until then its
// requests have at most 10 arguments of 16 KiB. Without a password, only clients that connect from
// a loopback address are served, whatever address Listen was given. This is Redis's protected mode,
// which Config.Unprotected switches off. There is one user, default. CONFIG SET changes requirepass
// and protected-mode.
//
// The memory of clients is counted: buffers, queued transactions, watched keys, waiting replies.
// INFO has the sum as mem_clients_normal; CLIENT LIST has the parts (qbuf, argv-mem, multi-mem,
// rbs, omem, tot-mem). A client that is silent for 2 to 4 seconds keeps a buffer of 16 KiB. Two
// limits hold:
//
//   - Config.MaxClientMemory (maxmemory-clients) is for all clients together; none by default.
//     Beyond it the clients that take the most are disconnected, and the log names them.
//   - Config.MaxClientOutput (client-output-buffer-limit) is for one client; 1 GiB by default. A
//     client is disconnected if more bytes wait for it, or were copied for one reply.
//
// A client that is disconnected by a limit gets no error, as in Redis: replies would be in front of
// it.
//
// # Limits
//
// Strings are the only type and 0 is the only database. There is no persistence and no encryption:
// do not expose the server to an untrusted network. HELLO 3 answers NOPROTO, whereupon clients go
// on with RESP2. Inline commands know Redis's quoting except \x escapes. SCAN takes a cursor that
// it never gave out as an error or as the position that the number happens to mean; a negative
// cursor is an error.
//
// Arguments have at most 512 MiB (MaxBulk), requests 1 GiB (MaxRequest) and 1,048,576 arguments
// (MaxArguments), inline requests 64 KiB; 10,000 clients may connect (MaxClients). Memory for a
// request grows with the bytes that arrive, not with the lengths that are announced.
//
// A connection executes at most 1024 requests before it writes their replies, and fewer if the
// replies get long. Replies refer to long values without a copy, unless the values are off the
// heap. For one client at most 64 MiB of replies are made or wait (half of MaxClientOutput if that
// is less), plus what one reply on each processor adds. At that point nothing more is executed for
// a client that does not read; after it has taken nothing for a minute (WriteTimeout), it is
// disconnected. The replies to KEYS, MGET and EXEC are made in one piece. The commands queued since
// MULTI may take as much as one request (MaxRequest), with 400 bytes counted for each. IdleTimeout
// is off by default, as in Redis.
//
// # redcon
//
// Requests are cut into arguments by ReadNextCommand of github.com/tidwall/redcon, and replies are
// built by its Append functions. Its Server is not used: it buffers without limit; it recurses once
// per read of an unfinished request, so a client that sends byte by byte can overflow the stack,
// which is fatal; when it meets a malformed request, it drops the well-formed ones before it; it
// copies every request; and it closes its connections at once when it is closed.
package ddb
