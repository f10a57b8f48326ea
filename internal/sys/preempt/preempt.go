package preempt

import "unsafe"

// The variables are those of Go's runtime, too, as `freerun build` compiles it: the linker makes
// them one. cmd/freerun/internal/goruntime/preempt.txt sets and reads them there.

//lint:ignore U1000 Go's runtime reads it
var preempted func(owner, g unsafe.Pointer) (others bool)

var (
	bind    func(owner unsafe.Pointer)              // has a value where there is preemption
	callers func(g unsafe.Pointer, p []uintptr) int // as bind
	size    func(g unsafe.Pointer) uintptr          // as bind
)

// Goroutine is a goroutine that is parked because it was preempted.
type Goroutine struct{ g unsafe.Pointer }

// Install sets the function that is called when a goroutine was preempted that is bound, on another
// goroutine, its stand-in. The goroutine goes on when the function has returned. Install is called
// once, before a goroutine is bound.
func Install(f func(owner unsafe.Pointer, g Goroutine) (others bool)) {
	preempted = func(owner, g unsafe.Pointer) bool { return f(owner, Goroutine{g}) }
}

// Bind says whose the running goroutine is. From then on it is preempted. What owner points to
// begins with a count of 32 bits that the goroutine raises whenever it comes to run, or could have
// yielded: it is preempted if the count has not changed for about a millisecond. nil ends that: a
// goroutine must not end bound.
func Bind(owner unsafe.Pointer) {
	if bind != nil {
		bind(owner)
	}
}

// Callers is like runtime.Callers, for the parked goroutine: the first is the function that was
// preempted, below those of Go's runtime that preempt.
func (g Goroutine) Callers(pcs []uintptr) int { return callers(g.g, pcs) }

// StackSize returns the size of what is on the stack of the parked goroutine.
func (g Goroutine) StackSize() uintptr { return size(g.g) }
