package main

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write testdata/operators.golden anew")

// tree is the root of the repository.
const tree = "../../.."

func loaded(t *testing.T, fixture string) (*Package, []Mutation) {
	t.Helper()
	root, err := filepath.Abs(tree)
	if err != nil {
		t.Fatal(err)
	}
	r := Room{Name: fixture, Folder: "internal/verify/mutate/testdata/" + fixture}
	p, err := load(root, r.Folder)
	if err != nil {
		t.Fatal(err)
	}
	return p, p.mutations(r)
}

// TestOperators holds what the operators do to a small package against the list in testdata.
func TestOperators(t *testing.T) {
	p, mutations := loaded(t, "operators")
	var list strings.Builder
	used := map[string]bool{}
	for _, m := range mutations {
		mark := ""
		if !p.compiles(m) {
			mark = "does not compile: "
		} else {
			used[m.Operator] = true
		}
		list.WriteString(mark + strings.TrimPrefix(m.Key(), "internal/verify/mutate/testdata/operators/") + "\n")
	}
	for _, o := range operators {
		if !used[o.name] {
			t.Errorf("%s changes nothing in the package", o.name)
		}
	}
	golden := "testdata/operators.golden"
	if *update {
		if err := os.WriteFile(golden, []byte(list.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if list.String() != string(want) {
		t.Errorf("the mutations differ from %s; read them, then go test ./internal/verify/mutate -update:\n%s", golden, list.String())
	}
}

// TestKeysDiffer holds that a key names one mutation, in all rooms, and that a mutation changes the
// source.
func TestKeysDiffer(t *testing.T) {
	p, mutations := loaded(t, "operators")
	keys := map[string]bool{}
	for _, m := range mutations {
		if keys[m.Key()] {
			t.Errorf("two mutations are %s", m.Key())
		}
		keys[m.Key()] = true
		before := string(p.source["operators.go"])
		if after := string(m.apply([]byte(before))); after == before {
			t.Errorf("%s changes nothing", m.Key())
		}
	}
}

// TestChoice holds that the choice depends on the seed alone, that a smaller choice begins a larger
// one, and that every operator has its turn.
func TestChoice(t *testing.T) {
	p, mutations := loaded(t, "operators")
	key := func(list []Mutation) (keys []string) {
		for _, m := range list {
			keys = append(keys, m.Key())
		}
		return keys
	}
	large := key(choose(mutations, 40, 1, nil, p.compiles))
	slices.Reverse(mutations)
	if again := key(choose(mutations, 40, 1, nil, p.compiles)); !slices.Equal(large, again) {
		t.Error("the order of the mutations changes the choice")
	}
	if small := key(choose(mutations, 10, 1, nil, p.compiles)); !slices.Equal(small, large[:10]) {
		t.Errorf("a choice of 10 is no beginning of one of 40:\n%q\n%q", small, large)
	}
	if other := key(choose(mutations, 40, 2, nil, p.compiles)); slices.Equal(large, other) {
		t.Error("the seed changes nothing")
	}
	seen := map[string]bool{}
	for _, m := range choose(mutations, 40, 1, nil, p.compiles) {
		seen[m.Operator] = true
	}
	if len(seen) != len(operators) {
		t.Errorf("40 mutations are of %d operators, not of %d", len(seen), len(operators))
	}
}

func TestShare(t *testing.T) {
	for _, c := range []struct {
		count      int
		have, want []int
	}{
		{10, []int{9, 9}, []int{5, 5}},
		{11, []int{9, 9, 1}, []int{5, 5, 1}},
		{99, []int{2, 3}, []int{2, 3}},
		{0, []int{2}, []int{0}},
	} {
		if got := share(c.count, c.have); !slices.Equal(got, c.want) {
			t.Errorf("share(%d, %v) is %v, not %v", c.count, c.have, got, c.want)
		}
	}
}
