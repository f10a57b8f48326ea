package records

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/freerun-go/freerun/programs"
	"github.com/freerun-go/freerun/programs/programtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// some returns values for a run.
func some(size, tasks, lookups, rounds int) programs.Values {
	return programs.Values{programs.Size: size, paramTasks: tasks, paramLookups: lookups, paramRounds: rounds}
}

func TestVariants(t *testing.T) {
	for _, v := range []programs.Values{
		some(1, 1, 50, 1000),
		some(10, 0, 80, 1),
		some(3000, 3, 0, 5),
		some(5000, 100, 80, 1),
		some(5000, 2, 100, 0),
	} {
		for name, r := range programtest.Run(t, Program, v) {
			if want := uint64(v[programs.Size] * (1 + v[paramRounds])); r.Operations != want {
				t.Errorf("%s with %v: %d operations, want %d", name, v, r.Operations, want)
			}
			programtest.Figure[uint64](t, r, "gc_pause_ns")
			programtest.Figure[[]uint64](t, r, "phases_ns")
			if runtime.GOOS == "linux" && v[programs.Size] == 5000 {
				bytes, rounded := programtest.Figure[uint64](t, r, "value_bytes"), programtest.Figure[uint64](t, r, "rounded_bytes")
				if bytes < 5000/4*leastValue || rounded < bytes || rounded > 2*bytes {
					t.Errorf("%s: the values have %d bytes, rounded %d", name, bytes, rounded)
				}
			}
		}
	}
}

// TestMemory checks the figures about memory for known values. TestResidentGrows checks that
// written memory is seen.
func TestMemory(t *testing.T) {
	tr := newTraffic(some(100, 1, 80, 0))
	var bytes, rounded uint64
	for number := range uint64(200) {
		if number%2 == 1 {
			continue
		}
		tr.versions[number] = 1
		n := uint64(length(seed(number, 1)))
		bytes += n
		block := uint64(64)
		for block < n {
			block *= 2
		}
		rounded += block
	}
	for _, c := range []struct{ before, after, resident, percent uint64 }{
		{1000, 1000 + 3*rounded, 3 * rounded, 300},
		{1000, 1000, 0, 0},
		{1000, 900, 0, 0}, // memory that others give back meanwhile is not the store's
	} {
		r := programs.Result{Figures: tr.memory(c.after, c.before)}
		for name, want := range map[string]uint64{
			"resident_bytes": c.resident, "resident_percent_of_rounded": c.percent, "value_bytes": bytes, "rounded_bytes": rounded,
		} {
			if got := programtest.Figure[uint64](t, r, name); got != want {
				t.Errorf("from %d to %d: %s is %d, want %d", c.before, c.after, name, got, want)
			}
		}
	}
}

// TestTraffic: the traffic does not depend on the number of tasks, has as many records as asked
// for, and has acts of all kinds.
func TestTraffic(t *testing.T) {
	for _, size := range []int{1, 5, 63, 64, 65, 1000} {
		v := some(size, 1, 50, 20)
		tr := newTraffic(v)
		for _, l := range tr.lanes {
			for l.filling() {
				if s := l.fill(); s.act != insert {
					t.Fatalf("size %d: the filling has a %v", size, s)
				}
			}
		}
		if tr.present() != size {
			t.Errorf("size %d: %d records at first", size, tr.present())
		}
		acts, steps := map[act]int{}, 0
		for _, l := range tr.lanes {
			for l.running() {
				acts[l.step().act]++
				steps++
			}
		}
		if uint64(steps+size) != tr.operations() {
			t.Errorf("size %d: %d steps, %d operations", size, steps, tr.operations())
		}
		if size >= 63 && (acts[lookUp] < steps/3 || acts[insert] < steps/8 || acts[remove] < steps/8) {
			t.Errorf("size %d: acts %v of %d", size, acts, steps)
		}
		if due := Program.Expected(v); due != tr.checksum(tr.present()) {
			t.Errorf("size %d: %s, due %s", size, tr.checksum(tr.present()), due)
		}
	}
}

