// Package durable describes the program durable: commands to things with keys and a state of 112
// bytes, each of which adds to the state and is answered once that is stored and synced. One
// operation is one command, or, with reads=1, one read of a committed state. A run lasts as long as
// its size says, because contestants differ by more than a thousand times; what is under way then
// is waited for, and counts. Then the store is opened again, and must have as much as was answered.
//
//	variant   a command is
//	units     a Send to the durable unit of its key (module cluster)
//	bbolt     an entry in the channel of one goroutine, which has all states in a map, takes what
//	          waits, up to 4,096 commands, and commits that as one transaction: the limit of what
//	          stands on the same store, without checksums
//	sqlite    a transaction of its own: a read and a write of the state, WAL, synchronous=FULL
//	dbos      a workflow of its own, with one transaction that does the same, in the database that
//	          has the workflows
//
// Not alike: the by-hand program knows one kind of state and one command, answers with a call
// instead of a future, and would not find a flipped bit, for which the units' store has a checksum
// and a second entry for each key; units and by-hand program both make one entry of all commands to
// a key that are committed together; sqlite and dbos get at most 64 commands at a time, since more
// would only wait for the one writer that SQLite has; what is read is in memory for active units,
// and comes from a transaction of the store for the others.
//
// This package links none of them. The variants are in bench/rivals/durable, a module and a command
// of its own with what they depend on. `freerun bench durable` finds that command in a clone, has
// the go command build it, and carries out each measurement in a process of it.
package durable
