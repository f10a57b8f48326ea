package preempt

import "unsafe"

// The variables are those of Go's runtime, too, as `freerun build` compiles it: the linker makes
// them one. cmd/freerun/internal/goruntime/preempt.txt sets and reads them there.

//lint:ignore U1000 Go's runtime reads it
var preempted func(owner, g unsafe.Pointer, atHead bool) (others, soon bool)

//lint:ignore U1000 Go's runtime reads it
var leaves func(owner, g unsafe.Pointer) (left bool)

//lint:ignore U1000 Go's runtime reads it
var returns func(owner unsafe.Pointer)

var (
	bind    func(owner unsafe.Pointer)              // has a value where there is preemption
	callers func(g unsafe.Pointer, p []uintptr) int // as bind
	size    func(g unsafe.Pointer) uintptr          // as bind
)

// Goroutine is a goroutine that is parked because it was preempted, or is in a system call.
type Goroutine struct{ g unsafe.Pointer }

// Actions are the functions that are called for goroutines that are bound, on other goroutines. The
// goroutine goes on when the function has returned.
type Actions struct {
	// Preempted is called when the goroutine was preempted, or calls Gosched; atHead says that it
	// was at the head of a function, which has done nothing yet. It reports whether others have
	// run; if they have not, soon says that the goroutine is to be preempted again as soon as that
	// can be.
	Preempted func(owner unsafe.Pointer, g Goroutine, atHead bool) (others, soon bool)
	// InCall is called when the goroutine has been in a system call, or in C, for a while; it may
	// return from that meanwhile, but not go on. If InCall reports true, Returned is called when
	// the goroutine has returned.
	InCall   func(owner unsafe.Pointer, g Goroutine) (left bool)
	Returned func(owner unsafe.Pointer)
}

// Install sets the actions. It is called once, before a goroutine is bound.
func Install(a Actions) {
	preempted = func(owner, g unsafe.Pointer, atHead bool) (others, soon bool) {
		return a.Preempted(owner, Goroutine{g}, atHead)
	}
	leaves = func(owner, g unsafe.Pointer) bool { return a.InCall(owner, Goroutine{g}) }
	returns = a.Returned
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

// Callers is like runtime.Callers, for that goroutine: the first is the function that was
// preempted, below those of Go's runtime that preempt, or that of the system call.
func (g Goroutine) Callers(pcs []uintptr) int { return callers(g.g, pcs) }

// StackSize returns the size of what is on the stack of the parked goroutine.
func (g Goroutine) StackSize() uintptr { return size(g.g) }
