package blockhook

// The variables are those of Go's runtime, too, as `freerun build` compiles it: the linker makes
// them one. There Compiled has the value true, and so it has here then.

// Compiled says whether the program tells when a goroutine is about to block. It must not be set.
var Compiled bool

// What a goroutine calls.

//lint:ignore U1000 Go's runtime reads it
var leaves func() Answer

//lint:ignore U1000 Go's runtime reads it
var returns func()

//lint:ignore U1000 Go's runtime reads it
var turns func()

// announce has a value where Compiled is true.
var announce func(asks bool)

// Announce says whether the running goroutine is to be asked before it blocks; those of package
// preempt are in any case. Goroutines that are not asked block at once. One should say no before it
// ends.
func Announce(asks bool) {
	if announce != nil {
		announce(asks)
	}
}

// Install sets the functions that a goroutine calls which is about to block; which has blocked, if
// the first has said so; and in place of blocking. It is called once, before such a program's own
// code runs. Where Compiled is false, nobody calls the functions.
func Install(leave func() Answer, back, turn func()) {
	returns, turns = back, turn
	leaves = leave
}
