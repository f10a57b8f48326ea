package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/freerun-go/freerun/cmd/freerun/internal/cooperate"
)

// spinning is a package without an activity, and without a way to know one.
const spinning = `package spinning

func Spin(n int, f func(int)) { for n > 0 { n--; f(n) } }
`

// usesSpinning is a program that crashes in that package, if it has an argument.
const usesSpinning = `package main

import (
	"os"

	"example.org/spinning"
	_ "github.com/freerun-go/freerun/activity"
)

func main() {
	sum := 0
	spinning.Spin(4, func(n int) {
		if len(os.Args) > 1 { panic(n) }
		sum += n
	})
	print(sum)
}
`

const spinningPolled = "func Spin(n int, f func(int)) { freerunPoll.Here();/*line :3:32*/ for n > 0 { freerunPoll.Here();/*line :3:44*/ n--; f(n) } }\n"

// samePanic checks that a program prints the same with freerun as with go, and that its stack trace
// names the same places, one of which has a certain text.
func samePanic(t *testing.T, dir, place string, flags ...string) {
	t.Helper()
	_, want, _ := in(t, dir, "go", append(append([]string{"run"}, flags...), ".")...)
	_, got, status := in(t, dir, binary, append(append([]string{"run"}, flags...), ".")...)
	if got != want || status != 0 {
		t.Errorf("exit status %d, got %s, want %s", status, got, want)
	}
	_, want, _ = in(t, dir, "go", append(append([]string{"run"}, flags...), ".", "x")...)
	_, got, _ = in(t, dir, binary, append(append([]string{"run"}, flags...), ".", "x")...)
	places := func(text string) (found []string) {
		for line := range strings.Lines(text) {
			if name, _, _ := strings.Cut(strings.TrimSpace(line), " +0x"); strings.Contains(name, ".go:") {
				found = append(found, name)
			}
		}
		return found
	}
	if !slices.Equal(places(got), places(want)) || !strings.Contains(got, place) {
		t.Errorf("got %s\nwant %s\nwith %s", got, want, place)
	}
}

