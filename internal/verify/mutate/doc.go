// Command mutate changes concurrent code, one change at a time, and reports which changes the tests
// let live. The tree itself is never changed: each change is an overlay of the build.
//
//	go run ./internal/verify/mutate                         # all rooms
//	go run ./internal/verify/mutate -rooms queue,lock -count 40
//	go run ./internal/verify/mutate -run 'Owner.* cas'     # the mutations whose key matches
//	go run ./internal/verify/mutate -list                   # the choice, without running a test
//
// A mutation is one application of an operator (operators.go lists them) to one place of one file.
// Its key names the file, the function, the operator, and the source before and after. It names no
// line number, so the key stays when the file grows elsewhere. Of the mutations that compile,
// -count are chosen by a hash of the key and of -seed: as many of each room, all operators in turn.
//
// Classes of changes that are the same to every caller by construction are not made: same.go holds
// each class with the reason, and TestSameIsNotMade holds changes that look alike but are made.
//
// Which test can kill a mutation is measured, not guessed: each test of the room runs once alone,
// unchanged and with coverage. One that takes longer than -slow does not count. A mutation then
// runs the tests that reach its lines, the quickest first: the explored programs that take a few
// seconds, the other tests, the longer explored programs, the tests with the race detector, and at
// last the tests of the packages above. It is killed by the first test that fails, panics, uses up
// the memory allowed, or runs many times as long as it did unchanged (a hang).
//
// A survivor needs a reason in testdata/survivors.txt: "same: " and why no caller can see a
// difference, but perhaps in time; or "lives: " and why there is no test. The command fails at a
// survivor without a reason, at a reason whose mutation is gone, and if more than 3% live.
//
// Results are kept in .mutate, with a hash of what they rest on: for a kill the source under the
// test that killed, and the file of that test; for a survivor the source and all tests of its room,
// of which the tests do not matter if its reason is "same". Comments do not count. A run that was
// stopped, by -for or by hand, goes on where it was; a second run of the same tree takes a minute.
//
// The report ends with a table, a line for each room: how many mutations were made, how many were
// killed, how many live and are the same to every caller, how many live for another reason, how
// many live without a reason, the share of the last two, and the seconds of the verdicts.
package main
