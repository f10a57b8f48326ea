package beat

import _ "sync/atomic" // the operations are inlined in packages that import it

const (
	most  = 128 // beats that a Keep asks for
	least = 100 // beats that come, at least, after each Keep
)

// Keep asks for at least 100 beats from now on. Any goroutine may call it, as often as it likes. It
// does not wait for a beat, and allocates nothing while beats come; if none are coming, it makes a
// system call, or starts a goroutine.
func Keep() {
	if left.Load() <= least { // one of them may have its number already
		renew()
	}
}

func renew() {
	if left.Swap(most) == 0 {
		start()
	}
}
