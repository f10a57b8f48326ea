package clustertest

import (
	"errors"
	"fmt"
	"hash/fnv"
	"slices"
	"testing"
	"time"

	"github.com/freerun-go/freerun/cluster/internal/engine"
	"github.com/freerun-go/freerun/cluster/internal/layout"
)

// machineFlaw is what is wrong with the store that machines share: the controls.
type machineFlaw int

const (
	noFlaw        machineFlaw = iota
	unfenced                  // it does not look at revisions
	forgetsWrites             // it tells that a write is done that is not made
	saysConflict              // it says that a write was refused of which it is not known
	forgetsTwins              // it does not find an outcome that is stored under an identity
	skipsEntries              // an entry of a log is not read
	forgetsNames              // a program does not know the names that its kinds had
	makesHalf                 // it makes the first one of several writes, and the machine ends then
)

var machineFlaws = map[string]machineFlaw{
	"does not look at revisions": unfenced, "forgets a write that it has told": forgetsWrites,
	"says that a write was refused that may be made": saysConflict, "does not find an outcome": forgetsTwins,
	"skips an entry of a log": skipsEntries,
}

// Swap implements [engine.Log].
func (m *machine) Swap(p int, writes []engine.Write, revision uint64, done func(revision uint64, err error)) {
	m.SwapAll(p, writes, []uint64{revision}, done)
}

// SwapAll implements [engine.Log].
func (m *machine) SwapAll(p int, writes []engine.Write, revisions []uint64, done func(first uint64, err error)) {
	for _, w := range writes {
		m.mayHave("the value of "+string(w.Key), w.Value)
	}
	err := m.failure(true, writes[0].Key)
	switch {
	case m.crashed:
		return
	case err != nil:
		m.member.After(time.Millisecond, func() { done(0, err) })
		return
	case m.of.flaw == forgetsWrites && m.of.Happens(0.02):
		m.member.After(time.Millisecond, func() { done(revisions[0]+1, nil) })
		return
	case m.of.flaw == makesHalf && len(writes) > 1 && !m.of.last:
		m.Port.SwapAll(p, writes[:1], revisions[:1], func(uint64, error) { m.crash() })
		return
	case m.of.flaw == saysConflict:
		told := done
		done = func(revision uint64, err error) {
			if errors.Is(err, engine.ErrUncertain) {
				err = engine.ErrConflict
			}
			told(revision, err)
		}
	}
	m.Port.SwapAll(p, writes, revisions, done)
}

// failure returns why the store does not do what it is asked.
func (m *machine) failure(write bool, key []byte) error {
	if m.of.fails == nil {
		return nil
	}
	return m.of.fails(write, string(key))
}

// Append implements [engine.Log].
func (m *machine) Append(p int, entry []byte, done func(seq uint64, err error)) {
	m.mayHave("an entry", entry)
	if err := m.failure(true, []byte("log")); err != nil {
		m.member.After(time.Millisecond, func() { done(0, err) })
	} else if !m.crashed {
		m.Port.Append(p, entry, done)
	}
}

// Read implements [engine.Log].
func (m *machine) Read(p int, key []byte, done func(value []byte, revision uint64, err error)) {
	if err := m.failure(false, key); err != nil {
		m.member.After(time.Millisecond, func() { done(nil, 0, err) })
		return
	}
	if m.of.flaw == forgetsTwins && string(key[:1]) == layout.Once && m.of.Happens(0.2) {
		m.member.After(time.Millisecond, func() { done(nil, 0, nil) })
		return
	}
	m.Port.Read(p, key, done)
}

// Follow implements [engine.Log].
func (m *machine) Follow(p int, after uint64, each func(seq uint64, entry []byte), lost func(err error)) (stop func()) {
	return m.Port.Follow(p, after, func(seq uint64, entry []byte) {
		if m.of.flaw != skipsEntries || !m.of.Happens(0.02) {
			each(seq, entry)
		}
	}, lost)
}

// machinePrograms are the programs of several machines.
var machinePrograms = []func(s *machines) machineProgram{
	func(s *machines) machineProgram { return &sharedBooks{machines: s, direct: map[int]bool{}} },
	func(s *machines) machineProgram { return &sharedErrands{machines: s} },
	func(s *machines) machineProgram { return &sharedVaults{machines: s, told: map[int]int{}} },
}

// TestMachinesRepeat holds that a seed repeats its run: all writes, what comes to units that are
// not durable, and the time that it takes.
func TestMachinesRepeat(t *testing.T) {
	for seed := range uint64(max(ourMachines/10, 1)) {
		for n, program := range append(slices.Clone(machinePrograms), newInns) {
			var sums [2]uint64
			var times [2]time.Duration
			for again := range 2 {
				sum := fnv.New64a()
				s := newMachines(t, seed, map[string]int{})
				s.of = program(s)
				s.store.Written = func(p int, key string, value []byte) { fmt.Fprintf(sum, "%d %q %x", p, key, value) }
				s.run()
				if inns, are := s.of.(*sharedInns); are {
					fmt.Fprint(sum, inns.came)
				}
				sums[again], times[again] = sum.Sum64(), s.Now()
			}
			if sums[0] != sums[1] || times[0] != times[1] {
				t.Errorf("seed %d of program %d does not repeat its run: it took %v, and then %v", seed, n, times[0], times[1])
			}
		}
	}
}

// TestMachinesControls holds that what is wrong with a store is found by one of the programs.
func TestMachinesControls(t *testing.T) {
	for name, flaw := range machineFlaws {
		t.Run(name, func(t *testing.T) {
			// Seed 0 takes a minute without a fence.
			for seed := uint64(1); seed < 500; seed++ {
				for n, program := range machinePrograms {
					r := &recorder{TB: t}
					s := newMachines(r, seed, map[string]int{})
					s.of, s.flaw, s.store.Unfenced = program(s), flaw, flaw == unfenced
					if s.run(); r.failed {
						t.Logf("seed %d of program %d: %s", seed, n, r.said[0])
						return
					}
				}
			}
			t.Error("it is not found")
		})
	}
}
