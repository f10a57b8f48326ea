//go:build !gc || !(amd64 || arm64) || freerun_portable || go1.27

package goid

import "testing"

func TestParse(t *testing.T) {
	for trace, want := range map[string]uint64{
		"goroutine 7 [no more than this is there": 7,
		"goroutine 1 [running]:\nmain.main()":     1,
		"goroutine 4294967295 [":                  4294967295,
		"goroutine 34 gp=0xc000 m=3 [running]:\n": 34,
	} {
		if got := parse([]byte(trace)); uint64(got) != want {
			t.Errorf("parse(%q) = %d, want %d", trace, got, want)
		}
	}
	// More digits than a uintptr may hold must still not give 0.
	for _, trace := range []string{"goroutine 4294967296 [", "goroutine 18446744073709551615 ["} {
		if parse([]byte(trace)) == 0 {
			t.Errorf("parse(%q) = 0", trace)
		}
	}
}

func TestParseRefusesWhatIsNoStackTrace(t *testing.T) {
	for _, trace := range []string{"", "goroutine ", "goroutine x", "goroutine 0 [", "thread 12 [running]:"} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("parse(%q) did not panic", trace)
				}
			}()
			parse([]byte(trace))
		}()
	}
}
