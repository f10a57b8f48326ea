// Package programs is the vocabulary of the programs that freerun is judged by: those of the papers it implements, and
// the small ones that isolate one cost. Each program lives in a folder of its own, is written once for freerun and once
// or more the way a good Go engineer would write it without freerun, and checks its own results.
//
// A [Program] has parameters, of which the first is always called "size", and variants. A [Variant] sets up, runs the
// measured part, tears down and hands back a [Result]. [Program.Run] compares the result with the one that is due, so
// that a figure is never reported for a run that went wrong.
//
// What measures programs (taking turns, medians, tables) is the module bench; what a user types is `freerun bench`.
//
//	folder         the question it answers                                           source
//	fib            what do a message, a future and a receiver of futures cost?       first paper, section 9, figures 4 to 6
//	ddb            how do units, exclusion and stealing carry an unbalanced load?    first paper, section 9, figures 7 to 10
//	create         what does it cost to create a task, and to be rid of it?          fourth paper, section 6, figure 7
//	switch         what does it cost to let another task run?                        fourth paper, section 6, figure 8
//	lock           what does a lock cost that suspends tasks, one each or for all?   fourth paper, section 6, figure 9
//	matrix         do tasks that compute use all processors?                         fourth paper, section 6, figure 10
//	city           what do tasks cost that wait for what another one makes?          fourth paper, section 6, table 1
//	eratosthenes   and many of them in a chain?                                      fourth paper, section 6, table 1
//	mandelbrot     and parts that are very unequal?                                  fourth paper, section 6, table 1
//	news           what does it cost to wake many at once?                           fourth paper, section 6, table 1
//	producer       what does a bounded buffer cost that all contend for?             fourth paper, section 6, table 1
//	tokenring      what does it cost to wake one, who wakes the next?                fourth paper, section 6, table 1
//	pingpong       what does handing one message from unit to unit cost?
//	fanin          what does a message from an ordinary goroutine cost?
//	submit         what does an empty task from an ordinary goroutine cost?
//	skynet         what does a tree of a million tasks cost, whose nodes wait?       A. Temerev, Skynet 1M
//	bank           what does an operation on two units at once cost?
//	hot            what do those wait for who have nothing to do with a flood of messages?
//	tick           what does a runtime use that has next to nothing to do?
//	cas            what becomes of compare-and-swap when more contend for a word?    second paper, the graphs of CAS and back-off
//	locks          what does a lock cost when many contend for it?                   lecture 13, queues for mutual exclusion
//	alloc          what does a block of memory cost, its end included?               second paper, the graphs of the memory manager
//	trees          and small objects that refer to each other, for a collector?      binary-trees of the Benchmarks Game
//	records        what do millions of records cost the rest of the program?
package programs
