package explore

import (
	"fmt"

	"github.com/freerun-go/freerun/internal/verify/memory"
)

// Run is one execution in the making: the body declares its threads and what must hold afterwards.
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

// After declares what runs alone once all threads have ended. It does not run when a thread was
// stopped for good.
func (r *Run) After(f func()) { r.after = f }

// failed is what Failf panics with.
type failed string

func (f failed) Error() string { return string(f) }

// Failf ends the execution: it is wrong. It does not return.
func (r *Run) Failf(format string, args ...any) { panic(failed(fmt.Sprintf(format, args...))) }
