// Package cooperate makes Go code cooperate by itself: it inserts quantum checks into the source of
// packages. So a loop of an activity gives up its processor in time without a call in the source.
//
// Source: F. Negele, F. Friedrich, S. Oh, B. Egger, On the Design and Implementation of an Efficient
// Lock-Free Scheduler, JSSPP 2015, section 3.1 (implicit task switches), where a compiler inserts the
// checks into machine code.
//
// # Where the checks go
//
// A check is a call a.Check(N). One stands at the head of every function, and one at every branch backward: at the head of the body of each for and range loop,
// which is where continue leads to, and before each goto to a label above it. Only where an activity is in reach, see below.
//
// # What N is
//
// N is the weight of what comes until the next check, which is paid in advance: at the head of a function all of it except the bodies of its loops,
// at the head of a loop one turn of it except the bodies of loops in it. Of branches the heaviest counts. The weight is counted as the paper counts instructions, without regard to
// how long each takes: see [weigher].
//
// Small innermost loops with a counter or over a slice, without calls and without ways out, are cut into pieces of at most [batch], and the check is before each
// piece, with the weight of its turns: so their inner loop is what it was. See small.go and
// pieces.go.
//
// # What is in reach
//
// The activity that runs the code, as far as the source tells: a variable of type *activity.Activity, by its type and not by its name, that is
//
//   - the first parameter of that type of a function or a function literal, also if it has no name;
//   - a local variable, declared before, with the value of a variable in reach, of a field or another selector (a := w.activity), of a type assertion, of a
//     clause of a type switch, or of activity.Of;
//   - one of both from the function around a function literal.
//
// The innermost counts. Not in reach are variables that are assigned to later or whose address is taken, those with a method Wait called on them, since nobody waits for its own
// end, results, and variables of a package: these are other activities. A literal in a go statement has none of the function around it. Where the guess is wrong
// nothing is harmed, since Check does nothing on nil and on goroutines that are not the activity's own.
//
// # What is exempt
//
// Functions with //freerun:uncooperative or //go:nosplit in their doc comment, with the literals in them.
//
// # Positions
//
// The text is edited where it stands and never printed anew. Nothing that is inserted has a line break, so every line keeps its number, and where code follows
// on the line, a /*line*/ comment says in which column it stood. Panics, compile errors, the race detector and debuggers name the user's own file and line.
package cooperate
