//go:build !wasm

// Package transfer carries all that a program keeps from one store to another one, of another sort
// or with another number of partitions, while no process has either. It knows what stores have
// (package layout) and how machines share them (package partition), and no types of the program.
//
//	kept                    in a folder                in the partitions of machines
//	a unit: state, timers   its record, its wake       the same, in the partition of its key
//	a name of a kind        "r": the later name        "n": the name in the store
//	an outcome (Once)       "i", with its "x"          the same, in the partition of its unit
//	a failure               "f"                        "f", in the partition of its unit
//	what is under way       "o"                        in the log of its unit's partition; what is
//	                                                   there and is not in a record, and what
//	                                                   records have sent and no log has taken
//
// What is left out has no meaning in another store: places in logs, marks and checkpoints, outcomes
// that processes might ask for which have ended, the records of units that were forgotten, which
// keep commands of before from a new state, notes about what was delivered. Why each of them may go
// is in ADR 79.
//
// Whatever a store has that is none of this is refused; so is what the other store has no place
// for. Nothing is left out in silence.
package transfer
