package cooperate

import (
	"go/build"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// copied are packages of the standard library that can be copied: neither they nor their tests need
// packages that others must not import.
var copied = []string{"encoding/ascii85", "encoding/csv", "encoding/hex", "index/suffixarray", "math/cmplx", "regexp/syntax", "text/template/parse"}

// TestStandardLibraryRuns copies packages of the standard library, puts an activity in reach in
// every function, and rewrites them. Their own tests pass as before. The activity does not run, so
// all of the code is ordinary code: the test is about how the checks change its course.
func TestStandardLibraryRuns(t *testing.T) {
	root, err := filepath.Abs("../../../..")
	if err != nil {
		t.Fatal(err)
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	write := func(name, text string) {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write(filepath.Join(dir, "go.mod"), "module example.org/user\n\ngo 1.26\n\nrequire github.com/freerun-go/freerun v0.0.0\n\nreplace github.com/freerun-go/freerun => "+
		filepath.ToSlash(root)+"\n")
	write(filepath.Join(dir, "running", "running.go"), "package running\n\nimport \"github.com/freerun-go/freerun/activity\"\n\nvar Running = new(activity.Activity)\n\ntype Activity = activity.Activity\n")
	w := newWorld(t)
	for _, path := range copied {
		from := filepath.Join(build.Default.GOROOT, "src", filepath.FromSlash(path))
		if err := os.CopyFS(filepath.Join(dir, filepath.FromSlash(path)), os.DirFS(from)); err != nil {
			t.Fatal(err)
		}
		files, err := packageOf(w, path)
		if err != nil {
			t.Fatal(err)
		}
		for name, text := range files {
			text = strings.Replace(text, ActivityPath, "example.org/user/running", 1)
			text = strings.Replace(text, "/*line "+name, "/*line "+filepath.Base(name), 1)
			write(filepath.Join(dir, filepath.FromSlash(path), filepath.Base(name)), text)
		}
	}
	env := append(os.Environ(), "GOWORK=", "GOPROXY=off", "GOFLAGS=")
	result, err := Rewrite(Request{Dir: dir, Env: env, Patterns: []string{"./..."}, Tests: true})
	if err != nil || len(result.Skipped) > 0 {
		t.Fatal(err, result.Skipped)
	}
	checks, pieces := 0, 0
	for _, text := range result.Texts {
		checks += strings.Count(string(text), ".CheckInserted(")
		pieces += strings.Count(string(text), "freerunEnd :=") + strings.Count(string(text), "freerunPiece :=")
	}
	if checks < 200 || pieces < 10 {
		t.Errorf("%d checks, %d of them before pieces of a loop: too little to show anything", checks, pieces)
	}
	written, err := result.Write(t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command("go", "test", "-vet=off", "-short", "-overlay", written, "./...")
	c.Dir, c.Env = dir, env
	out, err := c.CombinedOutput()
	if err != nil || strings.Count(string(out), "ok ") != len(copied) {
		t.Errorf("%v\n%s", err, out)
	}
}

// counting stands in for freerun. Its activity counts the weights of its checks.
const counting = `package activity

type Activity struct{ Paid, Most int64 }

func (a *Activity) CheckInserted(n int32) {
	a.Paid += int64(n)
	a.Most = max(a.Most, int64(n))
}
`

// counted runs loops that are cut into pieces, with bounds of all kinds. The first turn tells what
// each turn pays.
const counted = `package main

import (
	"fmt"
	"math"
	"os"

	"github.com/freerun-go/freerun/activity"
)

type shape struct{ n int }

func main() {
	for l, loop := range loops {
		var none, one activity.Activity
		loop(&none, 0)
		loop(&one, 1)
		for _, n := range []int{-5, 0, 1, 2, 99, 100, 101, 127, 128, 340, 341, 342, 681, 682, 683, 2047, 2048, 2049, 10_000} {
			var a activity.Activity
			turns, sum := loop(&a, n)
			fmt.Println(l, n, turns, sum)
			if want := none.Paid + int64(turns)*(one.Paid-none.Paid); a.Paid != want || a.Most > 4096 {
				fmt.Fprintln(os.Stderr, "loop", l, "n", n, "turns", turns, "paid", a.Paid, "want", want, "at once", a.Most)
			}
		}
		if one.Paid > 0 && one.Paid == none.Paid {
			fmt.Fprintln(os.Stderr, "loop", l, "pays nothing")
		}
	}
}

func values(n int) []int { return make([]int, max(n, 0)) }

var loops = []func(a *activity.Activity, n int) (turns, sum int){
	func(a *activity.Activity, n int) (turns, sum int) {
		for k := 0; k < n; k++ { turns++; sum += k }
		return
	},
	func(a *activity.Activity, n int) (turns, sum int) {
		for k := -7; k < n-7; k++ {
			turns++
			if k%3 == 0 {
				continue
			}
			sum += k
		}
		return
	},
	func(a *activity.Activity, n int) (turns, sum int) {
		for k := math.MaxInt - max(n, 0); k < math.MaxInt; k++ {
			turns++
			sum ^= k
		}
		return
	},
	func(a *activity.Activity, n int) (turns, sum int) {
		last := math.MinInt + max(n, 0)
		for k := math.MinInt; k < last; k++ {
			turns++
			sum ^= k
		}
		return
	},
	func(a *activity.Activity, n int) (turns, sum int) {
		bound := int8(min(n, 255) - 128) // from -128 there are more turns than an int8 can count
		for k := int8(-128); k < bound; k++ {
			turns++
			sum += int(k)
		}
		return
	},
	func(a *activity.Activity, n int) (turns, sum int) {
		bound := uint8(max(min(n, 255), 0))
		for k := range bound {
			turns++
			sum += int(k)
		}
		return
	},
	func(a *activity.Activity, n int) (turns, sum int) {
		last := 1<<63 + uint64(max(n, 0))
		for k := uint64(1 << 63); k < last; k++ {
			turns++
			sum += int(k & 7)
		}
		return
	},
	func(a *activity.Activity, n int) (turns, sum int) {
		s := &shape{n}
		for k := 0; k < s.n; k++ {
			turns++
			sum += k * s.n
		}
		return
	},
	func(a *activity.Activity, n int) (turns, sum int) {
		for range n {
			turns++
			sum += turns
		}
		return
	},
	func(a *activity.Activity, n int) (turns, sum int) {
		x := values(n)
		for i := range x { x[i] = i }
		for i, v := range x {
			turns++
			sum += i * v
			x[len(x)-1-i] = i
		}
		return
	},
	func(a *activity.Activity, n int) (turns, sum int) {
		x := values(n)
		for _, v := range x {
			turns++
			switch {
			case v == 0:
				break
			default:
				sum += v
			}
			x = nil
		}
		return
	},
}
`

// TestPiecesPayAsMuch: loops that are cut into pieces run the same turns as without pieces, and pay
// for each turn once.
func TestPiecesPayAsMuch(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"go.mod":                       "module example.org/user\n\ngo 1.26\n\nrequire github.com/freerun-go/freerun v0.0.0\n\nreplace github.com/freerun-go/freerun => ./freerun\n",
		"main.go":                      counted,
		"freerun/go.mod":               "module github.com/freerun-go/freerun\n\ngo 1.26\n",
		"freerun/activity/activity.go": counting,
	} {
		full := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	env := append(os.Environ(), "GOWORK=", "GOPROXY=off", "GOFLAGS=")
	run := func(args ...string) string {
		t.Helper()
		c := exec.Command("go", append(append([]string{"run"}, args...), ".")...)
		c.Dir, c.Env = dir, env
		var out, errs strings.Builder
		c.Stdout, c.Stderr = &out, &errs
		if err := c.Run(); err != nil || errs.Len() > 0 {
			t.Fatalf("%v\n%s", err, &errs)
		}
		return out.String()
	}
	result, err := Rewrite(Request{Dir: dir, Env: env})
	if err != nil || len(result.Skipped) > 0 {
		t.Fatal(err, result.Skipped)
	}
	text := string(result.Texts[filepath.Join(dir, "main.go")])
	if n := strings.Count(text, "freerunEnd :=") + strings.Count(text, "freerunPiece :="); n < 11 {
		t.Errorf("%d loops are cut into pieces, want 11 or more\n%s", n, text)
	}
	written, err := result.Write(t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if without, with := run(), run("-overlay="+written); with != without {
		t.Errorf("with checks\n%s\nwithout\n%s", with, without)
	}
}
