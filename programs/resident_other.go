//go:build !linux

package programs

// Resident returns how many bytes of the process are in the machine's memory, and whether the system tells, which none but Linux does in a way that is known here. Any
// goroutine may call it.
func Resident() (bytes uint64, known bool) { return 0, false }
