package beat

import "time"

// beatHere beats as the thread does, until no more beats are wanted.
func beatHere() {
	for more := true; more; {
		time.Sleep(time.Millisecond)
		n := latest.Add(1)
		if n == 0 {
			n = latest.Add(1)
		}
		word.CompareAndSwap(0, n)
		more = left.Add(^uint32(0)) != 0
	}
}
