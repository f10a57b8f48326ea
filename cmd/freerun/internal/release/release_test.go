package main

import (
	"archive/zip"
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// newRepository makes a repository of two modules, of which upper requires the root. A third folder
// is in no workspace.
func newRepository(t *testing.T) string {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not here")
	}
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.work":      "go 1.26\n\nuse (\n\t.\n\t./upper\n)\n\nreplace example.org/house v0.1.0 => ./\n\nreplace example.org/house/upper v0.1.0 => ./upper\n",
		"go.mod":       "module example.org/house\n\ngo 1.26\n",
		"LICENSE":      "free\n",
		"house.go":     "package house\n",
		"upper/go.mod": "module example.org/house/upper\n\ngo 1.26\n\nrequire example.org/house v0.1.0\n",
		"upper/go.sum": "example.org/house v0.1.0 h1:stale\nexample.net/other v1.0.0 h1:kept\n",
		"upper/u.go":   "package upper\n",
		"tools/go.mod": "module example.org/house/tools\n",
		"tools/t.go":   "package tools\n",
		".gitignore":   "/ignored\n",
		"ignored":      "what git ignores\n",
	} {
		full := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{
		{"init", "--quiet"},
		{"config", "user.name", "a test"},
		{"config", "user.email", "test@example.org"},
		{"config", "commit.gpgsign", "false"},
		{"config", "tag.gpgsign", "false"},
		{"add", "."},
		{"commit", "--quiet", "--message", "before"},
	} {
		git(t, dir, args...)
	}
	return dir
}

func git(t *testing.T, dir string, args ...string) string {
	t.Helper()
	c := exec.Command("git", args...)
	c.Dir = dir
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return string(out)
}

// call runs the command on a repository and returns its output and its status.
func call(dir string, args ...string) (string, int) {
	var out, errs bytes.Buffer
	status := run(append([]string{"-root", dir}, args...), &out, &errs)
	return out.String() + errs.String(), status
}

// TestRelease makes a release, and then the next one.
func TestRelease(t *testing.T) {
	dir := newRepository(t)
	for _, version := range []string{"v0.2.0", "v0.3.0"} {
		proxy := t.TempDir()
		if said, status := call(dir, "-version", version, "-proxy", proxy, "-commit"); status != 0 {
			t.Fatal(said)
		}
		if status := git(t, dir, "status", "--porcelain"); status != "" {
			t.Errorf("after the release the working tree has changes:\n%s", status)
		}
		tags := strings.Fields(git(t, dir, "tag", "--points-at", "HEAD"))
		if got, want := strings.Join(tags, " "), "upper/"+version+" "+version; got != want {
			t.Errorf("the release has the tags %s, want %s", got, want)
		}
		for name, want := range map[string]string{
			"upper/go.mod": "require example.org/house " + version + "\n",
			"go.work":      "replace example.org/house/upper " + version + " => ./upper\n",
			"upper/go.sum": "example.net/other v1.0.0 h1:kept\nexample.org/house " + version + " h1:",
		} {
			text, err := os.ReadFile(filepath.Join(dir, name))
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(string(text), want) || strings.Contains(string(text), "stale") {
				t.Errorf("%s is\n%swant %q in it", name, text, want)
			}
			if strings.Contains(string(text), "v0.1.0") || version == "v0.3.0" && strings.Contains(string(text), "v0.2.0") {
				t.Errorf("%s still has an old version:\n%s", name, text)
			}
		}
		if got, want := packed(t, filepath.Join(proxy, "example.org/house/@v", version+".zip")), ".gitignore LICENSE go.mod go.work house.go"; got != want {
			t.Errorf("the root module has the files %s, want %s", got, want)
		}
		if got, want := packed(t, filepath.Join(proxy, "example.org/house/upper/@v", version+".zip")), "LICENSE go.mod go.sum u.go"; got != want {
			t.Errorf("the upper module has the files %s, want %s", got, want)
		}
		list, err := os.ReadFile(filepath.Join(proxy, "example.org/house/upper/@v/list"))
		if err != nil || string(list) != version+"\n" {
			t.Errorf("the proxy lists %q, error %v", list, err)
		}
	}
}

// packed returns the names of the files in the zip of a module.
func packed(t *testing.T, name string) string {
	t.Helper()
	z, err := zip.OpenReader(name)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	var names []string
	for _, f := range z.File {
		_, inside, _ := strings.Cut(f.Name, "@")
		_, inside, _ = strings.Cut(inside, "/")
		names = append(names, inside)
	}
	slices.Sort(names)
	return strings.Join(names, " ")
}

// TestReleaseRefused: a state that would make a wrong release is an error, and nothing changes.
func TestReleaseRefused(t *testing.T) {
	for name, c := range map[string]struct {
		prepare func(t *testing.T, dir string)
		args    []string
		want    string
	}{
		"no version":       {nil, []string{"-proxy", "x"}, "give -version"},
		"nothing to do":    {nil, []string{"-version", "v0.2.0"}, "give -version and -proxy, -commit, or both"},
		"no such version":  {nil, []string{"-version", "0.2", "-commit"}, "one looks like v0.2.0"},
		"major version":    {nil, []string{"-version", "v2.0.0", "-commit"}, "one looks like v0.2.0"},
		"changes":          {change, []string{"-version", "v0.2.0", "-commit"}, "the working tree has changes"},
		"released already": {tag, []string{"-version", "v0.2.0", "-commit"}, "the tag upper/v0.2.0 is there already"},
		"replace":          {replace, []string{"-version", "v0.2.0", "-proxy", "x"}, "upper/go.mod replaces example.org/house"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := newRepository(t)
			if c.prepare != nil {
				c.prepare(t, dir)
			}
			before := git(t, dir, "log", "--oneline") + git(t, dir, "status", "--porcelain")
			said, status := call(dir, c.args...)
			if status == 0 || !strings.Contains(said, c.want) {
				t.Errorf("status %d, and said %q; want %q in it", status, said, c.want)
			}
			if after := git(t, dir, "log", "--oneline") + git(t, dir, "status", "--porcelain"); after != before {
				t.Errorf("it was refused and changed the repository:\n%s", after)
			}
		})
	}
}

func change(t *testing.T, dir string) {
	if err := os.WriteFile(filepath.Join(dir, "house.go"), []byte("package house // changed\n"), 0o644); err != nil {
		t.Fatal(err)
	}
}

func tag(t *testing.T, dir string) { git(t, dir, "tag", "upper/v0.2.0") }

func replace(t *testing.T, dir string) {
	name := filepath.Join(dir, "upper", "go.mod")
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, append(text, "\nreplace example.org/house => ..\n"...), 0o644); err != nil {
		t.Fatal(err)
	}
}