// TestValues: each byte of a value counts, and so does its length.
func TestValues(t *testing.T) {
	memory := make([]byte, mostValue)
	lengths := map[int]bool{}
	for number := range uint64(3000) {
		s := seed(number, 1)
		value := made(s, memory)
		lengths[len(value)] = true
		if !matches(value, s) || matches(value, seed(number, 3)) || matches(value[:len(value)-1], s) {
			t.Fatalf("value %d is not told from others", number)
		}
		if number > 40 {
			continue
		}
		for i := range value {
			value[i] ^= 0x10
			if matches(value, s) {
				t.Fatalf("byte %d of %d is wrong, and the value still matches", i, len(value))
			}
			value[i] ^= 0x10
		}
	}
	if len(lengths) != mostValue-leastValue+1 || !lengths[leastValue] || !lengths[mostValue] {
		t.Errorf("%d lengths of 3000 values, want all from %d to %d", len(lengths), leastValue, mostValue)
	}
}

// TestFaultyStores simulates stores that lose or keep records, or change them: the run must fail
// instead of reporting a figure.
func TestFaultyStores(t *testing.T) {
	fault := errors.New("fault")
	for name, c := range map[string]struct {
		store faulty
		says  string
	}{
		"loses a record":       {faulty{putsNothing: 500}, ""},
		"keeps records":        {faulty{removesNothing: 50}, ""},
		"has other bytes":      {faulty{getsOther: 50}, "another value"},
		"denies a record":      {faulty{deniesRemoval: 50}, "is not there"},
		"has no memory":        {faulty{fails: 500, err: fault}, "fault"},
		"has one record fewer": {faulty{miscounts: true}, "wrong result"},
		"cannot be closed":     {faulty{closes: fault}, "fault"},
		"is as it ought to be": {faulty{}, "none"},
	} {
		s := c.store
		broken := variant("faulty", programs.PlainGo, "", func(int) (compared, error) {
			s.compared, _ = openMaps(0)
			return &s, nil
		})
		_, err := Program.Run(broken, programs.Config{Processors: 1, Values: some(1000, 1, 40, 20)})
		if c.says == "none" {
			if err != nil {
				t.Errorf("a store that %s: %v", name, err)
			}
		} else if err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("a store that %s: error %v, want one that says %q", name, err, c.says)
		}
	}
	closed := variant("none", programs.PlainGo, "", func(int) (compared, error) { return nil, fault })
	if _, err := Program.Run(closed, programs.Config{Processors: 1, Values: some(10, 1, 80, 1)}); !errors.Is(err, fault) {
		t.Errorf("a store that cannot be made: %v", err)
	}
}

// faulty is a store that fails at one of its calls, which it counts down.
type faulty struct {
	compared
	putsNothing, removesNothing, getsOther, deniesRemoval, fails int
	err, closes                                                  error
	miscounts                                                    bool
}

// due counts down and reports whether it is time to fail.
func due(n *int) bool {
	*n--
	return *n == 0
}

func (f *faulty) put(key uint64, value []byte) error {
	if due(&f.fails) {
		return f.err
	}
	if due(&f.putsNothing) {
		return nil
	}
	return f.compared.put(key, value)
}

func (f *faulty) get(key uint64, into []byte) ([]byte, bool) {
	value, found := f.compared.get(key, into)
	if found && due(&f.getsOther) {
		value[len(value)-1]++
	}
	return value, found
}

func (f *faulty) remove(key uint64) bool {
	if f.removesNothing > 0 { // more than one: a single one may be inserted again unseen
		f.removesNothing--
		return true
	}
	return f.compared.remove(key) && !due(&f.deniesRemoval)
}

func (f *faulty) count() int {
	if f.miscounts {
		return f.compared.count() - 1
	}
	return f.compared.count()
}

func (f *faulty) close() error { return errors.Join(f.compared.close(), f.closes) }

func (s step) String() string { return fmt.Sprintf("%d of key %#x", s.act, s.key) }
