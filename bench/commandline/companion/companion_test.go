package companion

import (
	"runtime/debug"
	"slices"
	"strings"
	"testing"
)

var sample = Command{Name: "freerun-bench", Folder: "bench/freerun-bench", Does: "bench and simulate"}

// TestMissing: the error names the version that fits the command.
func TestMissing(t *testing.T) {
	for _, c := range []struct {
		version string
		others  []string
		says    string
	}{
		{"v0.3.0", nil, "which is not installed: go install " + sample.path() + "@v0.3.0, or run freerun in a clone of https://" + repository},
		{"v0.3.0", []string{"/bin/freerun-bench is v0.2.0"}, "this is freerun v0.3.0, but /bin/freerun-bench is v0.2.0: go install " + sample.path() + "@v0.3.0, or"},
		{"(devel)", nil, "freerun-bench@latest, or"},
		{"v0.3.1-0.20261123010101-0123456789ab+dirty", nil, "freerun-bench@latest, or"},
		{"", nil, "freerun-bench@latest, or"},
	} {
		if err := sample.missing(c.version, c.others); !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s %v: %q, want %q in it", c.version, c.others, err, c.says)
		}
	}
}

// TestMissingApart: a command that cannot be installed is not to be.
func TestMissingApart(t *testing.T) {
	c := Command{Name: "freerun-durable", Folder: "bench/rivals/durable", Does: "the measurements of durable", Apart: true}
	if err := c.missing("v0.3.0", nil); strings.Contains(err.Error(), "go install") || !strings.Contains(err.Error(), "run freerun in a clone of https://"+repository) {
		t.Error(err)
	}
}

// TestBuildAs: freerun-bench is built as the command was.
func TestBuildAs(t *testing.T) {
	flags, env := buildAs(&debug.BuildInfo{Settings: []debug.BuildSetting{
		{Key: "-buildmode", Value: "exe"},
		{Key: "-compiler", Value: "gc"},
		{Key: "-ldflags", Value: "-X main.revision=abc"},
		{Key: "-tags", Value: "freerun_portable"},
		{Key: "-race", Value: "true"},
		{Key: "CGO_ENABLED", Value: "1"},
		{Key: "GOAMD64", Value: "v3"},
		{Key: "vcs", Value: "git"},
		{Key: "vcs.revision", Value: "abc"},
	}})
	if want := []string{"-tags=freerun_portable", "-race=true", "-buildvcs=auto"}; !slices.Equal(flags, want) {
		t.Errorf("flags %q, want %q", flags, want)
	}
	if want := []string{"CGO_ENABLED=1", "GOAMD64=v3"}; !slices.Equal(env, want) {
		t.Errorf("environment %q, want %q", env, want)
	}
	if flags, env := buildAs(new(debug.BuildInfo)); !slices.Equal(flags, []string{"-buildvcs=false"}) || env != nil {
		t.Errorf("a build that notes nothing: %q, %q", flags, env)
	}
}

// TestSameCommit: a command whose clone is at another commit does not measure that one's code.
func TestSameCommit(t *testing.T) {
	at := func(commit string) *debug.BuildInfo {
		return &debug.BuildInfo{Settings: []debug.BuildSetting{{Key: "vcs.revision", Value: commit}}}
	}
	if err := sample.differ(at("0123456789abcdef"), at("fedcba9876543210")); err == nil || !strings.Contains(err.Error(), "is of commit 0123456789ab, and its clone is at fedcba987654") {
		t.Errorf("%v", err)
	}
	for _, own := range []*debug.BuildInfo{at("0123"), new(debug.BuildInfo)} {
		if err := sample.differ(own, at("0123")); err != nil {
			t.Error(err)
		}
	}
}
