package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
)

const testVersion = "v0.1.0-test.1"

// anyone is a user with Go, a module proxy, and nothing of freerun: no workspace, no module cache.
type anyone struct {
	dir string // an empty folder for a module
	env []string
}

// newAnyone writes the modules as they are now to a proxy. The user installs from it, and from the
// modules that this machine has downloaded already.
func newAnyone(t *testing.T) anyone {
	t.Helper()
	const root = "../../../.."
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git lists the files of a release, and is not here")
	}
	if _, err := os.Stat(filepath.Join(root, ".git")); err != nil {
		t.Skip("git lists the files of a release, and this is no checkout")
	}
	proxy, path := t.TempDir(), t.TempDir()
	var out, errs bytes.Buffer
	if status := run([]string{"-root", root, "-version", testVersion, "-proxy", proxy}, &out, &errs); status != 0 {
		t.Fatalf("status %d: %s", status, errs.String())
	}
	asked, err := exec.Command("go", "env", "GOMODCACHE", "GOPROXY").Output()
	if err != nil {
		t.Fatal(err)
	}
	cache, upstream, _ := strings.Cut(strings.TrimSpace(string(asked)), "\n")
	return anyone{t.TempDir(), append(os.Environ(),
		"GOWORK=off", "GOPATH="+path, "GOBIN=", "GOMODCACHE=",
		// -trimpath, so that builds from another folder are found again; -modcacherw, so that the
		// folder can be removed.
		"GOFLAGS=-trimpath -modcacherw",
		"GOPROXY="+fileURL(proxy)+","+fileURL(filepath.Join(cache, "cache", "download"))+","+strings.TrimSpace(upstream),
		"GOSUMDB=off", "PWD=",
	)}
}

func fileURL(path string) string {
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") { // C:/…
		path = "/" + path
	}
	return "file://" + path
}

// run runs a command of the user's and returns its standard output.
func (a anyone) run(t *testing.T, name string, args ...string) string {
	t.Helper()
	c := exec.Command(name, args...)
	c.Dir, c.Env = a.dir, a.env
	out, err := c.Output()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		t.Fatalf("%s %v: %v\n%s", name, args, err, exit.Stderr)
	}
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func (a anyone) write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(a.dir, name), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestInstall installs the command as a user would. To measure a program takes the second command,
// and the first says how to install it.
func TestInstall(t *testing.T) {
	a := newAnyone(t)
	a.run(t, "go", "install", "github.com/freerun-go/freerun/cmd/freerun@"+testVersion)
	command := filepath.Join(strings.TrimSpace(a.run(t, "go", "env", "GOPATH")), "bin", "freerun")
	if runtime.GOOS == "windows" {
		command += ".exe"
	}
	if out := a.run(t, command, "version"); !strings.Contains(out, testVersion) {
		t.Errorf("version printed %q, want %s in it", out, testVersion)
	}
	smallest := []string{"bench", "fib", "--size", "12", "--runs", "1", "--json"}
	c := exec.Command(command, smallest...)
	c.Dir, c.Env = a.dir, a.env
	told, err := c.CombinedOutput()
	advice := regexp.MustCompile(`: (go install \S+@\S+), or `).FindStringSubmatch(string(told))
	if err == nil || c.ProcessState.ExitCode() != 1 || advice == nil {
		t.Fatalf("%v, bench without the second command printed %q, want what to install", err, told)
	}
	words := strings.Fields(advice[1])
	a.run(t, words[0], words[1:]...)
	if out := a.run(t, command, smallest...); !strings.Contains(out, `"checksum":"144"`) {
		t.Errorf("bench printed %q, want fib(12) = 144 in it", out)
	}
}

// user is a program that requires three of the modules.
const user = `package main

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"net/http/httptest"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/ddb"
	"github.com/freerun-go/freerun/httpview"
)

var double = freerun.FreeOp("double", func(_ *freerun.Context, n int) (int, error) { return 2 * n, nil })

func main() {
	rt := freerun.New()
	defer rt.Close()
	n, err := double.Send(rt.Context(), 21).Wait(context.Background())
	fmt.Println(n, err)

	view := httptest.NewRecorder()
	look := httptest.NewRequest("GET", "http://127.0.0.1/metrics", nil)
	look.RemoteAddr = "127.0.0.1:1"
	httpview.Handler(rt).ServeHTTP(view, look)
	fmt.Println(view.Code)

	server, err := ddb.New(ddb.Config{})
	if err != nil {
		panic(err)
	}
	addr, err := server.Listen("127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	go server.Serve()
	defer server.Close()
	client, err := net.Dial("tcp", addr.String())
	if err != nil {
		panic(err)
	}
	defer client.Close()
	fmt.Fprint(client, "PING\r\n")
	reply, err := bufio.NewReader(client).ReadString('\n')
	fmt.Printf("%q %v\n", reply, err)
}
`

// TestRequire builds a new module that requires root, ddb and httpview, and runs it.
func TestRequire(t *testing.T) {
	a := newAnyone(t)
	a.run(t, "go", "mod", "init", "example.org/user")
	a.write(t, "main.go", user)
	a.run(t, "go", "get",
		"github.com/freerun-go/freerun@"+testVersion,
		"github.com/freerun-go/freerun/ddb@"+testVersion,
		"github.com/freerun-go/freerun/httpview@"+testVersion)
	a.run(t, "go", "mod", "tidy")
	a.run(t, "go", "mod", "verify")
	if got, want := a.run(t, "go", "run", "."), "42 <nil>\n200\n\"+PONG\\r\\n\" <nil>\n"; got != want {
		t.Errorf("the program printed %q, want %q", got, want)
	}
}