// TestPollsInOtherModule: a package of a module that is replaced by a folder gets polls, although
// it knows no activity. So does a package of the user's own that knows none.
func TestPollsInOtherModule(t *testing.T) {
	dir := newModule(t, map[string]string{
		"go.mod": "module example.org/user\n\ngo 1.26\n\nrequire (\n\tgithub.com/freerun-go/freerun v0.0.0\n\texample.org/spinning v0.0.0\n)\n\n" +
			"replace (\n\tgithub.com/freerun-go/freerun => FREERUN\n\texample.org/spinning => ./spinning\n)\n",
		"main.go":              strings.Replace(usesSpinning, "\t\"example.org/spinning\"\n", "\t\"example.org/spinning\"\n\t_ \"example.org/user/own\"\n", 1),
		"own/own.go":           spinning,
		"spinning/go.mod":      "module example.org/spinning\n\ngo 1.20\n",
		"spinning/spinning.go": spinning,
	})
	result, err := cooperate.Rewrite(cooperate.Request{Dir: dir, Env: command(dir, "go").Env})
	if err != nil || len(result.Skipped) > 0 {
		t.Fatal(err, result.Skipped)
	}
	for _, name := range []string{"own/own.go", "spinning/spinning.go"} {
		if text := string(result.Texts[filepath.Join(dir, filepath.FromSlash(name))]); !strings.Contains(text, spinningPolled) {
			t.Errorf("%s became\n%s", name, text)
		}
	}
	samePanic(t, dir, "spinning.go:3")
	samePanic(t, dir, "spinning.go:3", "-trimpath")
	if err := os.WriteFile(filepath.Join(dir, "main.go"), []byte(strings.Replace(usesSpinning, "\t_ \"github.com/freerun-go/freerun/activity\"\n", "", 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	if got := rewrites(t, dir, cooperate.Request{}); len(got) > 0 {
		t.Errorf("a program without package activity: %v", got)
	}
}

// TestPollsBesideCgo: in a package of another module that uses cgo, the files that do not use it
// have polls.
func TestPollsBesideCgo(t *testing.T) {
	if _, err := exec.LookPath("gcc"); err != nil || runtime.GOOS == "windows" {
		t.Skip("there is no C compiler")
	}
	dir := newModule(t, map[string]string{
		"go.mod": "module example.org/user\n\ngo 1.26\n\nrequire (\n\tgithub.com/freerun-go/freerun v0.0.0\n\texample.org/spinning v0.0.0\n)\n\n" +
			"replace (\n\tgithub.com/freerun-go/freerun => FREERUN\n\texample.org/spinning => ./spinning\n)\n",
		"main.go":              usesSpinning,
		"spinning/go.mod":      "module example.org/spinning\n\ngo 1.20\n",
		"spinning/spinning.go": spinning,
		"spinning/c.go":        "package spinning\n\n// static int two() { return 2; }\nimport \"C\"\n\nfunc Two() (n C.int) { for n < 2 { n = C.two() }; return n }\n",
	})
	if got := rewrites(t, dir, cooperate.Request{}); strings.Join(got, " ") != "spinning/spinning.go" {
		t.Errorf("%v", got)
	}
	samePanic(t, dir, "spinning.go:3")
}

// TestPollsInVendor: vendored packages get polls, if package poll is vendored, too.
func TestPollsInVendor(t *testing.T) {
	dir := newModule(t, map[string]string{
		"go.mod":      "module example.org/user\n\ngo 1.26\n\nrequire (\n\tgithub.com/freerun-go/freerun v1.0.0\n\texample.org/spinning v1.0.0\n)\n",
		"main.go":     usesSpinning,
		"own/own.go":  spinning,
		"own/doc.go":  "// Package spinning has no code here.\npackage spinning\n",
		"own/poll.go": "package spinning\n\nimport _ \"github.com/freerun-go/freerun/activity\"\n",
		"vendor/modules.txt": "# example.org/spinning v1.0.0\n## explicit; go 1.20\nexample.org/spinning\n# github.com/freerun-go/freerun v1.0.0\n## explicit; go 1.20\n" +
			"github.com/freerun-go/freerun/activity\ngithub.com/freerun-go/freerun/activity/poll\n",
		"vendor/example.org/spinning/spinning.go":                       spinning,
		"vendor/github.com/freerun-go/freerun/activity/activity.go":     "package activity\n\ntype Activity int\n",
		"vendor/github.com/freerun-go/freerun/activity/poll/poll.go":    "package poll\n\nfunc Here() {}\n",
		"vendor/github.com/freerun-go/freerun/activity/poll/ignored.go": "//go:build ignore\n\npackage ignored\n",
	})
	if got := rewrites(t, dir, cooperate.Request{}); strings.Join(got, " ") != "vendor/example.org/spinning/spinning.go" {
		t.Errorf("%v", got)
	}
	samePanic(t, dir, "vendor/example.org/spinning/spinning.go:3")
	for _, name := range []string{"poll.go", "ignored.go"} {
		if err := os.Remove(filepath.Join(dir, "vendor/github.com/freerun-go/freerun/activity/poll", name)); err != nil {
			t.Fatal(err)
		}
	}
	if got := rewrites(t, dir, cooperate.Request{Patterns: []string{"./..."}}); len(got) > 0 {
		t.Errorf("without package poll: %v", got)
	}
	samePanic(t, dir, "vendor/example.org/spinning/spinning.go:3")
}

// usesModule is a program that crashes in a package of the module cache, if it has an argument.
const usesModule = `package main

import (
	"os"

	_ "github.com/freerun-go/freerun/activity"
	"github.com/tidwall/match"
	"github.com/tidwall/btree"
)

func main() {
	t := btree.New(func(a, b any) bool {
		if len(os.Args) > 1 { panic(a) }
		return a.(int) < b.(int)
	})
	for i := range 1000 {
		t.Set(i)
	}
	print(t.Len(), match.Match("x", "x*"))
}
`

// TestPollsInModuleCache: packages in the module cache get polls, in a module and in a workspace,
// and the stack trace names their files where they are. The second build finds them ready.
func TestPollsInModuleCache(t *testing.T) {
	sums, err := os.ReadFile("go.sum")
	if err != nil {
		t.Fatal(err)
	}
	dir := newModule(t, map[string]string{
		"user/go.mod": "module example.org/user\n\ngo 1.26\n\nrequire (\n\tgithub.com/freerun-go/freerun v0.0.0\n\tgithub.com/tidwall/btree v1.1.0\n\tgithub.com/tidwall/match v1.1.1\n)\n\n" +
			"replace github.com/freerun-go/freerun => FREERUN\n",
		"user/go.sum":       string(sums),
		"user/main.go":      usesModule,
		"user/main_test.go": "package main\n\nimport (\n\t\"os\"\n\t\"testing\"\n)\n\nfunc Test(t *testing.T) { os.Args = os.Args[:1]; main() }\n",
	})
	user := filepath.Join(dir, "user")
	if _, errs, status := in(t, user, "go", "run", "."); status != 0 {
		t.Skipf("the module cache lacks a module: %s", errs)
	}
	builds, err := exec.Command("go", "env", "GOCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("GOCACHE", strings.TrimSpace(string(builds)))
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	samePanic(t, user, "/github.com/tidwall/btree@v1.1.0/btree.go:")
	samePanic(t, user, "\tgithub.com/tidwall/btree@v1.1.0/btree.go:", "-trimpath")
	kept := func() (names []string) {
		names, _ = filepath.Glob(filepath.Join(keep(), "*", "*.go"))
		return slices.DeleteFunc(names, func(name string) bool { return strings.Contains(name, "modules-") })
	}
	must(t, user, binary, "test", ".")
	before := kept()
	if len(before) == 0 {
		t.Fatal("nothing is kept")
	}
	if text, err := os.ReadFile(before[0]); err != nil || !strings.Contains(string(text), "/tidwall/") {
		t.Errorf("%v %s", err, text)
	}
	if err := os.WriteFile(filepath.Join(dir, "go.work"), []byte("go 1.26\n\nuse ./user\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	samePanic(t, user, "/github.com/tidwall/btree@v1.1.0/btree.go:")
	if after := kept(); !slices.Equal(before, after) {
		t.Errorf("kept were %v, and now %v", before, after)
	}
	must(t, user, binary, "build", "-o", "program", ".")
	if text, err := exec.Command("go", "tool", "nm", filepath.Join(user, "program")).Output(); err != nil || !strings.Contains(string(text), "freerun/activity/poll.due") {
		t.Errorf("the program has no polls: %v", err)
	}
	if text, err := os.ReadFile(filepath.Join(user, "go.mod")); err != nil || strings.Contains(string(text), "tidwall/btree v1.1.0 =>") {
		t.Errorf("the user's file changed: %v\n%s", err, text)
	}
}
