package freeruntest_test

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/activity"
	"github.com/freerun-go/freerun/freeruntest"
)

// fork is a lock; each philosopher needs two.
type fork struct{ activity.Mutex }

var deadlockLast = freerun.Op("deadlockLast", func(_ *freerun.Context, _ *int, f freerun.Future[int]) (int, error) { return f.Value(), nil })

var deadlockNever = freerun.FreeOp("deadlockNever", func(*freerun.Context, int) (int, error) { return 1, nil })

// philosophers returns a body in which two activities take two locks, each in the order that it
// prefers. A third activity waits for a result that comes when both have ended.
func philosophers(t testing.TB) func(rt *freerun.Runtime) {
	return func(rt *freerun.Runtime) {
		var left, right fork
		eat := func(first, second *fork) func(a *activity.Activity) {
			return func(a *activity.Activity) {
				first.Lock(a)
				defer first.Unlock()
				a.Yield()
				second.Lock(a) // a philosopher is stuck
				defer second.Unlock()
			}
		}
		plato := activity.Go(rt, eat(&left, &right), activity.Named("plato"))
		kant := activity.Go(rt, eat(&right, &left), activity.Named("kant"))
		other := freerun.New(freerun.Deterministic(1))
		t.Cleanup(func() { other.Close() })
		never := deadlockNever.Send(other.Context(), 1)
		last := deadlockLast.Send(rt.Context(), freerun.NewUnit(rt, 0, freerun.UnitName("diary")), never)
		hegel := activity.Go(rt, func(a *activity.Activity) {
			last.Await(a) // hegel is stuck
		}, activity.Named("hegel"))
		for _, eats := range []*activity.Activity{plato, kant} {
			if err := eats.Wait(context.Background()); err != nil { // the test is stuck
				t.Fatalf("%v", err)
			}
		}
		never.Wait(context.Background())
		hegel.Wait(context.Background())
	}
}

// TestExploreDeadlock holds that the message about a deadlock names all that wait, for what and
// where, and says how many schedules were tried.
func TestExploreDeadlock(t *testing.T) {
	t.Setenv(freeruntest.Seed, "")
	os.Unsetenv(freeruntest.Seed)
	failed, said := explore(t, philosophers, freeruntest.Processors(2))
	t.Log(said)
	if !failed {
		t.Fatal("no deadlock was found")
	}
	lines := strings.Split(strings.TrimSpace(said), "\n")
	first := slices.IndexFunc(lines, func(line string) bool { return strings.HasPrefix(line, "\tactivity ") })
	if first < 0 || len(lines) < 7 {
		t.Fatal("it names too little")
	}
	slices.Sort(lines[first : first+3]) // the schedule decides their order
	want := []string{
		"freerun: nothing is left to run, and what is waited for has not come to pass",
		"\tactivity.(*Activity).Wait, called at " + placeOf(t, "deadlock_test.go", "// the test is stuck") + ", waits",
		"\toperation freeruntest_test.deadlockLast on unit diary waits for the result of operation freeruntest_test.deadlockNever, which is another runtime's",
		"\tactivity hegel waits in freerun.Future[...].Await, called at " + placeOf(t, "deadlock_test.go", "// hegel is stuck") + ", for the result of operation freeruntest_test.deadlockLast on unit diary",
		"\tactivity kant waits in activity.(*Mutex).Lock, called at " + placeOf(t, "deadlock_test.go", "// a philosopher is stuck"),
		"\tactivity plato waits in activity.(*Mutex).Lock, called at " + placeOf(t, "deadlock_test.go", "// a philosopher is stuck"),
	}
	for i, line := range want {
		if lines[i] != line {
			t.Errorf("line %d is\n%s\nwant\n%s", i+1, lines[i], line)
		}
	}
	seed := regexp.MustCompile(`failed under the schedule of seed (\d+), .* processors, number (\d+) of the \d+ to be tried; to run it again: FREERUN_SEED=(\d+) go test -run '\^TestExploreDeadlock\$'$`).
		FindStringSubmatch(said[:len(said)-1])
	if seed == nil || seed[1] != seed[3] {
		t.Fatal("no line that tells how many schedules were tried, and how to run this one again")
	}
	if tried, _ := strconv.Atoi(seed[2]); strconv.Itoa(tried-1) != seed[1] {
		t.Errorf("schedule %s is number %s", seed[1], seed[2])
	}
}

// placeOf returns the file and line that a comment is on.
func placeOf(t *testing.T, file, comment string) string {
	source, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	above, _, found := strings.Cut(string(source), comment+"\n")
	if !found {
		t.Fatalf("no comment %s", comment)
	}
	return fmt.Sprintf("%s:%d", file, strings.Count(above, "\n")+1)
}
