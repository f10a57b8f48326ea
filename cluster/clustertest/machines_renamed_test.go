package clustertest

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/freerun-go/freerun/cluster"
	"github.com/freerun-go/freerun/cluster/internal/engine"
	"github.com/freerun-go/freerun/cluster/internal/layout"
	"github.com/freerun-go/freerun/cluster/internal/logsim"
)

// versionNames are the names that the versions of a program give a kind. Each follows one that has
// joined the store; an older one may go on, and come back.
var versionNames = []func(declared string) (given string, was []string){
	func(k string) (string, []string) { return k, nil },
	func(k string) (string, []string) { return k + "-2", []string{k} },
	func(k string) (string, []string) { return k + "-3", []string{k + "-2"} },
	func(k string) (string, []string) { return k + "-3", nil },
	func(k string) (string, []string) { return k, []string{k + "-3"} },
}

var _ engine.Renaming = (*machine)(nil)

// Named implements [engine.Renaming].
func (m *machine) Named(declared string) (given string, was []string) {
	given, was = versionNames[m.version](declared)
	if m.of.flaw == forgetsNames {
		was = nil
	}
	return given, was
}

// drawVersion draws the version of a machine's program.
func (s *machines) drawVersion() int {
	if !s.upgrade {
		return 0
	}
	return min(max(s.version-1+s.random.IntN(3), 0), len(versionNames)-1)
}

// renamed is a program whose versions give the kinds other names.
type renamed struct {
	machineProgram
	*machines
}

func newRenamed(n int) func(s *machines) machineProgram {
	return func(s *machines) machineProgram {
		s.upgrade = true
		return &renamed{machinePrograms[n](s), s}
	}
}

// check holds, too, that what lists kinds and units knows the names that they have now.
func (s *renamed) check(m *machine) {
	s.machineProgram.check(m)
	s.sum["versions"] += s.version
	var given []string
	for _, k := range []string{"book", "diary", "letter", "clerk", "servant"} {
		name, _ := m.Named(k)
		given = append(given, name)
	}
	for f, err := range m.node.Failures() {
		s.sum["failures"]++
		if err != nil || !slices.Contains(given, f.Kind) {
			s.Errorf("a failure of kind %s, %v: the kinds are %v", f.Kind, err, given)
		}
	}
	for of := range books {
		listed := map[int]bool{}
		for key, err := range cluster.Keys(m.node, books[of], "") {
			if listed[key] = true; err != nil {
				s.Errorf("Keys: %v", err)
			}
		}
		for key := range keys {
			b, err := look.Send(m.rt.Context(), books[of].At(m.rt.Context(), key), struct{}{}).Wait(context.Background())
			if there := len(b.Ran)+len(b.Told) > 0; err != nil || there != listed[key] {
				s.Errorf("book %d of kind %d has %+v, %v; it is listed: %v", key, of, b, err, listed[key])
			}
		}
		s.sum["keys"] += len(listed)
	}
}

// TestMachinesRenamed has machines with older and newer programs, which give the kinds other names,
// share units.
func TestMachinesRenamed(t *testing.T) {
	runMachines(t, newRenamed(0), "versions", "failures", "keys", "told", "acknowledged")
	runMachines(t, newRenamed(1), "versions", "done", "asked", "rang")
}

// TestMachinesRenamedControl holds that a program is found which does not say what names its kinds
// had.
func TestMachinesRenamedControl(t *testing.T) {
	for seed := uint64(1); seed < 100; seed++ { // the first finds nothing, and takes long
		r := &recorder{TB: t}
		s := newMachines(r, seed, map[string]int{})
		s.of, s.flaw = newRenamed(0)(s), forgetsNames
		if s.run(); r.failed {
			t.Logf("seed %d: %s", seed, r.said[0])
			return
		}
	}
	t.Error("it is not found")
}

// TestMachinesNamesUnread holds that a machine that cannot read the names of the kinds does not
// join, and says so.
func TestMachinesNamesUnread(t *testing.T) {
	r := &recorder{TB: t}
	s := newMachines(r, 1, map[string]int{})
	s.rates, s.lives = machineRates{}, 1
	s.store = logsim.New(s, logsim.Faults{}, machineParts)
	s.fails = func(write bool, key string) error {
		if !write && key == layout.Names {
			return engine.ErrUncertain
		}
		return nil
	}
	s.of = &onMachine{machines: s, do: func(*machines, *machine) { t.Error("it has joined") }}
	s.run()
	if len(r.said) == 0 || !strings.Contains(r.said[0], "names of the kinds") {
		t.Errorf("it says %q", r.said)
	}
}
