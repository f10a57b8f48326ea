package archtest_test

import (
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/freerun-go/freerun/internal/archtest"
)

// TestCircles checks that no circle of files leads from one room to another. testdata/circles.txt
// has the packages in which one still does, and how many files are in the largest. After untying
// some, draw the table again:
//
//	go test ./internal/archtest -run Circles -update
func TestCircles(t *testing.T) {
	const file = "testdata/circles.txt"
	folders := house(t).Engine()
	for _, folder := range []string{".", "activity", "internal/sched", "internal/promise"} {
		if !slices.Contains(folders, folder) {
			t.Errorf("%s is not among the folders that are checked: %q", folder, folders)
		}
	}
	circles, err := house(t).Circles(folders...)
	if err != nil {
		t.Fatal(err)
	}
	now, where := archtest.Ratchet{}, map[string]string{}
	for _, c := range circles { // the largest first
		if now[c.Folder] == 0 && c.LeavesRoom() {
			now[c.Folder] = len(c.Files)
			where[c.Folder] = strings.Join(c.Files, ", ")
		}
	}
	compare(t, file, now, func(folder, problem string) {
		t.Errorf("files of several rooms that lead to each other, in %s (%s)", problem, where[folder])
	})
}

// TestCirclesPlanted plants circles of each kind of reference, and files without a circle.
func TestCirclesPlanted(t *testing.T) {
	for name, c := range map[string]struct {
		files  map[string]string
		want   string
		leaves bool
	}{
		"none": {files: map[string]string{"a.go": "func A() { B() }", "b.go": "func B() { C() }", "c.go": "func C() {}"}},
		"functions": {
			files: map[string]string{"a.go": "func A() { B() }", "b.go": "func B() { A() }", "c.go": "func C() { A() }"},
			want:  "a.go b.go", leaves: true,
		},
		"three": {
			files: map[string]string{"a.go": "func A() { B() }", "b.go": "func B() { C() }", "c.go": "func C() { A() }"},
			want:  "a.go b.go c.go", leaves: true,
		},
		"a room's own": {
			files: map[string]string{"a.go": "func A() { B() }", "a_more.go": "func B() { A() }"},
			want:  "a.go a_more.go",
		},
		"names that begin alike": {
			files: map[string]string{"a.go": "func A() { B() }", "ab.go": "func B() { A() }"},
			want:  "a.go ab.go", leaves: true,
		},
		"a method of another file's type": {
			files: map[string]string{"a.go": "type A struct{}\nfunc f(a A) { a.B() }", "b.go": "func (A) B() {}"},
			want:  "a.go b.go", leaves: true,
		},
		"a field": {
			files: map[string]string{"a.go": "type A struct{ b B }\nfunc f(a A) [K]int { return a.b.n }\nconst K = 1", "b.go": "type B struct{ n [K]int }"},
			want:  "a.go b.go", leaves: true,
		},
		"a variable's value": {
			files: map[string]string{"a.go": "var A = B()", "b.go": "func B() int { return 1 }\ntype T = C", "c.go": "type C struct{}\nfunc (C) D() { _ = A }"},
			want:  "a.go b.go c.go", leaves: true,
		},
		"an instance of a generic type": {
			files: map[string]string{"a.go": "type A[T any] struct{ v T }\nvar a = B{}", "b.go": "type B struct{ A[int] }\nvar n = B{}.v"},
			want:  "a.go b.go", leaves: true,
		},
		"a local of the same name": {
			files: map[string]string{"a.go": "func A() { B() }", "b.go": "func B() { A := 1; _ = A }"},
		},
		"a test": {
			files: map[string]string{"a.go": "func A() {}", "a_test.go": "func B() { A() }", "b.go": "func C() { A() }"},
		},
		"another system": {
			files: map[string]string{"a.go": "func A() { B() }", "b_windows.go": "func B() { A() }", "b_linux.go": "func B() {}"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			files := sound()
			for base, text := range c.files {
				files[path.Join("internal/knot", base)] = "package knot\n\n" + text + "\n"
			}
			circles, err := planted(t, files).Circles("internal/knot")
			if err != nil {
				t.Fatal(err)
			}
			if c.want == "" {
				if len(circles) != 0 {
					t.Errorf("there is no circle, and it found %v", circles)
				}
				return
			}
			if len(circles) != 1 || !slices.Equal(circles[0].Files, strings.Fields(c.want)) || circles[0].LeavesRoom() != c.leaves {
				t.Errorf("it found %v, want one with %s that leaves a room: %v", circles, c.want, c.leaves)
			}
		})
	}
}

// TestCirclesUnreadable: a package that cannot be checked is an error and never without circles.
func TestCirclesUnreadable(t *testing.T) {
	for _, text := range []string{"func A() { gone() }", "func A() int {}", "type A struct{ gone.T }"} {
		files := sound()
		files["internal/knot/a.go"] = "package knot\n\n" + text + "\n"
		if circles, err := planted(t, files).Circles("internal/knot"); err == nil {
			t.Errorf("%s: no error, circles %v", text, circles)
		}
	}
}
