package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/cluster/internal/child"
)

func TestMain(m *testing.M) {
	child.Role("bank", endless)
	child.Main(m)
}

const bankAccounts = 10

// endless is the bank in FREERUN_DIR, which makes transfers until it is killed. FREERUN_EARLY has
// it acknowledge them before they are stored: the control.
func endless() {
	b := bank{os.Stdout, bankAccounts, 100, true, freerun.Future[int].Wait}
	if os.Getenv("FREERUN_EARLY") != "" {
		b.outcome = func(freerun.Future[int], context.Context) (int, error) { return 0, nil }
	}
	dir, count := os.Getenv("FREERUN_DIR"), math.MaxInt32
	if os.Getenv("FREERUN_LAST") != "" {
		count = 0
	}
	if err := b.run(context.Background(), dir, count); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// start runs the bank, and kills it once it has acknowledged some transfers; with none, it runs to
// its end. It returns the accounts at its start, and the numbers it has acknowledged.
func start(t *testing.T, dir string, kill int, env ...string) (all []account, paid []int) {
	t.Helper()
	c := child.Command(t.Context(), "bank", append(env, "FREERUN_DIR="+dir)...)
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	defer c.Wait()
	defer c.Process.Kill()
	summed := false
	for r := bufio.NewReader(out); ; {
		line, err := r.ReadString('\n')
		if err == io.EOF {
			break // what is left of a line that the end has cut is no acknowledgement
		}
		if err != nil {
			t.Fatal(err)
		}
		what, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		switch what {
		case "account":
			var a account
			if err := json.Unmarshal([]byte(value), &a); err != nil {
				t.Fatalf("%q: %v", line, err)
			}
			all = append(all, a)
		case "sum":
			summed = true
			if value != strconv.Itoa(1000*bankAccounts) {
				t.Errorf("the sum is %s", value)
			}
		case "paid":
			number, err := strconv.Atoi(value)
			if err != nil {
				t.Fatalf("%q: %v", line, err)
			}
			if paid = append(paid, number); len(paid) == kill {
				c.Process.Kill() // what it has acknowledged is still in the pipe
			}
		default:
			t.Fatalf("the bank says %q", line)
		}
	}
	if !summed || len(all) != bankAccounts || len(paid) < kill {
		t.Fatalf("the bank has ended with %d accounts and %d transfers", len(all), len(paid))
	}
	return all, paid
}

// check compares the accounts with what was acknowledged.
func check(all []account, acknowledged []int) (problems []string) {
	report := func(format string, args ...any) { problems = append(problems, fmt.Sprintf(format, args...)) }
	paid, received := map[int]bool{}, map[int]bool{}
	for i, a := range all {
		last, lasts := 0, [bankAccounts]int{}
		for _, n := range a.Paid {
			switch {
			case paid[n]:
				report("transfer %d was paid twice", n)
			case n%bankAccounts != i:
				report("account %d has paid transfer %d of another one", i, n)
			case n < last:
				report("account %d has paid transfer %d after %d", i, n, last)
			}
			paid[n], last = true, n
		}
		for _, n := range a.Received {
			from := n % bankAccounts
			switch {
			case received[n]:
				report("transfer %d was received twice", n)
			case n < lasts[from]:
				report("account %d has received transfer %d after %d", i, n, lasts[from])
			}
			received[n], lasts[from] = true, n
		}
	}
	for n := range paid {
		if !received[n] {
			report("transfer %d was paid, and not received", n)
		}
	}
	for n := range received {
		if !paid[n] {
			report("transfer %d was received, and not paid", n)
		}
	}
	for _, n := range acknowledged {
		if !paid[n] {
			report("transfer %d was acknowledged, and is not there", n)
		}
	}
	return problems
}

// crash kills the bank a number of times in the middle of transfers, and compares what it has at
// each start. It begins anew now and then: what an account remembers grows. It ends at the first
// problem.
func crash(t *testing.T, times int, env ...string) (problems []string) {
	seed := rand.Uint64()
	random := rand.New(rand.NewPCG(seed, 0))
	dir, total, highest := t.TempDir(), 0, 0
	var acknowledged []int
	look := func(all []account) bool {
		if problems = check(all, acknowledged); len(problems) > 0 {
			problems = append(problems, fmt.Sprintf("seed %d", seed))
		}
		return len(problems) == 0
	}
	for i := range times {
		all, paid := start(t, dir, 200+random.IntN(500), env...)
		if !look(all) {
			return problems
		}
		for _, n := range paid {
			if n <= highest {
				return append(problems, fmt.Sprintf("transfer %d was acknowledged after %d", n, highest))
			}
			highest = n
		}
		acknowledged = append(acknowledged, paid...)
		total += len(paid)
		if i%10 == 9 || i == times-1 {
			all, _ := start(t, dir, 0, append(env, "FREERUN_LAST=1")...)
			if !look(all) {
				return problems
			}
			dir, acknowledged, highest = t.TempDir(), nil, 0
		}
	}
	t.Logf("%d crashes, %d transfers acknowledged", times, total)
	return nil
}

// TestCrashes kills the bank again and again: no money is lost or made, what was acknowledged is
// there, once, in its order, and what was paid is received. FREERUN_CRASHES says how often.
func TestCrashes(t *testing.T) {
	times := 10
	if testing.Short() {
		times = 3
	}
	if n, err := strconv.Atoi(os.Getenv("FREERUN_CRASHES")); err == nil {
		times = n
	}
	for _, problem := range crash(t, times) {
		t.Error(problem)
	}
}

// TestCrashesControl holds that the test above finds a bank that acknowledges too early.
func TestCrashesControl(t *testing.T) {
	problems := crash(t, 10, "FREERUN_EARLY=1")
	if !strings.Contains(strings.Join(problems, "\n"), "was acknowledged, and is not there") {
		t.Errorf("lost acknowledgements are not found: %v", problems)
	}
}
