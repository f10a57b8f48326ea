package explore

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/freerun-go/freerun/internal/verify/memory"
	"github.com/freerun-go/freerun/internal/verify/replay"
)

// outcomes runs a search and returns the results of its executions, which the body sets, and their
// number.
func outcomes(t *testing.T, s tree, body func(r *Run, result *string)) (set map[string]bool, executions int) {
	t.Helper()
	set = map[string]bool{}
	var result string
	m := &machine{body: func(r *Run) { body(r, &result) }, buffers: s.bound < 0}
	defer m.end()
	for again := true; again; again = s.advance() {
		s.begin()
		result = ""
		switch err := m.execute(&s); {
		case s.differs:
			t.Fatal("not repeated")
		case err == errAbandoned:
		case err != nil:
			set["wrong: "+firstLine(err)] = true
			executions++
		default:
			set[result] = true
			executions++
		}
	}
	return set, executions
}

// program is a random program of a few threads over a few words.
type program [][]instruction

type instruction struct{ operation, word int }

func randomProgram(random *rand.Rand) program {
	p := make(program, 2+random.IntN(2))
	for i, left := 0, 6; i < len(p); i++ {
		p[i] = make([]instruction, min(left-len(p)+i+1, 1+random.IntN(3)))
		left -= len(p[i])
		for j := range p[i] {
			p[i][j] = instruction{random.IntN(7), random.IntN(2)}
		}
	}
	return p
}

func (p program) body(r *Run, result *string) {
	var words [2]memory.Integer[int32]
	var relaxed [2]memory.Release[int32]
	var tokens [2]memory.Token
	got := make([]string, len(p))
	for i, thread := range p {
		r.Go(fmt.Sprint("t", i), func() {
			for j, in := range thread {
				w, mine := &words[in.word], int32(10*i+j+1)
				switch in.operation {
				case 0:
					w.Store(mine)
				case 1:
					got[i] += fmt.Sprint(w.Load(), " ")
				case 2:
					got[i] += fmt.Sprint(w.Add(100), " ")
				case 3:
					got[i] += fmt.Sprint(w.CompareAndSwap(0, mine), " ")
				case 4:
					if i == in.word {
						relaxed[in.word].Store(mine)
					} else {
						got[i] += fmt.Sprint(relaxed[in.word].Load(), " ")
					}
				case 5:
					if i == in.word {
						tokens[in.word].Give()
					} else {
						got[i] += fmt.Sprint(tokens[in.word].TryTake(), " ")
					}
				case 6:
					for w.Load() == 0 {
						memory.SpinOnce()
					}
				}
			}
		})
	}
	r.After(func() {
		*result = fmt.Sprint(got, words[0].Load(), words[1].Load())
	})
}

// TestReductionLosesNothing compares the results of random programs under partial-order reduction
// with those of a search that tries every process at every step, without a bound and with bounds.
func TestReductionLosesNothing(t *testing.T) {
	seed := replay.Seed(t)
	var all, reduced int
	const rounds = 150
	for round := range rounds {
		p := randomProgram(rand.New(rand.NewPCG(seed, uint64(round))))
		for _, bound := range []int{Unbounded, 0, 1, 2} {
			want, n := outcomes(t, tree{bound: bound, naive: true}, p.body)
			got, k := outcomes(t, tree{bound: bound}, p.body)
			all, reduced = all+n, reduced+k
			if !maps.Equal(want, got) {
				t.Errorf("round %d, bound %d: %v", round, bound, p)
				for o := range want {
					if !got[o] {
						t.Errorf("  missed: %s", o)
					}
				}
				for o := range got {
					if !want[o] {
						t.Errorf("  impossible: %s", o)
					}
				}
				if t.Failed() {
					return
				}
			}
		}
	}
	t.Logf("%d executions instead of %d", reduced, all)
	if reduced >= all {
		t.Error("nothing was reduced")
	}
}

