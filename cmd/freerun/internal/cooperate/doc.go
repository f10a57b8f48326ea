// Package cooperate inserts quantum checks into the source of packages, so that Go code cooperates
// by itself: a loop of an activity gives up its processor in time without a call in the source.
//
// Source: F. Negele, F. Friedrich, S. Oh, B. Egger, On the Design and Implementation of an
// Efficient Lock-Free Scheduler, JSSPP 2015, section 3.1 (implicit task switches), where a compiler
// inserts the checks into machine code.
//
// # Where the checks go
//
// A check is a call a.CheckInserted(N). There is one at every backward branch: at the head of the
// body of each for and range loop, where continue leads to, and before each goto to a label above
// it. For wasm, and with a Go whose runtime is not known, there is one at the head of every
// function, too. A check needs an activity in reach, see below.
//
// # What N is
//
// N is the weight of the function's code up to the next check, which is paid in advance. At the
// head of a loop this is one turn of the loop except for the bodies of loops in it. At the head of
// a function it is the whole function except for the bodies of its loops. Of branches the heaviest
// counts. The weight is counted as the paper counts instructions, without regard to how long each
// takes: see [weigher].
//
// Some loops are cut into pieces: small innermost loops with a counter or over a slice, without
// calls and without ways out. A piece weighs at most [batch]. Its check comes before it, with the
// weight of its turns, so the inner loop is the same as in the source. small.go decides which loops
// are cut, and pieces.go cuts them.
//
// # What is in reach
//
// In reach is a variable that, as far as the source tells, holds the activity that runs the code.
// Its type is *activity.Activity; its name does not matter. It is one of these:
//
//   - the first parameter of that type of a function or a function literal, even without a name;
//   - a local variable, declared before, with the value of a variable in reach, of a field or
//     another selector (a := w.activity), of a type assertion, of a clause of a type switch, or of
//     activity.Of;
//   - a variable of these two sorts of the function around a function literal.
//
// The innermost one counts. Some variables hold other activities, and are never in reach: variables
// that are assigned to later or whose address is taken, variables with a method Wait called on
// them, since an activity does not wait for its own end, results, and variables of a package. A
// literal in a go statement has none of the variables of the function around it. A wrong guess does
// no harm, because a check does nothing on nil and on goroutines that are not the activity's own.
//
// # What is exempt
//
// Functions with //freerun:uncooperative or //go:nosplit in their doc comment have no checks, nor
// have the literals in them. Each package of the main modules tells the names of those with the
// first one while it is initialized ([ExemptPath]): they are not preempted either.
//
// # Positions
//
// The text is edited in place and never printed anew. No insertion has a line break, so every line
// keeps its number. Where code follows on the line, a /*line*/ comment tells its original column.
// Panics, compile errors, the race detector and debuggers name the user's own file and line.
package cooperate
