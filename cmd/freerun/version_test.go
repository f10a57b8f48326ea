package main

import (
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
)

func TestVersionCommand(t *testing.T) {
	out, errs, status := freerun(t, "version")
	if status != 0 || errs != "" || strings.Count(out, "\n") != 1 {
		t.Errorf("exit status %d, wrote %q and %q; want one line", status, out, errs)
	}
	for _, word := range []string{"freerun ", "revision ", runtime.Version(), runtime.GOOS + "/" + runtime.GOARCH} {
		if !strings.Contains(out, word) {
			t.Errorf("%q is missing in %q", word, out)
		}
	}
}

func TestVersionFlag(t *testing.T) {
	want, _, _ := freerun(t, "version")
	if out, errs, status := freerun(t, "--version"); status != 0 || errs != "" || out != want {
		t.Errorf("exit status %d, wrote %q and %q; want %q", status, out, errs, want)
	}
}

func TestVersionOfABuild(t *testing.T) {
	info := &debug.BuildInfo{Main: debug.Module{Version: "v1.2.3"}, Settings: []debug.BuildSetting{
		{Key: "vcs.revision", Value: "abc"}, {Key: "vcs.modified", Value: "true"},
	}}
	if got, want := version(info, true), "freerun v1.2.3, revision abc (modified), "; !strings.HasPrefix(got, want) {
		t.Errorf("%q, want %q at its head", got, want)
	}
	if got, want := version(nil, false), "freerun (devel), revision unknown, "; !strings.HasPrefix(got, want) {
		t.Errorf("%q, want %q at its head", got, want)
	}
}
