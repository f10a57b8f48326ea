package main

import (
	"os"
	"path/filepath"
	"runtime/debug"
	"testing"
)

func TestCommit(t *testing.T) {
	stamped := func(modified string) *debug.BuildInfo {
		return &debug.BuildInfo{Settings: []debug.BuildSetting{{Key: "vcs.revision", Value: "0123456789abcdef"}, {Key: "vcs.modified", Value: modified}}}
	}
	for want, info := range map[string]*debug.BuildInfo{
		"0123456789ab": stamped("false"), "0123456789ab-modified": stamped("true"), "": {},
	} {
		if got := commit(info, true); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if got := commit(nil, false); got != "" {
		t.Errorf("a build that knows nothing is of %q", got)
	}
	revision = "told"
	defer func() { revision = "" }()
	if got := commit(stamped("true"), true); got != "told" {
		t.Errorf("%q, want what the builder has said", got)
	}
}

func TestField(t *testing.T) {
	file := filepath.Join(t.TempDir(), "info")
	if err := os.WriteFile(file, []byte("processor\t: 0\nmodel name\t: This: and that\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if got := field(file, "model name"); got != "This: and that" {
		t.Errorf("%q", got)
	}
	if got := field(file, "model"); got != "" {
		t.Errorf("%q for a name that is not there", got)
	}
	if got := field(file+"s", "model"); got != "" {
		t.Errorf("%q of a file that is not there", got)
	}
	if machine() == "" {
		t.Error("the machine is nothing")
	}
}
