// Package clustertest tests programs with durable units in a simulation: their processes crash,
// their disks are late, full or broken, their clocks jump, and a seed repeats each of these runs.
//
// [Run] runs a program again and again, each time under another schedule: on a simulated disk, in
// virtual time, as package freeruntest does it for programs without a disk.
//
//	func TestBank(t *testing.T) {
//		clustertest.Run(t, clustertest.Options{}, func(s *clustertest.Sim) {
//			for rt := range s.Lives() { // one process after another
//				for range s.Count(30) {
//					pay.Send(rt.Context(), purses.At(rt.Context(), "ada"), payment{"bob", 1})
//				}
//			}
//			rt, node := s.Last() // all that was told has come, or is a recorded failure
//			…                    // is all as it must be?
//		})
//	}
//
// A life is a process: a runtime that has joined the store. It ends in its middle, or is killed at
// its end, or ends well, by Shutdown and Close. The kinds and operations of the program are those
// that it always has; [Faults] says what goes wrong how often.
//
// # What is simulated
//
// The disk keeps the promises of [cluster.Local], and no others:
//
//   - a write takes some time, and what comes meanwhile is in the next one;
//   - after a crash those writes are there that came before some point. An outcome that came is
//     among them; what came last may be there without its outcome;
//   - a full disk fails what is to be written, and goes on later; a broken one takes no more
//     writes, and the next process finds what of the last one is there;
//   - reads take some time, and may fail.
//
// Time is virtual: a step of the program takes some microseconds, and when nothing is left to run
// the clock jumps to the next event. So days pass at once, and callbacks of the store come between
// any two steps. Not simulated are flipped bits and the loss of synced data, which the store finds
// ([cluster.ErrStateLost]); and what units do beside their states, as a mail that they send.
//
// # What the program must do
//
// All of a run follows from its seed, if the program draws from [Sim.Random] alone, reads the time
// of the runtime alone ([freerun.Runtime.Now]), starts no goroutines that send, waits with no
// context that has a deadline, depends on no order of a map, and keeps nothing between two runs.
// Run looks once whether a seed repeats its run, and says where it does not.
//
// After a crash a life goes on to its next wait, which fails. What it was told before counts.
// An operation that runs at a crash goes on to its end, and what it sends is refused; an operation
// may crash its process itself ([Crash]).
//
// # When it fails
//
// Run makes the run smaller before it reports it: without faults that it fails without, with fewer
// lives and smaller counts. The seed repeats all of that:
//
//	FREERUN_SEED=17 go test -run '^TestBank$'
//
// also logs the operations and the writes of the smallest run. FREERUN_SIMULATIONS=100000 tries
// more schedules, for the night.
package clustertest
