package main

import (
	"debug/dwarf"
	"debug/elf"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/freerun-go/freerun/cmd/freerun/internal/cooperate"
)

// TestCompileErrors: `freerun build` reports code that does not compile exactly as `go build` does,
// with the same columns.
func TestCompileErrors(t *testing.T) {
	const head = "package main\n\nimport \"github.com/freerun-go/freerun/activity\"\n\n"
	for name, text := range map[string]string{
		"undefined":     head + "func f(a *activity.Activity) { x := 1; for x > 0 { y() } }\n\nfunc main() {}\n",
		"unused":        head + "func f(a *activity.Activity) { for i := range 3 { x := i } }\n\nfunc main() {}\n",
		"unused alone":  head + "func f(s any) { a := s.(*activity.Activity) }\n\nfunc main() {}\n",
		"syntax":        head + "func f(a *activity.Activity) { for { } ) }\n\nfunc main() {}\n",
		"return":        head + "func f(a *activity.Activity) int { for i := 0; i < 9; i++ { } }\n\nfunc main() {}\n",
		"import":        head + "import _ \"example.org/nowhere\"\n\nfunc main() { f(nil) }\n\nfunc f(a *activity.Activity) {}\n",
		"unused import": head + "import \"fmt\"\n\nfunc main() { f(nil) }\n\nfunc f(a *activity.Activity) {}\n",
		"no package":    "",
	} {
		dir := newModule(t, map[string]string{"main.go": text})
		_, want, wantStatus := in(t, dir, "go", "build", ".")
		_, got, status := in(t, dir, binary, "build", ".")
		if want == "" || got != want || status != wantStatus {
			t.Errorf("%s: exit status %d, want %d\n got %s\nwant %s", name, status, wantStatus, got, want)
		}
	}
}

// TestCompilerErrors has errors that only the compiler finds, in rewritten code. They name the
// user's lines and columns.
func TestCompilerErrors(t *testing.T) {
	dir := newModule(t, map[string]string{"main.go": `package main

import "github.com/freerun-go/freerun/activity"

func f(a *activity.Activity, n int) int { for i := 0; i < n; i++ { n += i }; var big [1 << 50]int; return big[n] }

func main() { f(nil, 1) }
`})
	_, want, wantStatus := in(t, dir, "go", "build", ".")
	_, got, status := in(t, dir, binary, "build", ".")
	if !strings.Contains(want, "main.go:5:") || got != want || status != wantStatus {
		t.Errorf("exit status %d, want %d\n got %s\nwant %s", status, wantStatus, got, want)
	}
}

// crashing is a program whose stack goes through rewritten code, in loops that are cut into pieces
// and others, on one line and on several.
const crashing = `package main

import (
	"os"

	"github.com/freerun-go/freerun/activity"
)

func counted(a *activity.Activity, x []int) (sum int) {
	for i := 0; i < 100; i++ {
		sum += x[i]
	}
	return sum
}

func oneLine(a *activity.Activity, x []int) { for i := range 3 { x[i+1]++; counted(a, x) } }

func slice(_ *activity.Activity, x [][]int) (sum int) {
	for i, v := range x {
		sum += v[
			i]
	}
	return sum
}

func main() {
	defer func() {
		func(a *activity.Activity) {
			for {
				if len(os.Args) > 1 { slice(a, [][]int{{1}, {1}}) }; oneLine(a, []int{1, 2, 3, 4})
			}
		}(nil)
	}()
}
`

// frame is a line of a stack trace that names a file, or of a race report.
var frame = regexp.MustCompile(`(?m)^\s+(/\S+\.go:\d+)`)

func frames(text string) (found []string) {
	for _, m := range frame.FindAllStringSubmatch(text, -1) {
		found = append(found, m[1])
	}
	return found
}

// TestPanicPositions: the stack trace of a panic names the same files and lines with checks as
// without.
func TestPanicPositions(t *testing.T) {
	dir := newModule(t, map[string]string{"main.go": crashing})
	for _, args := range [][]string{{"run", "."}, {"run", ".", "x"}, {"run", "-gcflags=-N -l", ".", "x"}, {"run", "main.go"}, {"run", "-race", "."}} {
		_, want, wantStatus := in(t, dir, "go", args...)
		_, got, status := in(t, dir, binary, args...)
		if len(frames(want)) < 3 || !slices.Equal(frames(got), frames(want)) || status != wantStatus {
			t.Errorf("%v: exit status %d, want %d\n got %s\nwant %s", args, status, wantStatus, got, want)
		}
	}
	_, trimmed, _ := in(t, dir, binary, "run", "-trimpath", ".")
	if !strings.Contains(trimmed, "\texample.org/user/main.go:11") {
		t.Errorf("with -trimpath: %s", trimmed)
	}
}

