package bank

import "time"

// spin is work that a compiler cannot remove and a processor cannot run in parallel: each round
// needs the result of the one before.
//
//go:noinline
func spin(rounds int) (x uint64) {
	x = 1
	for range rounds {
		x = x*6364136223846793005 + 1442695040888963407
	}
	return x | 1 // never 0
}

// burn does the work and returns 0, in a way that the compiler must carry out.
func burn(rounds int) int64 {
	if rounds > 0 && spin(rounds) == 0 {
		return 1
	}
	return 0
}

// rounds returns how many rounds of spin take this many nanoseconds on this machine, if nothing
// disturbs them. Reading the clock within the work would be disturbed just as much, and much
// coarser: a reading alone takes some 50 ns.
func rounds(ns int) int {
	if ns == 0 {
		return 0
	}
	const probe, tries = 20_000, 50
	fastest := time.Duration(1 << 62)
	for range tries {
		began := time.Now()
		nothing := burn(probe)
		fastest = min(fastest, max(1, time.Since(began))+time.Duration(nothing))
	}
	return int(int64(ns) * probe / int64(fastest))
}
