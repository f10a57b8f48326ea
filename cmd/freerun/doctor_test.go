package main

import (
	"encoding/json"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
)

// TestDoctor checks the report on this build: every technique has a way, a reason and a cost.
func TestDoctor(t *testing.T) {
	out, errs, status := freerun(t, "doctor", "--json")
	if status != 0 || errs != "" {
		t.Fatalf("status %d, and said %q", status, errs)
	}
	seen := map[string]bool{}
	for line := range strings.Lines(out) {
		var f finding
		if err := json.Unmarshal([]byte(line), &f); err != nil {
			t.Fatal(err)
		}
		if seen[f.Technique] || f.Technique == "" || f.Way == "" || f.Why == "" || f.Each == "" || f.Nanoseconds <= 0 {
			t.Errorf("doctor said %s", line)
		}
		seen[f.Technique] = true
	}
	if len(seen) != len(techniques) {
		t.Errorf("doctor told of %d techniques, want %d", len(seen), len(techniques))
	}
	out, _, status = freerun(t, "doctor")
	for name := range seen {
		if !strings.Contains(out, name) {
			t.Errorf("the table has no %q", name)
		}
	}
	if status != 0 || !strings.Contains(out, "This is the ") {
		t.Errorf("status %d, and the table is\n%s", status, out)
	}
}

// TestBuildWhy checks the reasons for builds that this machine does not make.
func TestBuildWhy(t *testing.T) {
	asm := needs{assembly: true}
	for _, c := range []struct {
		b    compilation
		n    needs
		want string
	}{
		{compilation{goVersion: "go1.26.8", arch: "amd64", compiler: "gc"}, asm, "the shipped way"},
		{compilation{goVersion: "go1.26.8", arch: "amd64", compiler: "gc", race: true}, asm, "the shipped way"},
		{compilation{goVersion: "go1.26.8", arch: "amd64", compiler: "gc", race: true}, needs{noRace: true}, "the race detector does not see the other way"},
		{compilation{goVersion: "go1.26.8", arch: "386", compiler: "gc"}, asm, "there is no assembly for 386"},
		{compilation{goVersion: "go1.26.8", arch: "amd64", compiler: "gccgo"}, needs{}, "the compiler is gccgo, not Go's own"},
		{compilation{goVersion: "go1.27", arch: "amd64", compiler: "gc"}, needs{}, "the portable build: Go 1.27 is newer than 1.26, the newest that freerun was tested with"},
		{compilation{goVersion: "go1.30rc1", arch: "amd64", compiler: "gc"}, asm, "the portable build: Go 1.30 is newer than 1.26, the newest that freerun was tested with"},
		{compilation{goVersion: "go1.26.8", tags: []string{"x", "freerun_portable"}, compiler: "gc"}, asm, "the portable build: it was made with -tags freerun_portable"},
		{compilation{goVersion: "go1.26.8", tags: []string{"go1.27"}, compiler: "gc"}, asm, "the portable build: it was made with -tags go1.27, as if Go were newer than 1.26, the newest that freerun was tested with"},
	} {
		if got := c.b.why(c.n); got != c.want {
			t.Errorf("%+v with %+v: %q, want %q", c.b, c.n, got, c.want)
		}
	}
}

// TestBuildOf reads the build information that the linker leaves in a program.
func TestBuildOf(t *testing.T) {
	b := buildOf(&debug.BuildInfo{Settings: []debug.BuildSetting{{Key: "-tags", Value: "a,freerun_portable"}, {Key: "-race", Value: "true"}}}, "go1.26")
	if !b.race || b.portable() != "it was made with -tags freerun_portable" || b.arch != runtime.GOARCH {
		t.Errorf("read %+v", b)
	}
	if b := buildOf(nil, "devel go1.28-abc"); b.portable() == "" || b.race {
		t.Errorf("a Go in development, without information: %+v", b)
	}
}