// TestCounts holds the numbers of executions that small programs need.
func TestCounts(t *testing.T) {
	for name, c := range map[string]struct {
		threads int
		step    func(i int, same *memory.Integer[int32], own []memory.Integer[int32])
		want    int
	}{
		"independent":   {4, func(i int, _ *memory.Integer[int32], own []memory.Integer[int32]) { own[i].Add(1) }, 1},
		"readers":       {4, func(_ int, same *memory.Integer[int32], _ []memory.Integer[int32]) { same.Load() }, 1},
		"two writers":   {2, func(i int, same *memory.Integer[int32], _ []memory.Integer[int32]) { same.Store(int32(i)) }, 2},
		"three writers": {3, func(i int, same *memory.Integer[int32], _ []memory.Integer[int32]) { same.Store(int32(i)) }, 6},
		"four writers":  {4, func(i int, same *memory.Integer[int32], _ []memory.Integer[int32]) { same.Store(int32(i)) }, 24},
	} {
		_, got := outcomes(t, tree{bound: Unbounded}, func(r *Run, _ *string) {
			var same memory.Integer[int32]
			own := make([]memory.Integer[int32], c.threads)
			for i := range c.threads {
				r.Go(fmt.Sprint(i), func() { c.step(i, &same, own) })
			}
		})
		if got != c.want {
			t.Errorf("%s: %d executions, want %d", name, got, c.want)
		}
	}
}

