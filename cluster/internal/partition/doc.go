// Package partition is the protocol by which units on several machines are told what they are told
// once, and in its order, over logs that the machines share: one log for each partition of the
// units.
//
//	session   (sender)      numbers commands, and gets their outcomes; asks again
//	lane      (sender)      has them in the log in the order of their numbers: it sends again
//	marks     (owner)       which entries of the log are taken: a pure function of the log
//	owner     (owner)       delivers what is taken; then sends what that has sent; checkpoints
//	record    (unit)        what a write of a unit keeps beside the state: how far it is in the
//	                        log, outcomes, and what it has sent
//	members   (each)        which machine owns which partition: a hint
//
// No machine must own a partition alone. Two that believe that they do read the same log, and take
// the same entries; and the records are written by compare-and-set, so one of them finds that the
// other was there. Membership makes it quick, and the fence makes it right.
//
// Nothing in it waits, and nothing is concurrent: each Session and each Owner is used by one
// goroutine at a time, and the callbacks of the engine come into its turn through [World.Run].
package partition