// TestRacePositions: the race detector names the user's lines, and finds no race in the insertions.
func TestRacePositions(t *testing.T) {
	dir := newModule(t, map[string]string{"main.go": `package main

import (
	"sync"

	"github.com/freerun-go/freerun/activity"
)

var n int

func count(a *activity.Activity) { for i := 0; i < 10; i++ { n++ } }

func main() {
	var a activity.Activity // whose quantum they share
	var both sync.WaitGroup
	for range 2 {
		both.Go(func() {
			count(&a)
		})
	}
	both.Wait()
}
`})
	_, got, status := in(t, dir, binary, "run", "-race", ".")
	if status == 0 || !strings.Contains(got, "DATA RACE") {
		t.Fatalf("exit status %d: %s", status, got)
	}
	for _, f := range frames(got) {
		if !strings.HasPrefix(f, filepath.Join(dir, "main.go:")) && !strings.Contains(f, "/src/sync/") {
			t.Errorf("it names %s\n%s", f, got)
		}
	}
	if strings.Contains(got, "Check") || !strings.Contains(got, "main.go:11") {
		t.Errorf("it names a check, or not the line of the race:\n%s", got)
	}
}

// TestDebugInformation: a debugger finds the user's file, and no other, for the code of the
// package.
func TestDebugInformation(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("reads ELF")
	}
	dir := newModule(t, map[string]string{"main.go": crashing})
	must(t, dir, binary, "build", "-o", "program", ".")
	f, err := elf.Open(filepath.Join(dir, "program"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	data, err := f.DWARF()
	if err != nil {
		t.Fatal(err)
	}
	lines := map[string]bool{}
	for r := data.Reader(); ; {
		unit, err := r.Next()
		if err != nil {
			t.Fatal(err)
		}
		if unit == nil {
			break
		}
		r.SkipChildren()
		if unit.Tag != dwarf.TagCompileUnit || unit.Val(dwarf.AttrName) != "main" {
			continue
		}
		table, err := data.LineReader(unit)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range table.Files() {
			if file != nil {
				lines[file.Name] = true
			}
		}
	}
	if !lines[filepath.Join(dir, "main.go")] {
		t.Errorf("files %v, want %s among them", lines, filepath.Join(dir, "main.go"))
	}
	text, err := os.ReadFile(filepath.Join(dir, "program"))
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(text), "freerun-build-") {
		t.Error("the program names a file that was rewritten")
	}
}

// TestVetPositions: go vet, which go test runs, does not object to the insertions, and names the
// user's lines.
func TestVetPositions(t *testing.T) {
	dir := newModule(t, map[string]string{
		"main.go":      crashing,
		"main_test.go": "package main\n\nimport (\n\t\"fmt\"\n\t\"testing\"\n\n\t\"github.com/freerun-go/freerun/activity\"\n)\n\nfunc Test(t *testing.T) { f(nil) }\n\nfunc f(a *activity.Activity) { for range 3 { fmt.Printf(\"%d\\n\", \"text\") } }\n",
	})
	_, want, wantStatus := in(t, dir, "go", "test", ".")
	wantOut, _, _ := in(t, dir, "go", "test", ".")
	gotOut, got, status := in(t, dir, binary, "test", ".")
	if !strings.Contains(want+wantOut, "main_test.go:12:") || got != want || gotOut != wantOut || status != wantStatus {
		t.Errorf("exit status %d, want %d\n got %s%s\nwant %s%s", status, wantStatus, got, gotOut, want, wantOut)
	}
}

// TestVetOfWhatIsInserted: all of go vet does not object to rewritten code, including loops that
// are cut into pieces.
func TestVetOfWhatIsInserted(t *testing.T) {
	dir := newModule(t, map[string]string{"main.go": sharing, "sub/sub.go": sharingSub})
	result, err := cooperate.Rewrite(cooperate.Request{Dir: dir, Env: command(dir, "go").Env, Patterns: []string{"./..."}})
	if err != nil || len(result.Texts) != 2 || len(result.Skipped) > 0 {
		t.Fatalf("%d files rewritten, skipped %v, %v", len(result.Texts), result.Skipped, err)
	}
	written, err := result.Write(t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	must(t, dir, "go", "vet", "-overlay", written, "./...")
}
