package news

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/freerun-go/freerun/programs"
	"github.com/freerun-go/freerun/programs/programtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestVariants(t *testing.T) {
	for _, v := range []programs.Values{
		{programs.Size: 1, paramReporters: 1, paramMessages: 1},
		{programs.Size: 1, paramReporters: 20, paramMessages: 20},
		{programs.Size: 100, paramReporters: 3, paramMessages: 10},
		{programs.Size: 300, paramReporters: 10, paramMessages: 1},
	} {
		for name, r := range programtest.Run(t, Program, v) {
			if want := uint64(v[programs.Size] * v[paramReporters] * v[paramMessages]); r.Operations != want {
				t.Errorf("%s: %d messages read, want %d", name, r.Operations, want)
			}
		}
	}
}

// TestChecksumSeesWhoReadsSomethingElse: all customers read everything, but one of them reads
// wrong.
func TestChecksumSeesWhoReadsSomethingElse(t *testing.T) {
	v := programs.Values{programs.Size: 3, paramReporters: 2, paramMessages: 2}
	for name, order := range map[string][]int{
		"": {0, 2, 1, 3}, "other order": {2, 0, 1, 3}, "missed one": {0, 2, 1}, "twice": {0, 2, 1, 3, 3}, "another": {0, 2, 1, 4},
	} {
		a := newAgency(v)
		for i := range a.customers {
			read := []int{0, 2, 1, 3}
			if i == 1 {
				read = order
			}
			for _, message := range read {
				a.customers[i].see(message)
			}
		}
		if (a.checksum() == due(v)) != (name == "") {
			t.Errorf("%q: %s", name, a.checksum())
		}
	}
}
