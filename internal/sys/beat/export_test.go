package beat

// Latest returns the number of the latest beat.
func Latest() uint32 { return latest.Load() }

// Left returns the number of beats that are still wanted.
func Left() uint32 { return left.Load() }

// Hurry lets one beat be left, if there are more.
func Hurry() {
	if n := left.Load(); n > 1 {
		left.CompareAndSwap(n, 1)
	}
}
