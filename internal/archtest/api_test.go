package archtest_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/freerun-go/freerun/internal/archtest"
)

// TestAPI checks what users see. testdata/leaks.txt lists the exported names that still mention
// types which users cannot name. testdata/exported.txt says how many functions, methods and types
// there are, with a reason for each rise. Neither number may be greater or smaller. After a change
// that exports less, draw both again:
//
//	go test ./internal/archtest -run API -update
func TestAPI(t *testing.T) {
	const leaks, exported = "testdata/leaks.txt", "testdata/exported.txt"
	api, err := house(t).API(archtest.Public)
	if err != nil {
		t.Fatal(err)
	}
	now, where := archtest.Ratchet{}, map[string]string{}
	for _, leak := range api.Leaks {
		now[leak.Thing]++
		where[leak.Thing] += fmt.Sprintf(" %s at %s;", leak.Type, leak.Position)
	}
	tally, err := archtest.ReadTally(exported)
	if err != nil {
		t.Fatal(err)
	}
	compare(t, leaks, now, func(thing, problem string) {
		t.Errorf("types that users cannot name in %s%s", problem, where[thing])
	})
	if *update {
		if err := tally.Lower(exported, api.Count()); err != nil {
			t.Error(err)
		}
		return
	}
	if count := api.Count(); count > tally.Allowed() {
		t.Errorf("%d functions, %d methods and %d types are exported: %d, allowed are %d. Show less, or add a line with the reason to %s",
			api.Functions, api.Methods, api.Types, count, tally.Allowed(), exported)
	} else if count < tally.Allowed() {
		t.Errorf("%d functions, methods and types are exported, and %s still allows %d: lower it with -update", count, exported, tally.Allowed())
	}
}

// TestAPILists: every package is listed, either as one for users or as one that is not.
func TestAPILists(t *testing.T) {
	for _, problem := range house(t).Unlisted() {
		t.Error(problem)
	}
}

// showing returns a repository whose package left exports declarations with types of its own, of Go
// and of other modules.
func showing() map[string]string {
	files := sound()
	files["internal/g/g.go"] = "package g\n\ntype T struct{}\n\nfunc (T) Do() {}\n"
	files["left/left.go"] = strings.Join([]string{
		"package left",
		"",
		"import (",
		"\t\"io\"",
		"\t\"sync\"",
		"",
		"\t\"example.org/house/internal/g\"",
		"\t\"example.org/house/right\"",
		")",
		"",
		"type Shown[K comparable] struct {",
		"\tsync.Mutex",
		"\tquiet // has nothing to promote",
		"\tverbs // has a method, which counts as one of Shown",
		"\thidden g.T",
		"\tField right.T",
		"}",
		"",
		"type hidden struct{ T g.T }",
		"",
		"type quiet struct{ t g.T }",
		"",
		"type verbs struct{}",
		"",
		"func (verbs) Define(io.Reader) {}",
		"",
		"type Sealed interface {",
		"\tDo(io.Reader) error",
		"\tseal(hidden)",
		"\tsealed // has no method that users can call",
		"}",
		"",
		"type sealed interface{ sealed(g.T) }",
		"",
		"func (s *Shown[K]) Do(func(K) error) (*Shown[int], error) { return nil, nil }",
		"func (s *Shown[K]) do(g.T) {}",
		"func (hidden) Do(g.T) {}",
		"func New() Sealed { return nil }",
		"func new() g.T { return g.T{} }",
		"var ErrShown error",
		"",
	}, "\n")
	files["right/right.go"] = "package right\n\nimport \"example.net/x\"\n\ntype T struct{ X x.T }\n"
	return files
}

func TestAPISound(t *testing.T) {
	api, err := planted(t, showing()).API([]string{"left", "right"})
	if err != nil || len(api.Leaks) > 0 || api.Functions != 1 || api.Methods != 3 || api.Types != 3 {
		t.Errorf("a sound API gives %+v, error %v", api, err)
	}
}

