package yield

import "runtime"

// gosched is a variable of Go's runtime, too, as `freerun build` compiles it: the linker makes them
// one. In other programs it is nil.
var gosched func()

// All lets all other goroutines run that are ready, then goes on: runtime.Gosched, for code of
// freerun itself. In a program of `freerun build` Gosched has the activity yield whose goroutine
// calls it, which takes a look at its whole stack; All does not. Any goroutine that is not pinned
// may call it.
func All() {
	if gosched != nil {
		gosched()
	} else {
		runtime.Gosched()
	}
}
