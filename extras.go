package freerun

import "github.com/freerun-go/freerun/internal/atomics"

// extras is what few units need. It is made when it is first needed, and stays.
type extras struct {
	// readers is two for each reader that was taken from the mailbox and has not ended, and one if the unit's owner has gone away and left the
	// unit to the last of them. Only the owner lets readers in.
	readers atomics.Uint32
	// held is the letter that the owner has left, which will be the next. The owner's.
	held atomics.Plain[*letter]
}

// extra returns the unit's extras. Any goroutine.
func (u *unit) extra() *extras {
	for {
		if x := u.extras.Load(); x != nil {
			return x
		}
		u.extras.CompareAndSwap(nil, new(extras))
	}
}