// TestAPIPlanted plants a leak of each kind.
func TestAPIPlanted(t *testing.T) {
	for text, want := range map[string]string{
		"func F(g.T) {}":                        "left.F g.T",
		"func F() []hidden { return nil }":      "left.F left.hidden",
		"func F[K limit]() {}":                  "left.F left.limit",
		"func F(map[string]chan<- *g.T) {}":     "left.F g.T",
		"func F(func(...hidden)) {}":            "left.F left.hidden",
		"func F(struct{ x hidden }) {}":         "left.F left.hidden",
		"func F(interface{ F() [2]hidden }) {}": "left.F left.hidden",
		"func F(Box[hidden]) {}":                "left.F left.hidden",
		"func F(A) {}; type A = hidden":         "left.A left.hidden",
		"var V = g.T{}":                         "left.V g.T",
		"const C = constant(1)":                 "left.C left.constant",
		"func (Box[X]) M() hidden { panic(0) }": "left.Box.M left.hidden",
		"type S struct{ F hidden }":             "left.S.F left.hidden",
		"type S struct{ g.T }":                  "left.S.T g.T",
		"type S struct{ *other }":               "left.S.M left.hidden",
		"type S struct{ deep }":                 "left.S.deep left.deep",
		"type S struct{ third }":                "left.S.third left.third",
		"type I interface{ M(hidden) }":         "left.I.M left.hidden",
		"type I interface{ constraint }":        "left.I left.constraint",
		"type O func(*hidden)":                  "left.O left.hidden",
		"type G[X limit] struct{}":              "left.G left.limit",
		"type N []Box[Box[hidden]]":             "left.N left.hidden",
		"func F() gone":                         "",
	} {
		files := showing()
		files["left/left.go"] = strings.Join([]string{
			"package left",
			"import \"example.org/house/internal/g\"",
			"var _ g.T",
			"type hidden struct{}; type limit interface{ ~int }",
			"type constant int",
			"type constraint interface{ F() }",
			"type other struct{}",
			"func (*other) M(hidden) {}",
			"type deep struct{ g.T }",
			"type third struct{ Shown int }",
			"type Box[X any] struct{}",
			text,
		}, "\n")
		api, err := planted(t, files).API([]string{"left"})
		if want == "" {
			if err == nil {
				t.Errorf("%q: what does not compile was read", text)
			}
			continue
		}
		var got []string
		for _, leak := range api.Leaks {
			got = append(got, leak.Thing+" "+leak.Type)
		}
		if err != nil || !slices.Equal(got, []string{want}) {
			t.Errorf("%q: leaks %q, error %v; want %q", text, got, err, want)
		} else if position := api.Leaks[0].Position; position != "left/left.go:12" {
			t.Errorf("%q: the leak is said to be at %s", text, position)
		}
	}
}

// TestAPIUnlisted plants a package that is in neither list.
func TestAPIUnlisted(t *testing.T) {
	files := map[string]string{"go.work": "go 1.26\n", "go.mod": "module example.org/house\n"}
	for _, folder := range append(archtest.Public, "programs/x", "bench", "cmd/x", "ddb/internal/x", "internal") {
		files[folder+"/x.go"] = "package x\n"
	}
	if problems := planted(t, files).Unlisted(); len(problems) > 0 {
		t.Errorf("with all packages: %q", problems)
	}
	files["attic/x.go"] = "package x\n"
	delete(files, "queue/x.go")
	want := []string{
		"attic: list it in Public, with what users import, or below Apart",
		"queue: it is listed as public, and there is no such package",
	}
	if problems := planted(t, files).Unlisted(); !slices.Equal(problems, want) {
		t.Errorf("with one more and one fewer: %q; want %q", problems, want)
	}
}

// TestAPITally: a number may fall freely, and rises only with a reason.
func TestAPITally(t *testing.T) {
	file := filepath.Join(write(t, map[string]string{"n.txt": "# head\n10\n# a comment\n+2 for a reason\n+1 for another\n"}), "n.txt")
	tally, err := archtest.ReadTally(file)
	if err != nil || tally.Allowed() != 13 || len(tally.Rises) != 2 || tally.Rises[0].Reason != "for a reason" {
		t.Fatalf("read %+v, error %v", tally, err)
	}
	if err := tally.Lower(file, 14); err == nil {
		t.Error("the number was raised without a reason")
	}
	if err := tally.Lower(file, 11); err != nil {
		t.Error(err)
	}
	if text, err := os.ReadFile(file); string(text) != "# head\n8\n# a comment\n+2 for a reason\n+1 for another\n" {
		t.Errorf("lowered to %q, error %v", text, err)
	}
	for _, text := range []string{"", "x\n", "10\n+2\n", "10\n3 no sign\n", "10\n+0 nothing\n", "-1\n"} {
		file := filepath.Join(write(t, map[string]string{"n.txt": text}), "n.txt")
		if tally, err := archtest.ReadTally(file); err == nil {
			t.Errorf("%q was read as %+v", text, tally)
		}
	}
}
