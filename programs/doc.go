// Package programs defines what a benchmark program is. The programs, in folders of their own, are
// those of the papers that freerun implements, and small ones that isolate one cost. Each is
// written for freerun, and at least once as a good Go engineer would write it without freerun. Each
// checks its own results.
//
// A [Program] has parameters, of which the first is always called "size", and variants. A [Variant]
// sets up, runs the measured part, tears down and returns a [Result]. [Program.Run] compares the
// result with the expected one, so that no figure is reported for a run that went wrong.
//
// Package catalogue lists the programs. The module bench measures them (in turns, with medians and
// tables); users call it by `freerun bench`.
//
//	folder         the question it answers                            source
//	fib            what do messages and futures cost?                 paper 1, §9, figures 4 to 6
//	ddb            how do units carry an unbalanced load?             paper 1, §9, figures 7 to 10
//	create         what does it cost to create and to end a task?     paper 4, §6, figure 7
//	switch         what does it cost to let another task run?         paper 4, §6, figure 8
//	lock           what does a lock cost that suspends tasks?         paper 4, §6, figure 9
//	matrix         do tasks that compute use all processors?          paper 4, §6, figure 10
//	city           what do tasks cost that wait for a producer?       paper 4, §6, table 1
//	eratosthenes   what does a long chain of tasks cost?              paper 4, §6, table 1
//	mandelbrot     are tasks of very unequal length balanced?         paper 4, §6, table 1
//	news           what does it cost to wake many tasks at once?      paper 4, §6, table 1
//	producer       what does one bounded buffer for all cost?         paper 4, §6, table 1
//	tokenring      what does it cost to wake one task after another?  paper 4, §6, table 1
//	pingpong       what does a message from unit to unit cost?
//	fanin          what does a message from an ordinary goroutine cost?
//	submit         what does an empty task from an ordinary goroutine cost?
//	skynet         what does a tree of a million waiting tasks cost?  A. Temerev, Skynet 1M
//	bank           what does an operation on two units at once cost?
//	hot            does a flood of messages delay unrelated units?
//	tick           what does a runtime use that is almost idle?
//	cas            how does compare-and-swap behave under contention? paper 2, CAS and back-off
//	queues         what does an item through a queue cost?            lecture 13
//	locks          what does a contended queue lock cost?             paper 3, mutual exclusion
//	alloc          what does a block of memory cost, freed again?     paper 2, the memory manager
//	trees          what do small linked objects cost a collector?     the Benchmarks Game
//	records        what do millions of records cost the program?
//
// docs/papers.md has the papers with their numbers.
package programs
