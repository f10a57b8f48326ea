package explore

import (
	"fmt"

	"github.com/freerun-go/freerun/internal/verify/memory"
)

// Run collects what the body declares for one execution: the threads, and the check after them.
type Run struct {
	names   []string
	threads []func()
	after   func()
}

// Go declares a thread. The threads start together once the body has returned; there are at most
// [memory.MaxThreads].
func (r *Run) Go(name string, f func()) {
	if len(r.threads) == memory.MaxThreads {
		panic(fmt.Sprintf("explore: more than %d threads", memory.MaxThreads))
	}
	r.names = append(r.names, name)
	r.threads = append(r.threads, f)
}

// After declares a function that runs alone once all threads have ended. It does not run if a
// thread was stopped for good.
func (r *Run) After(f func()) { r.after = f }

// failed is the value that Failf panics with.
type failed string

func (f failed) Error() string { return string(f) }

// Failf ends the execution as wrong. It does not return.
func (r *Run) Failf(format string, args ...any) { panic(failed(fmt.Sprintf(format, args...))) }
