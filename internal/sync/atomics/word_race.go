//go:build gc && amd64 && race && !freerun_portable && !go1.27 && !explore

package atomics

// word is the content of a RelaxedWord under the race detector: a plain word that the detector does
// not see. A relaxed word orders nothing in any build, so the detector must not take it for
// synchronisation. And an atomic operation costs some hundred nanoseconds there; a message has a
// dozen of them. On amd64 a plain load acquires and a plain store releases. On other machines word
// is an ordinary atomic (word_atomic.go).
type word struct{ v uint64 }

//go:norace
func (w *word) Store(v uint64) { w.v = v }

//go:norace
func (w *word) Load() uint64 { return w.v }
