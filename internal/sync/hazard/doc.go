// Package hazard lets the nodes of a lock-free list be used again without the ABA problem: hazard pointers that belong to
// processors, and the wait-free exchange of nodes that goes with them.
//
// A compare-and-swap on a pointer to a node is right only as long as the node has not left the list and come back meanwhile. So
// whoever is going to use a node that it found in a list says so first, in a hazard word of its record; and whoever
// wants to use a node again searches all hazard words first. If one of them names the node, the node is left in
// the pool beside that word, and what was in the pool is tried instead ([Domain.Acquire]).
//
// Records belong to processors, not to threads: an operation is pinned (internal/sys/pin) from [Domain.Enter] to
// [Domain.Leave], so there is at most one for each processor at a time, and N records do for any number of goroutines. Each
// has two hazard words and two pooled nodes, so at most 2N nodes are ever held back.
//
// Memory safety is the collector's and not the words': a word is an address that keeps nothing alive, and a node that is
// dropped and not reused needs no word at all. An address that the collector has given to another node makes that one look
// hazardous until the word changes, which costs an exchange and is harmless.
//
// # The rules
//
// A node is *retired* when it can no longer be found from the list's roots, and may be *acquired*, to begin a new life, after
// that.
//
//   - R1. x may be relied upon (it does not begin a new life) once a word that all can see names x, and *afterwards* x has been
//     found not to be retired, as by reading it from a root once more. It may be until the word changes, or [Domain.Leave].
//   - R2. A compare-and-swap that succeeds only while x is not retired is such a finding: for what is done after it, a word that
//     was set before it needs no other check.
//   - R3. Acquire is called after the node was retired, by whoever alone has it.
//
// Why: the finding comes after the word and before the retirement, so the search, which comes after the retirement, meets the
// word. That the finding is of a node which is not retired is essential. The search looks at one word after the other, so it can
// miss a word that was set behind its back, and one that was changed before it got there; of a retired node there may then be
// somebody who found it in some root, and nobody whom the search saw.
//
// # Words that stay
//
// Words are never cleared. What the last operation on a processor left there stays until the next one sets its own, and holds
// back at most those 2N nodes. In return an operation that comes upon a node which its own record names already
// ([Record.Names]) need not set a word, which is the expensive part: it has been set all the time. The search skips the record of
// whoever searches.
//
// # Growing
//
// GOMAXPROCS may grow at any time, and Go tells nobody. Enter compares the index of its processor with the number of
// records and has records added, unpinned, if they do not suffice. Records never move or go away, and a search covers all of them, also
// those of processors that are no more. A record that is added while a search is going on need not be covered by it: its words are set
// after the table with it was published, hence after the node was retired.
//
// # Where pins do not exclude
//
// With the race detector, and in builds with the tag freerun_portable, an index may be shared. There Enter claims a record by a
// compare-and-swap, tries the next ones if it is taken, and adds records if all are. That is lock-free as well; N is then the largest
// number of operations there ever were at once.
package hazard
