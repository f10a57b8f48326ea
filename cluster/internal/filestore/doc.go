//go:build !wasm

// Package filestore is the engine of one process: it keeps entries in one file of one folder, by
// bbolt, and finds out what bbolt does not: that something of the file is not what was written.
//
// # Format
//
// The file freerun.store is a bbolt file of three buckets.
//
//	about  version  checksum (4 bytes) and "1"
//	       id       checksum and 16 random bytes, which tell the store from any other
//	       sum      checksum, the number of a transaction (8 bytes, little-endian), and the sum of
//	                the checksums of all entries after it (8 bytes). Each transaction of a store
//	                that is open with Sync other than 0 writes it
//	data   KEY      checksum and the value
//	index  KEY      the same checksum
//
// A checksum is the CRC-32C, little-endian, of the key's length (4 bytes, little-endian), the key
// and the value. It finds each error of one or two bits, and each burst of up to 32; processors
// compute it at the pace of memory; and 4 bytes are few beside a small value. It is no defence
// against an attacker with write access to the file.
//
// A new store is made in a file of another name, "freerun.store.new-" and a random text. It gets
// its name when it is whole and durable. An Open for writing removes what a process has left of
// such a draft when it was killed.
//
// The file "unsynced" stands beside the store while it is open with Sync other than 0. It holds the
// kernel's boot id, where there is one, and is removed by a Close that has synced.
//
// # Invariants
//
//	I1  data and index have the same keys, and the same checksum for each: both change in one
//	    transaction. So neither a key that is gone from one, nor a page of one that is an old
//	    copy of itself, goes unnoticed: a Get asks both, a Scan goes through both in step.
//	I2  Open has read the whole structure: both meta pages, the list of free pages, each page that
//	    the tree reaches. No page is reached twice, or reached and free; keys ascend. So bbolt's
//	    code cannot run in a circle, and writes over no page that is in use.
//	I3  A Put lies within one transaction. Transactions are written by one goroutine, in the order
//	    of the calls.
//	I4  Nothing is told as done that an error of its transaction, or of its sync, may concern.
//
// An older state of the whole file, such as a copy that was put back, breaks no invariant and is
// not noticed.
//
// # Damage
//
// Damage of the structure is found by Open, which refuses the store: a write could destroy what is
// still there. Damage of an entry is found by the Get, or Scan, that meets it; others go on. Both
// are engine.ErrStateLost. A page that the disk fails to deliver, or that is cut off, while the
// store is open, is a fault of the mapped file; it becomes an error of the Get, and ends the store
// if it meets a Put. What is not found: damage of the structure by which bbolt runs in a circle, if
// it comes into the file while the store is open.
//
// # Loss of power
//
// With Sync 0 each transaction is synced before its Puts are done: data first, then the meta page
// that makes it valid. With any other Sync the kernel writes pages in an order of its own. A
// process that is killed loses nothing, since its pages are the kernel's; but a loss of power, or a
// kernel that panics, may leave a meta page that was written and pages under it that were not. So
// it may lose more than the last interval: the structure. The next Open sees by the file
// "unsynced" that the machine was started since, and reads each entry. It refuses the store with
// engine.ErrStateLost if an entry disagrees with its checksum, or all with the sum of the newest
// transaction, as pages of different age do that agree with each other by chance. So a store that
// opens has what the first Puts have put, up to some Put, and all that were done before the last
// sync began. Where power may fail, use Sync 0, or backups.
//
// Open syncs the file of a store before it uses it: the last process may have been killed before
// its sync, and the pages that it has written may be the kernel's only.
package filestore
