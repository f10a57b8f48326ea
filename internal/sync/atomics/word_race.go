//go:build gc && amd64 && race && !freerun_portable && !go1.27 && !explore

package atomics

// word is what a RelaxedWord consists of under the race detector: a plain word that the detector
// does not see. A relaxed word orders nothing, in no build, so the detector must not take it for
// synchronisation either; and an atomic operation costs some hundred nanoseconds there, of which a
// message did a dozen. On amd64 a plain load acquires and a plain store releases; on other machines
// it is an ordinary atomic (word_atomic.go).
type word struct{ v uint64 }

//go:norace
func (w *word) Store(v uint64) { w.v = v }

//go:norace
func (w *word) Load() uint64 { return w.v }
