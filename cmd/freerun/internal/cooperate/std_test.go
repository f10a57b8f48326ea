package cooperate

import (
	"fmt"
	"go/ast"
	"go/build"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// withActivity adds a local variable that holds an activity to the head of every function of a
// file, without moving a line.
func withActivity(p *Package, i int) string {
	f := p.Files[i]
	e := editor{file: p.Fset.File(f.FileStart), source: p.Sources[i]}
	e.insert(f.Name.End(), fmt.Sprintf("; import freerunPackage %q", ActivityPath))
	e.insert(f.FileEnd, "\nvar _ freerunPackage.Activity\n")
	for _, d := range f.Decls {
		if d, ok := d.(*ast.FuncDecl); ok && d.Body != nil {
			e.insert(d.Body.Lbrace+1, " freerunSelf := freerunPackage.Running; _ = freerunSelf;")
		}
	}
	return string(e.result(f.Package))
}

// packageOf reads the files of a package of the standard library, for this platform, and puts an
// activity in reach in every function.
func packageOf(w *world, path string) (map[string]string, error) {
	b, err := build.Default.ImportDir(filepath.Join(build.Default.GOROOT, "src", path), 0)
	if err != nil {
		return nil, err
	}
	files := make(map[string]string)
	for _, name := range append(b.GoFiles, b.CgoFiles...) {
		full := filepath.Join(b.Dir, name)
		text, err := os.ReadFile(full)
		if err != nil {
			return nil, err
		}
		p, err := w.parse(map[string]string{full: string(text)})
		if err != nil {
			return nil, err
		}
		files[full] = withActivity(p, 0)
	}
	return files, nil
}

// TestStandardLibrary rewrites the standard library, with an activity in reach in every function.
// The result must compile, with the same number of lines.
func TestStandardLibrary(t *testing.T) {
	list, err := exec.Command("go", "list", "std").Output()
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(t)
	done, checks, pieces, left := 0, 0, 0, 0
	for i, path := range strings.Fields(string(list)) {
		if i%oneOf != 0 || path == "unsafe" || strings.HasPrefix(path, "vendor/") {
			continue
		}
		files, err := packageOf(w, path)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		p, err := w.check(path, files)
		if err != nil { // cyclic imports, or functions that only the compiler knows
			left++
			t.Logf("%s: %v", path, err)
			continue
		}
		texts, err := p.Rewrite()
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		after := make(map[string]string)
		for i, f := range p.Files {
			name := p.Fset.File(f.FileStart).Name()
			after[name] = string(texts[i])
			if texts[i] == nil {
				after[name] = string(p.Sources[i])
			}
			if a, b := strings.Count(after[name], "\n"), strings.Count(string(p.Sources[i]), "\n"); a != b {
				t.Errorf("%s has %d lines, and had %d", name, a, b)
			}
			checks += strings.Count(after[name], ".CheckInserted(")
			pieces += strings.Count(after[name], "freerunEnd :=") + strings.Count(after[name], "freerunPiece :=")
		}
		if _, err := w.check(path, after); err != nil {
			t.Errorf("%s does not compile: %v", path, err)
		}
		done++
	}
	t.Logf("%d packages, %d checks, %d of them before pieces of a loop; %d packages left out", done, checks, pieces, left)
	if oneOf == 1 && (done < 300 || left > 5 || checks < 5000 || pieces < 300) || done == 0 {
		t.Error("this is too little to show anything")
	}
}

// FuzzRewrite: code that compiles also compiles when it is rewritten.
func FuzzRewrite(f *testing.F) {
	names, _ := filepath.Glob("testdata/*.go")
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
	base := newWorld(f)
	f.Fuzz(func(t *testing.T, text string) {
		w := base.again()
		p, err := w.check("example.org/p", map[string]string{"p.go": text})
		if err != nil {
			return
		}
		texts, err := p.Rewrite()
		if err != nil || texts[0] == nil {
			return
		}
		if _, err := w.check("example.org/p", map[string]string{"p.go": string(texts[0])}); err != nil {
			t.Errorf("%v\n%s\nbecame\n%s", err, text, texts[0])
		}
	})
}
