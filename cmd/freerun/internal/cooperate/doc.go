// Package cooperate inserts quantum checks and polls into the source of packages, so that Go code
// cooperates by itself: a loop of an activity gives up its processor in time without a call in the
// source.
//
// Source: F. Negele, F. Friedrich, S. Oh, B. Egger, On the Design and Implementation of an
// Efficient Lock-Free Scheduler, JSSPP 2015, section 3.1 (implicit task switches), where a compiler
// inserts the checks into machine code.
//
// # Where the checks go
//
// A check is a call a.Check(N). There is one at the head of every function, and one at every
// backward branch: at the head of the body of each for and range loop, where continue leads to, and
// before each goto to a label above it. A check needs an activity in reach, see below; without one
// there may be a poll.
//
// # What N is
//
// N is the weight of the code up to the next check, which is paid in advance. At the head of a
// function this is the whole function except for the bodies of its loops. At the head of a loop it
// is one turn of the loop except for the bodies of loops in it. Of branches the heaviest counts.
// The weight is counted as the paper counts instructions, without regard to how long each takes:
// see [weigher].
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
// no harm, because Check does nothing on nil and on goroutines that are not the activity's own.
//
// # Polls
//
// Where no activity is in reach, a poll stands: a call of Here in package activity/poll, which
// finds out by itself whether an activity runs the code. Packages of the user's own have polls, and
// those of other modules, of which only the syntax is known. A poll stands
//
//   - at the head of a function that a cycle of calls may pass, see [calls];
//   - in each turn of a loop that is not short, see [bounds], or before each piece of a loop that
//     is cut into pieces;
//   - before each goto to a label above it.
//
// The import of package poll stands on the line of the package clause, with a name that no file of
// the package has. The go command accepts no overlay for its module cache, so it is told to find
// these modules behind a link to it, see [moduleCache]. What is rewritten of other modules is kept,
// see [store].
//
// # The standard library
//
// The packages of the standard library have polls by the same rules, of a package of its own
// ([StandardPollPath]), whether the program needs them or not: see [RewriteStandard]. Their types
// are checked from the source. The packages in leftout.go have none, each for a reason; nor have
// functions that assembly mentions.
//
// # What is exempt
//
// Functions with //freerun:uncooperative or //go:nosplit in their doc comment have no checks and no
// polls, nor have the literals in them. Functions that are linked by name and files that use cgo
// have no polls.
//
// # Positions
//
// The text is edited in place and never printed anew. No insertion has a line break, so every line
// keeps its number. Where code follows on the line, a /*line*/ comment tells its original column.
// Panics, compile errors, the race detector and debuggers name the user's own file and line.
package cooperate
