package enginetest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/freerun-go/freerun/cluster/internal/engine"
)

// scans holds that all entries are found whose keys begin so, and no others, of one partition.
func scans(t *testing.T, s *suite) {
	const n = 300
	for i := range n {
		if _, err := s.swap(0, write(fmt.Sprintf("t %d", i), fmt.Sprint(i))); err != nil {
			t.Fatal(err)
		}
	}
	for _, key := range []string{"t", "s 1", "u", "T 1"} {
		if _, err := s.swap(0, write(key, "other")); err != nil {
			t.Fatal(err)
		}
	}
	done := make(chan error, 1)
	s.log.Swap(beside, []engine.Write{write("t 1", "elsewhere")}, 0, func(_ uint64, err error) { done <- err })
	if err := wait(t, done); err != nil {
		t.Fatal(err)
	}
	_, revision := s.read("t 7")
	if _, err := s.swap(revision, removal("t 7")); err != nil {
		t.Fatal(err)
	}
	for prefix, want := range map[string]int{"t ": n - 1, "t": n, "t 29": 11, "x": 0, "t 7": 10, "": n + 3} {
		found := map[string]string{}
		s.log.Scan(here, []byte(prefix), func(key, value []byte, revision uint64) {
			if _, twice := found[string(key)]; twice || revision == 0 {
				t.Errorf("%q: key %q was found twice, or without a revision", prefix, key)
			}
			found[string(key)] = string(value)
		}, func(err error) { done <- err })
		if err := wait(t, done); err != nil {
			t.Fatal(err)
		}
		if len(found) != want {
			t.Errorf("%q: %d entries, want %d", prefix, len(found), want)
		}
		for key, value := range found {
			if !strings.HasPrefix(key, prefix) || value != "other" && key != "t "+value {
				t.Errorf("%q: %q is %q", prefix, key, value)
			}
		}
	}
}
