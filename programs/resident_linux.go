package programs

import (
	"bytes"
	"os"
	"strconv"
)

// Resident returns how many bytes of the process are in the machine's memory, and whether the
// system tells. Any goroutine may call it.
func Resident() (bytes uint64, known bool) {
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0, false
	}
	pages, known := residentPages(text)
	return pages * uint64(os.Getpagesize()), known
}

// residentPages returns the second number in statm: the pages in memory.
func residentPages(statm []byte) (pages uint64, known bool) {
	fields := bytes.Fields(statm)
	if len(fields) < 2 {
		return 0, false
	}
	pages, err := strconv.ParseUint(string(fields[1]), 10, 64)
	return pages, err == nil
}
