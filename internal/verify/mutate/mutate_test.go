package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const blindFolder = "internal/verify/mutate/testdata/blind"

// runOn mutates the blind fixture and returns what was printed.
func runOn(t *testing.T, pattern, reasons, cache string) (string, error) {
	t.Helper()
	root, err := filepath.Abs(tree)
	if err != nil {
		t.Fatal(err)
	}
	below := func(name string) string {
		if name == "" {
			return ""
		}
		r, err := filepath.Rel(root, name)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	var out strings.Builder
	o := options{
		root: root, cache: below(cache), reasons: below(reasons), pattern: pattern,
		count: 9, seed: 1, megabytes: 2000, quick: true, slow: time.Minute,
	}
	err = mutate(o, []Room{{Name: "blind", Folder: blindFolder}}, &out)
	return out.String(), err
}

// TestControl is the planted control: of two mutations of a package whose tests see one half of it,
// the one in that half is killed, and the one in the other half is reported as a survivor.
func TestControl(t *testing.T) {
	cache := t.TempDir()
	out, err := runOn(t, `Gate.Open drop-write`, "", cache)
	if !errors.Is(err, errSurvivors) {
		t.Errorf("the error is %v, not that there are survivors", err)
	}
	for _, want := range []string{
		"blind.go:14: Gate.Open drop-write\n    - g.open.Store(true)\n    + (nothing)\n    killed after",
		"blind.go:15: Gate.Open drop-write\n    - g.opened.Add(1)\n    + (nothing)\n    SURVIVED 2 tests",
		"blind          2       1      0      0              1   50.0%",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("the report lacks %q:\n%s", want, out)
		}
	}

	// The same once more: both verdicts are known, and the survivor has a reason now.
	reasons := filepath.Join(t.TempDir(), "reasons.txt")
	entry := blindFolder + "/blind.go Gate.Open drop-write\n- g.opened.Add(1)\n+ (nothing)\nsame: No test\ncounts.\n"
	if err := os.WriteFile(reasons, []byte("# a comment\n\n"+entry), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err = runOn(t, `Gate.Open drop-write`, reasons, cache)
	if err != nil {
		t.Errorf("a survivor with a reason is an error: %v\n%s", err, out)
	}
	if strings.Count(out, "(known)") != 2 || !strings.Contains(out, "same: No test counts.") {
		t.Errorf("the second run does not know both verdicts, or the reason:\n%s", out)
	}

	// A reason for what the source does not have any more is an error.
	stale := strings.ReplaceAll(entry, "g.opened.Add(1)", "g.gone.Add(1)")
	if err := os.WriteFile(reasons, []byte(entry+"\n"+stale), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err = runOn(t, `Gate.Open drop-write`, reasons, cache); !errors.Is(err, errSurvivors) || !strings.Contains(out, "g.gone.Add(1)") {
		t.Errorf("a stale reason gives %v:\n%s", err, out)
	}
}

// TestUnreached holds that a mutation that no test reaches is reported without running one.
func TestUnreached(t *testing.T) {
	out, err := runOn(t, `Gate.Shut drop-write`, "", "")
	if !errors.Is(err, errSurvivors) || !strings.Contains(out, "SURVIVED: no test reaches it") {
		t.Errorf("%v:\n%s", err, out)
	}
}

// TestHang holds that a test that does not end kills, and that its limit is its own.
func TestHang(t *testing.T) {
	root, err := filepath.Abs(tree)
	if err != nil {
		t.Fatal(err)
	}
	p, mutations := loaded(t, "blind")
	for _, m := range mutations {
		if m.Func != "Gate.Wait" || m.Operator != "negate" || !p.compiles(m) {
			continue
		}
		temporary := t.TempDir()
		over, err := overlay(root, temporary, m)
		if err != nil {
			t.Fatal(err)
		}
		binary := filepath.Join(temporary, "test.bin")
		if err := compile(root, blindFolder, unit, binary, "-overlay", over); err != nil {
			t.Fatal(err)
		}
		outcome, _, out := run(filepath.Join(root, blindFolder), binary, 300*time.Millisecond, 2000, "-test.run=^TestOpens$")
		if outcome != hung {
			t.Errorf("a test that spins for ever %s:\n%s", outcome, out)
		}
		return
	}
	t.Error("the fixture has no loop to negate")
}

func TestReasonsAreComplete(t *testing.T) {
	for text, want := range map[string]string{
		"a.go f swap\n- a\n+ b\n":      "an entry is the head",
		"a.go f swap\n- a\n+ b\nwhy\n": "a reason begins with",
		"a.go f swap\n- a\n+ b\nlives: x\n\na.go f swap\n- a\n+ b\nsame: x\n": "a second reason",
	} {
		file := filepath.Join(t.TempDir(), "reasons.txt")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := readReasons(file); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q gives %v, not %q", text, err, want)
		}
	}
	if _, err := readReasons("testdata/survivors.txt"); err != nil {
		t.Error(err)
	}
}
