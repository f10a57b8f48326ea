package clustertest

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/cluster/internal/engine"
)

// TestStore holds that the simulated disk keeps the promises of an engine, and gives no more: what
// is there after a life are the Puts up to some point, with all whose outcome was nil and none that
// has failed for want of room; callbacks come once, and none comes after a crash; Puts that are
// done are read.
func TestStore(t *testing.T) {
	more, less := 0, 0
	Run(t, Options{Lives: 5}, checkStore(&more, &less))
	if more == 0 || less == 0 {
		t.Errorf("of all lives %d left more than was known, and %d less than was put", more, less)
	}
}

// TestStoreFinds holds that the test above finds disks that break the promises.
func TestStoreFinds(t *testing.T) {
	var more, less int
	for _, is := range []flaw{tellsEarly, halves, disorders, resurrects} {
		x := newSearch(t, Options{Seeds: usualSeeds, Lives: 5, conduct: newFlawed(is)}, checkStore(&more, &less))
		found := slices.ContainsFunc(seeds(usualSeeds), func(seed uint64) bool { return x.run(seed, &plan{}, false).recorder.failed })
		if !found {
			t.Errorf("flaw %d is not found", is)
		}
	}
}

func seeds(n int) (all []uint64) {
	for seed := range uint64(n) {
		all = append(all, seed)
	}
	return all
}

// checkStore returns the body of TestStore. It counts lives that left more than was known, and less
// than was put.
func checkStore(more, less *int) func(s *Sim) {
	return func(s *Sim) {
		model := map[string]int{}
		for rt := range s.Lives() {
			l := s.life
			var puts []*testPut
			for range s.Count(60) {
				switch s.Random().IntN(3) {
				case 0:
					_, _ = freerun.After(rt.Context(), time.Duration(s.Random().IntN(3000))*time.Microsecond).Wait(s.Context())
				case 1:
					readBack(s, l.store, puts)
				default:
					puts = append(puts, putOne(s, l, len(puts)+1))
				}
			}
			if s.Random().IntN(2) == 0 {
				l.crash()
			} else if err := l.store.Close(); err != nil && !errors.Is(err, engine.ErrStopped) {
				s.Error(err)
			}
			for _, p := range puts {
				if p.calls > 1 || p.calls == 0 && !l.crashed {
					s.Errorf("the outcome of a Put was told %d times", p.calls)
				}
			}
			l.crash() // the node must not use the store that is closed
			known, all := reached(s, puts, model)
			if all > known {
				*more++
			}
			if all < len(puts) {
				*less++
			}
		}
	}
}

// testPut sets the keys "a" and "b" + its number modulo 3 to its number.
type testPut struct {
	number int
	calls  int
	err    error
}

func (p *testPut) writes() []engine.Write {
	value := fmt.Append(nil, p.number)
	return []engine.Write{{Key: []byte("a"), Value: value}, {Key: fmt.Append(nil, "b", p.number%3), Value: value}}
}

func putOne(s *Sim, l *life, number int) *testPut {
	p := &testPut{number: number}
	l.store.Put(p.writes(), func(err error) {
		if p.calls++; l.crashed {
			s.Error("a callback after the crash")
		}
		p.err = err
	})
	return p
}

// readBack reads a key that the last Put that is done has written.
func readBack(s *Sim, e *store, puts []*testPut) {
	done := 0
	for _, p := range puts {
		if p.calls > 0 && p.err == nil {
			done = p.number
		}
	}
	if done == 0 {
		return
	}
	e.Get([]byte("a"), func(value []byte, err error) {
		var n int
		_, _ = fmt.Sscan(string(value), &n)
		if err == nil && n < done {
			s.Errorf("a read finds Put %d, and %d was done", n, done)
		}
	})
}

// reached holds that the disk has what the Puts up to some point have written, and what was there
// before. It returns how many Puts are known to be done, and how many are there.
func reached(s *Sim, puts []*testPut, model map[string]int) (known, all int) {
	now := map[string]int{}
	for key, value := range s.disk.entries {
		var n int
		_, _ = fmt.Sscan(string(value), &n)
		now[key] = n
	}
	var fits []int
	for n := range len(puts) + 1 {
		for _, failed := range mayHaveFailed(puts[:n]) {
			if maps.Equal(after(model, puts[:n], failed), now) {
				fits = append(fits, n)
				break
			}
		}
	}
	for _, p := range puts {
		if p.calls > 0 && p.err == nil {
			known = p.number
		}
	}
	if len(fits) == 0 || slices.Max(fits) < known {
		s.Errorf("the disk has %v, which are not the first of %d Puts with the %d that are done", now, len(puts), known)
		return 0, 0
	}
	clear(model)
	maps.Copy(model, now)
	return known, slices.Max(fits)
}

// after returns what the disk has after Puts, of which those from failed[0] to failed[1] have
// failed.
func after(model map[string]int, puts []*testPut, failed [2]int) map[string]int {
	then := maps.Clone(model)
	for i, p := range puts {
		if i >= failed[0] && i < failed[1] || p.err != nil && !errors.Is(p.err, engine.ErrStopped) {
			continue
		}
		for _, w := range p.writes() {
			then[string(w.Key)] = p.number
		}
	}
	return then
}

// mayHaveFailed returns the ranges of Puts that may have failed without a word: those of a full
// disk, before a crash.
func mayHaveFailed(puts []*testPut) (all [][2]int) {
	all = append(all, [2]int{})
	for from := len(puts) - 1; from >= 0 && puts[from].calls == 0; from-- {
		for to := from + 1; to <= len(puts); to++ {
			all = append(all, [2]int{from, to})
		}
	}
	return all
}
