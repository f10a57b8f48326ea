package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/freerun-go/freerun/activity"
	"github.com/freerun-go/freerun/bench/commandline/commandtest"
)

// newModule writes a user's module that uses this freerun, and returns its folder. files maps paths
// to texts. If there is no go.mod, newModule adds one.
func newModule(t testing.TB, files map[string]string) string {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	write := func(name, text string) {
		full := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(strings.ReplaceAll(text, "FREERUN", filepath.ToSlash(root))), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("go.mod", "module example.org/user\n\ngo 1.26\n\nrequire github.com/freerun-go/freerun v0.0.0\n\nreplace github.com/freerun-go/freerun => FREERUN\n")
	for name, text := range files {
		write(name, text)
	}
	return dir
}

// command returns a command that runs in the folder of such a module, outside of freerun's
// workspace.
func command(dir, name string, args ...string) *exec.Cmd {
	c := exec.Command(name, args...)
	c.Dir = dir
	c.Env = append(os.Environ(), "GOWORK=", "GOPROXY=off", "GOFLAGS=")
	return c
}

// in runs a command in the folder of a module, and returns its output and its exit status.
func in(t testing.TB, dir, name string, args ...string) (out, errs string, status int) {
	t.Helper()
	return commandtest.Output(t, command(dir, name, args...))
}

// must runs a command that must succeed.
func must(t testing.TB, dir, name string, args ...string) string {
	t.Helper()
	out, errs, status := in(t, dir, name, args...)
	if status != 0 {
		t.Fatalf("%s %v: exit status %d\n%s%s", filepath.Base(name), args, status, out, errs)
	}
	return out
}

// sharing is a program that runs two activities on one processor. One has a long loop of the kind
// that the argument names. The other is started before the loop and needs to run once. The program
// reports whether the other ran before the loop ended. No loop yields explicitly.
const sharing = `package main

import (
	"context"
	"fmt"
	"iter"
	"os"

	"example.org/user/sub"
	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/activity"
)

const n = 200_000

var sink int

var loops = map[string]func(a *activity.Activity){
	"counted": func(a *activity.Activity) {
		for i := 0; i < n; i++ {
			sink += i
		}
	},
	"nameless": func(*activity.Activity) {
		for i := 0; i < n; i++ {
			sink += i
		}
	},
	"blank": func(_ *activity.Activity) {
		for i := range n {
			sink += i
		}
	},
	"slice": func(a *activity.Activity) {
		for i, v := range make([]int, n) {
			sink += i + v
		}
	},
	"while": func(a *activity.Activity) {
		i := 0
		for i < n {
			if i++; i%2 == 0 {
				continue
			}
			sink += i
		}
	},
	"goto": func(a *activity.Activity) {
		i := 0
	again:
		i++
		if i < n {
			goto again
		}
	},
	"recursion": func(a *activity.Activity) { fib(a, 36) }, // without checks: it is preempted
	"iterator": func(a *activity.Activity) {
		for v := range upTo(n) {
			sink += v
		}
	},
	"channel": func(a *activity.Activity) {
		c := make(chan int, n)
		for i := range n {
			c <- i
		}
		close(c)
		for v := range c {
			sink += v
		}
	},
	"shadow": func(a *activity.Activity) {
		for _, a := range make([]string, n) {
			sink += len(a)
		}
	},
	"closure": func(a *activity.Activity) {
		each := func(i int) { sink += i }
		func() {
			for i := 0; i < n; i++ {
				each(i)
			}
		}()
	},
	"package": sub.Loop,
	"method":  (&worker{}).run,
	"value":   worker{}.runValue,
	"generic": generic[float64],
	"exempt":  exempt,
}

func fib(a *activity.Activity, n int) int {
	if n < 2 {
		return n
	}
	return fib(a, n-1) + fib(a, n-2)
}

func upTo(n int) iter.Seq[int] {
	return func(yield func(int) bool) {
		for i := 0; i < n && yield(i); i++ {
		}
	}
}

type worker struct{ n int }

func (w *worker) run(a *activity.Activity) {
	for w.n < n {
		w.n++
	}
}

func (w worker) runValue(a *activity.Activity) {
	for ; w.n < n; w.n++ {
	}
}

func generic[T float64 | float32](a *activity.Activity) {
	sum := T(0)
	for _, v := range make([]T, n) {
		sum += v
	}
}

// exempt keeps its processor.
//
//freerun:uncooperative
func exempt(a *activity.Activity) {
	for i := 0; i < n; i++ {
		sink += i
	}
}

func main() {
	rt := freerun.New(freerun.Processors(1))
	defer rt.Close()
	had, before := false, false
	var other *activity.Activity
	a := activity.Go(rt, func(a *activity.Activity) {
		other = activity.Go(a, func(*activity.Activity) { had = true })
		loops[os.Args[1]](a)
		before = had
	})
	if err := a.Wait(context.Background()); err != nil {
		panic(err)
	}
	if err := other.Wait(context.Background()); err != nil {
		panic(err)
	}
	fmt.Print(before)
}
`

const sharingSub = `package sub

import "github.com/freerun-go/freerun/activity"

// Loop is in another package.
func Loop(a *activity.Activity) {
	n := 0
	for n < 200_000 {
		n++
	}
}
`

// TestLoopsShare: a loop without an explicit yield starves another activity on one processor.
// Compiled with checks, it shares the processor.
func TestLoopsShare(t *testing.T) {
	dir := newModule(t, map[string]string{"main.go": sharing, "sub/sub.go": sharingSub})
	must(t, dir, "go", "build", "-o", "without", ".")
	t.Setenv("TMPDIR", t.TempDir())
	must(t, dir, binary, "build", "-o", "with", ".")
	if left, _ := filepath.Glob(filepath.Join(os.TempDir(), "*")); len(left) > 0 {
		t.Errorf("files are left: %v", left)
	}
	for _, loop := range strings.Fields(`counted nameless blank slice while goto recursion iterator channel shadow closure package method value generic exempt`) {
		if got := must(t, dir, "./without", loop); got != "false" {
			t.Errorf("%s: without checks the other activity had its turn: %s", loop, got)
		}
		if got, want := must(t, dir, "./with", loop), fmt.Sprint(loop != "exempt"); got != want {
			t.Errorf("%s: with checks, the other activity had its turn: %s, want %s", loop, got, want)
		}
	}
}

// TestTurns: two activities with long loops on one processor take turns, each about as often as its
// work has quanta.
func TestTurns(t *testing.T) {
	dir := newModule(t, map[string]string{"main.go": `package main

import (
	"context"
	"fmt"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/activity"
)

var last, turns, sum int

func work(a *activity.Activity, id int) {
	for i := 0; i < 1_000_000; i++ {
		if last != id {
			last = id
			turns++
		}
		sum += i
	}
}

func main() {
	rt := freerun.New(freerun.Processors(1))
	defer rt.Close()
	activity.Go(rt, func(a *activity.Activity) { // so that both are queued before one begins
		one := activity.Go(a, func(a *activity.Activity) { work(a, 1) })
		two := activity.Go(a, func(a *activity.Activity) { work(a, 2) })
		one.Wait(a)
		two.Wait(a)
	}).Wait(context.Background())
	fmt.Print(turns)
}
`})
	if got := must(t, dir, "go", "run", "."); got != "2" {
		t.Errorf("without checks there were %s turns, want one for each activity", got)
	}
	turns, err := strconv.Atoi(must(t, dir, binary, "run", "."))
	if err != nil {
		t.Fatal(err)
	}
	// A turn of the loop weighs 8: 2 for the loop, 3 for the condition of if and its body, 3 for
	// the counter and the sum. See testdata/*.golden.
	const want = 2 * 1_000_000 * 8 / activity.Quantum
	if turns < want/2 || turns > want*2 {
		t.Errorf("with checks there were %d turns, want about %d", turns, want)
	}
}