// TestStoreBuffer is the litmus test of relaxed stores: both threads may read 0, unless the stores
// are atomic.
func TestStoreBuffer(t *testing.T) {
	relaxed := func(r *Run, result *string) {
		var x, y memory.Release[int32]
		var a, b int32
		r.Go("a", func() { x.Store(1); a = y.Load() })
		r.Go("b", func() { y.Store(1); b = x.Load() })
		r.After(func() { *result = fmt.Sprint(a, b) })
	}
	atomic := func(r *Run, result *string) {
		var x, y memory.Integer[int32]
		var a, b int32
		r.Go("a", func() { x.Store(1); a = y.Load() })
		r.Go("b", func() { y.Store(1); b = x.Load() })
		r.After(func() { *result = fmt.Sprint(a, b) })
	}
	for name, c := range map[string]struct {
		body func(*Run, *string)
		want []string
	}{
		"relaxed": {relaxed, []string{"0 0", "0 1", "1 0", "1 1"}},
		"atomic":  {atomic, []string{"0 1", "1 0", "1 1"}},
	} {
		set, _ := outcomes(t, tree{bound: Unbounded}, c.body)
		if got := slices.Sorted(maps.Keys(set)); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

// TestFinds gives one small program of each kind of failure.
func TestFinds(t *testing.T) {
	for name, c := range map[string]struct {
		want string
		body func(*Run)
	}{
		"a lost update": {"at the end: counted 1", func(r *Run) {
			var n memory.Integer[int32]
			for _, name := range []string{"a", "b"} {
				r.Go(name, func() { n.Store(n.Load() + 1) })
			}
			r.After(func() {
				if n.Load() != 2 {
					r.Failf("counted %d", n.Load())
				}
			})
		}},
		"a data race": {"data race: b reads plain#1, which a wrote before", func(r *Run) {
			var ready memory.Bool
			var v memory.Plain[int]
			r.Go("a", func() { v.Set(1); ready.Store(true) })
			r.Go("b", func() { ready.Load(); v.Get() })
		}},
		"a race of writers": {"data race: b writes plain", func(r *Run) {
			var n memory.Integer[int32]
			var v memory.Plain[int]
			for _, name := range []string{"a", "b"} {
				r.Go(name, func() { n.Load(); v.Set(1) })
			}
		}},
		"a write after a read": {"data race", func(r *Run) {
			var ready memory.Bool
			var v memory.Plain[int]
			r.Go("a", func() { v.Get(); ready.Load() })
			r.Go("b", func() { ready.Load(); v.Set(1) })
		}},
		"a deadlock": {"deadlock: a waits for token#", func(r *Run) {
			var one, two memory.Token
			one.Preset()
			two.Preset()
			take := func(x, y *memory.Token) func() {
				return func() {
					x.Take(t.Context())
					y.Take(t.Context())
					y.Give()
					x.Give()
				}
			}
			r.Go("a", take(&one, &two))
			r.Go("b", take(&two, &one))
		}},
		"a lost wake-up": {"deadlock: sleeper waits for token", func(r *Run) {
			var full, asleep memory.Bool
			var token memory.Token
			r.Go("sleeper", func() {
				if !full.Load() {
					asleep.Store(true)
					token.Take(t.Context())
				}
			})
			r.Go("waker", func() {
				full.Store(true)
				if asleep.Load() {
					token.Give()
				}
			})
		}},
		"a loop without end": {"deadlock: a waits, in a loop", func(r *Run) {
			var n memory.Integer[int32]
			r.Go("a", func() {
				for n.Load() != 2 {
					memory.SpinOnce()
				}
			})
			r.Go("b", func() { n.Store(1) })
		}},
		"a panic": {"panic: ouch", func(r *Run) {
			var n memory.Integer[int32]
			r.Go("a", func() { n.Add(1) })
			r.Go("b", func() {
				if n.Load() == 1 {
					panic("ouch")
				}
			})
		}},
		"no end": {"keep each other", func(r *Run) {
			var n memory.Integer[int32]
			r.Go("a", func() {
				for n.Load() == 0 {
				}
			})
		}},
	} {
		t.Run(name, func(t *testing.T) {
			f := MustFail(t, 2, c.body)
			if !strings.Contains(f.Error(), c.want) {
				t.Errorf("found %q, want %q", f.Err, c.want)
			}
			t.Setenv("FREERUN_SCHEDULE", f.Schedule)
			again := &recorder{TB: t}
			if !replayed(again, c.body) || len(again.errors) != 1 || !strings.Contains(again.errors[0], c.want) {
				t.Fatalf("repeated, it says %q", again.errors)
			}
			// The steps name the lines of the program, and none of a package that passes them on.
			if steps := again.errors[0]; !strings.Contains(steps, "explore_test.go:") || strings.Contains(steps, " memory.") {
				t.Errorf("the steps name other lines than the program's:\n%s", steps)
			}
		})
	}
}

// TestSeamsExist holds that the packages whose lines are left out of a trace exist by these names.
func TestSeamsExist(t *testing.T) {
	for _, name := range memory.Seams {
		if _, err := os.Stat("../../" + name); err != nil {
			t.Error(err)
		}
	}
}

// recorder keeps errors instead of failing.
type recorder struct {
	testing.TB
	errors []string
}

func (r *recorder) Errorf(format string, args ...any) {
	r.errors = append(r.errors, fmt.Sprintf(format, args...))
}

// TestAccepts explores programs in which nothing is wrong, in all interleavings.
func TestAccepts(t *testing.T) {
	t.Run("hand-over", func(t *testing.T) {
		Exhaustive(t, Unbounded, func(r *Run) {
			var full memory.Bool
			var v memory.Plain[int]
			r.Go("a", func() {
				v.Set(1)
				full.Store(true)
			})
			r.Go("b", func() {
				for !full.Load() {
					memory.SpinOnce()
				}
				if v.Get() != 1 {
					r.Failf("got %d", v.Get())
				}
			})
		})
	})
	t.Run("spin lock", func(t *testing.T) {
		lock := func(r *Run) {
			var held memory.Bool
			var n memory.Plain[int]
			for _, name := range []string{"a", "b", "c"} {
				r.Go(name, func() {
					for held.Swap(true) {
						memory.SpinOnce()
					}
					n.Set(n.Get() + 1)
					held.Store(false)
				})
			}
			r.After(func() {
				if n.Get() != 3 {
					r.Failf("counted %d", n.Get())
				}
			})
		}
		Exhaustive(t, Unbounded, lock)
		Random(t, 200, lock)
		if f := MustBlock(t, lock); !strings.Contains(f.Err.Error(), "held up by") {
			t.Errorf("found %v", f.Err)
		}
	})
	t.Run("counter", func(t *testing.T) {
		counter := func(r *Run) {
			var n memory.Integer[int32]
			for _, name := range []string{"a", "b", "c"} {
				r.Go(name, func() {
					for {
						if v := n.Load(); n.CompareAndSwap(v, v+1) {
							return
						}
					}
				})
			}
			r.After(func() {
				if n.Load() != 3 {
					r.Failf("counted %d", n.Load())
				}
			})
		}
		Exhaustive(t, Unbounded, counter)
		Freeze(t, counter)
	})
}

// TestChance holds that a search fails if its body does not do the same each time.
func TestChance(t *testing.T) {
	calls := 0
	_, err := search(2, func(r *Run) {
		var n memory.Integer[int32]
		calls++
		for i := range 2 {
			r.Go(fmt.Sprint(i), func() {
				for range 1 + calls%2 {
					n.Add(1)
				}
			})
		}
	})
	if err == nil || !strings.Contains(err.Error(), "does not do the same each time") {
		t.Errorf("got %v", err)
	}
}

func TestScheduleCode(t *testing.T) {
	path := []uint8{0, 0, 0, 1, stopped | 1, 4, 4, 2}
	code := encode(path)
	if code != "0x3.1x1.!1.4x2.2x1" {
		t.Errorf("encoded as %s", code)
	}
	if got, err := decode(code); err != nil || !slices.Equal(got, path) {
		t.Errorf("decoded as %v, %v", got, err)
	}
	for _, wrong := range []string{"", "0", "0x", "x3", "9x1", "0x0", "!", "0x3..1x1", "-1x2"} {
		if _, err := decode(wrong); err == nil {
			t.Errorf("%q was accepted", wrong)
		}
	}
}

func BenchmarkExecution(b *testing.B) {
	steps := 0
	m := &machine{body: func(r *Run) {
		var n memory.Integer[int32]
		for _, name := range []string{"a", "b"} {
			r.Go(name, func() {
				for range 10 {
					n.Add(1)
				}
			})
		}
	}}
	defer m.end()
	for b.Loop() {
		t := &tree{bound: 0}
		if err := m.execute(t); err != nil {
			b.Fatal(err)
		}
		steps += 20
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(steps), "ns/step")
}

// TestOwnStores holds that another thread may run between a buffered store and its own thread's
// load of the value.
func TestOwnStores(t *testing.T) {
	for _, preemptions := range []int{1, Unbounded} {
		MustFail(t, preemptions, func(r *Run) {
			var w memory.Release[uint64]
			r.Go("owner", func() {
				if w.Store(1); w.Load() != 1 {
					r.Failf("it is gone")
				}
			})
			r.Go("other", func() { w.Swap(2) })
		})
	}
}

// TestContextOpens holds that, with every bound, both orders of the end of a context and a wait for
// it, or for a token, are explored.
func TestContextOpens(t *testing.T) {
	body := func(r *Run, result *string) {
		var token memory.Token
		var ctx memory.Context
		var w memory.Integer[int32]
		took := [2]bool{}
		r.Go("end", func() { ctx.Cancel() })
		r.Go("one", func() {
			if took[0] = token.Take(&ctx); !took[0] {
				w.Store(11)
			}
			token.Give()
		})
		r.Go("two", func() {
			w.Load()
			if took[1] = token.Take(&ctx); !took[1] {
				w.Store(22)
			}
		})
		r.After(func() { *result = fmt.Sprint(took, w.Load()) })
	}
	for _, bound := range []int{Unbounded, 0, 1, 2} {
		want, _ := outcomes(t, tree{bound: bound, naive: true}, body)
		if got, _ := outcomes(t, tree{bound: bound}, body); !maps.Equal(want, got) {
			t.Errorf("bound %d: %v, want %v", bound, got, want)
		}
	}
}
