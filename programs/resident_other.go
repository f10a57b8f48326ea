//go:build !linux

package programs

// Resident returns how many bytes of the process are in the machine's memory, and whether the
// system tells. Here it does not; only Linux does. Any goroutine may call it.
func Resident() (bytes uint64, known bool) { return 0, false }
