package runtimetest

import (
	"runtime"
	"slices"
	"sync"
	"testing"
	"weak"
)

// Remains are objects that a test expects to be collected. The zero value has none. Any goroutine
// may use it.
type Remains struct {
	mu  sync.Mutex
	all map[string][]func() bool // by description; each reports whether its object is still there
}

// Watch adds p, described by what, and returns it. No reference to p may be left when Check is
// called.
func Watch[T any](r *Remains, what string, p *T) *T {
	w := weak.Make(p)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.all == nil {
		r.all = map[string][]func() bool{}
	}
	r.all[what] = append(r.all[what], func() bool { return w.Value() != nil })
	return p
}

// Check collects garbage until all objects are gone, and fails the test if some stay.
func (r *Remains) Check(t *testing.T) {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	for range 20 {
		runtime.GC()
		for what, left := range r.all {
			if r.all[what] = slices.DeleteFunc(left, func(there func() bool) bool { return !there() }); len(r.all[what]) == 0 {
				delete(r.all, what)
			}
		}
		if len(r.all) == 0 {
			return
		}
	}
	for what, left := range r.all {
		t.Errorf("%d are still there of %s", len(left), what)
	}
}
