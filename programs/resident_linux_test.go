package programs

import (
	"runtime"
	"runtime/debug"
	"testing"
)

func TestResidentPages(t *testing.T) {
	for statm, want := range map[string]uint64{"100 42 7 1 0 8 0\n": 42, "": 0, "100": 0, "100 many 7": 0} {
		if got, known := residentPages([]byte(statm)); got != want || known != (want > 0) {
			t.Errorf("%q: %d pages, known %v, want %d", statm, got, known, want)
		}
	}
}

// TestResidentGrows: memory that is written shows in the figure, which is in bytes.
func TestResidentGrows(t *testing.T) {
	const more = 64 << 20
	debug.FreeOSMemory()
	before, known := Resident()
	if !known {
		t.Fatal("Linux does not tell")
	}
	block := make([]byte, more)
	for i := 0; i < len(block); i += 4096 {
		block[i] = 1
	}
	after, _ := Resident()
	runtime.KeepAlive(block)
	if after < before+more/2 || after > before+8*more {
		t.Errorf("resident %d before and %d after %d more were written", before, after, uint64(more))
	}
}
