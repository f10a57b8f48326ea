package simhost

// Unmoved is the part of a [Timed] schedule for which the time that a step takes does not depend on
// what the step does: it hears of that, and does nothing.
type Unmoved struct{}

// Outside implements [Timed]: the time of goroutines outside is not simulated.
func (Unmoved) Outside(func(f func()) (wait func() error), func()) bool { return false }

// Enter implements [Timed].
func (Unmoved) Enter() {}

// On implements [Timed].
func (Unmoved) On(int, any, any, bool) {}

// Sends implements [Timed].
func (Unmoved) Sends(int, any, any) {}

// Drops implements [Timed].
func (Unmoved) Drops(any) {}

// Ends implements [Timed].
func (Unmoved) Ends(int) {}

// Forks implements [Timed].
func (Unmoved) Forks(int) {}

// Rests implements [Timed].
func (Unmoved) Rests(int) {}

// Stole implements [Timed].
func (Unmoved) Stole(int, int, uint64) {}
