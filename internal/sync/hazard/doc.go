// Package hazard lets the nodes of a lock-free list be used again without the ABA problem. It has
// hazard pointers that belong to processors, and a wait-free exchange of nodes.
//
// A compare-and-swap on a pointer to a node is right only if the node has not left the list and
// come back meanwhile. So an operation that is going to rely on a node it found in a list first
// names the node in a hazard word of its record. An operation that wants to use a node again first
// searches all hazard words. If a word names the node, the operation leaves the node in the pool
// beside that word and tries the node that was in the pool ([Domain.Acquire]).
//
// Records belong to processors, not to threads. An operation is pinned (internal/sys/pin) from
// [Domain.Enter] to [Domain.Leave], so each processor has at most one at a time, and N records
// suffice for any number of goroutines. Each record has two hazard words and two pooled nodes, so
// at most 2N nodes are ever held back.
//
// Memory safety comes from Go's collector, not from the words: a word is an address that keeps
// nothing alive, and a node that is dropped and not reused needs no word at all. An address that
// the collector has given to another node makes that node look hazardous until the word changes.
// That costs an exchange and is harmless.
//
// # The rules
//
// A node is *retired* when it can no longer be found from the list's roots. After that it may be
// *acquired*, to begin a new life.
//
//   - R1. An operation may rely on x (x begins no new life) once a word that all can see names x,
//     and *afterwards* x has been found not to be retired, for example by reading it from a root
//     again. It may rely on x until the word changes, or until [Domain.Leave].
//   - R2. A compare-and-swap that succeeds only while x is not retired is such a finding: after it,
//     a word that was set before it needs no other check.
//   - R3. Acquire is called after the node was retired, by its only holder.
//
// Why: the word is set before the finding, the finding comes before the retirement, and the
// search comes after the retirement. So the search meets the word. The finding must be of a node
// that is not retired. The search reads one word after another, so it misses a word that is set
// behind it, and a word that is changed before it gets there. If the finding of a retired node
// counted, an operation could rely on such a node unseen by the search.
//
// # Words that stay
//
// Words are never cleared. The words of the last operation on a processor stay until the next one
// sets its own, and hold back at most those 2N nodes. In return an operation that comes upon a node
// which its own record names already ([Record.Names]) need not set a word, which is the expensive
// part: the word has been set all the time. A search skips the searcher's own record.
//
// # Growing
//
// GOMAXPROCS may grow at any time, and Go does not announce it. Enter compares the index of its
// processor with the number of records and adds records, unpinned, if they do not suffice. Records
// never move or go away, and a search covers all of them, also those of processors that are no
// more. A search need not cover a record that is added meanwhile: its words are set after the table
// with it was published, hence after the node was retired.
//
// # Where pins do not exclude
//
// Under the race detector, and with the build tag freerun_portable, two operations may have the
// same index. There Enter claims a record by a compare-and-swap, tries the next ones if it is
// taken, and adds records if all are. That is lock-free as well; N is then the greatest number of
// operations at once.
package hazard
