//go:build !wasm

package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/cluster"
	"github.com/freerun-go/freerun/cluster/internal/child"
	"github.com/freerun-go/freerun/cluster/internal/engine"
	"github.com/freerun-go/freerun/cluster/internal/filestore"
	"github.com/freerun-go/freerun/cluster/internal/inspect"
	"github.com/freerun-go/freerun/cluster/internal/layout"
)

func TestMain(m *testing.M) {
	child.Role("writer", func() { writeForEver(os.Getenv("FREERUN_DIR")) })
	child.Main(m)
}

// writeForEver is another process, which writes a store until its input ends.
func writeForEver(dir string) {
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
	s, err := filestore.Open(dir, filestore.Options{})
	if err != nil {
		log.Fatal(err)
	}
	done := make(chan error, 1)
	for i := uint64(0); ; i++ {
		s.Put([]engine.Write{{Key: layout.Numbered("x", i%10), Value: []byte{1}}}, func(err error) { done <- err })
		if err := <-done; err != nil {
			log.Fatal(err)
		}
		if i == 10 {
			fmt.Println("it writes")
		}
	}
}

// account is a state that is stored as JSON, mark one that writes itself.
type account struct {
	Balance int
	Note    string
}

type mark struct{ seen byte }

func (m *mark) AppendBinary(b []byte) ([]byte, error) { return append(b, 0xAB, m.seen), nil }

func (m *mark) UnmarshalBinary(b []byte) error {
	m.seen = b[len(b)-1]
	return nil
}

var errClosed = errors.New("no account today")

var (
	accounts = freerun.NewKind("account", func(_ *freerun.Context, key string) (account, error) {
		if key == "closed" {
			return account{}, errClosed
		}
		return account{Balance: 100}, nil
	}, cluster.Durable())
	marks = freerun.NewKind("mark", func(*freerun.Context, int) (mark, error) { return mark{}, nil }, cluster.Durable())

	deposit = freerun.Op("deposit", func(_ *freerun.Context, a *account, n int) (int, error) {
		a.Balance += n
		return a.Balance, nil
	})
	note = freerun.Op("note", func(_ *freerun.Context, a *account, text string) (int, error) {
		a.Note = text
		return len(text), nil
	})
	see = freerun.Op("see", func(_ *freerun.Context, m *mark, b byte) (byte, error) {
		m.seen = b
		return b, nil
	})
	breaks = freerun.Op("breaks", func(*freerun.Context, *account, int) (int, error) { panic("out of\norder \x1b[2J") })
	// tell tells another account: to deposit, or to break.
	tell = freerun.Op("tell", func(c *freerun.Context, _ *account, to string) (int, error) {
		if to == "broken" {
			return 0, breaks.Tell(c, accounts.At(c, to), 6)
		}
		return 0, deposit.Tell(c, accounts.At(c, to), 5)
	})
)

var long = strings.Repeat("ä", 150)

// made makes a store through package cluster: units of two kinds, a message under way, and a
// recorded failure. It returns the folder, and what ends the program that has it.
func made(t *testing.T) (dir string, stop func()) {
	t.Helper()
	dir = t.TempDir()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	rt := freerun.New(freerun.Logger(slog.New(slog.DiscardHandler)))
	n, err := cluster.Join(rt, cluster.Local(dir, cluster.Create()))
	if err != nil {
		t.Fatal(err)
	}
	c := rt.Context()
	send := func(_ int, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	send(deposit.Send(c, accounts.At(c, "ada"), 5).Wait(ctx))
	send(note.Send(c, accounts.At(c, "bob\x1b[2J"), long).Wait(ctx))
	if _, err := see.Send(c, marks.At(c, 7), 0xCD).Wait(ctx); err != nil {
		t.Fatal(err)
	}
	send(tell.Send(c, accounts.At(c, "ada"), "closed").Wait(ctx))
	send(tell.Send(c, accounts.At(c, "ada"), "broken").Wait(ctx))
	for failures := 0; failures == 0; { // the message under way is tried again for ever
		if ctx.Err() != nil {
			t.Fatal("no failure was recorded")
		}
		for _, err := range n.Failures() {
			if err != nil {
				t.Fatal(err)
			}
			failures++
		}
	}
	stopped := false
	stop = func() {
		t.Helper()
		if stopped {
			return
		}
		stopped = true
		rt.Close()
		if err := n.Close(); err != nil {
			t.Error(err)
		}
		cancel()
	}
	t.Cleanup(stop)
	return dir, stop
}

// inspected runs the command.
func inspected(t *testing.T, status int, args ...string) (out, errs string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	if got := inspect.Run(args, &stdout, &stderr, nil); got != status {
		t.Errorf("inspect %q: exit status %d, want %d\n%s%s", args, got, status, stdout.String(), stderr.String())
	}
	if status == inspect.Well && stderr.Len() > 0 {
		t.Errorf("inspect %q: %s", args, stderr.String())
	}
	return stdout.String(), stderr.String()
}

// has checks that a text has others, in this order.
func has(t *testing.T, text string, parts ...string) {
	t.Helper()
	rest := text
	for _, part := range parts {
		_, after, found := strings.Cut(rest, part)
		if !found {
			t.Errorf("no %q, in its place, in\n%s", part, text)
			return
		}
		rest = after
	}
}

func hasNot(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if strings.Contains(text, part) {
			t.Errorf("%q is in\n%s", part, text)
		}
	}
}

func TestText(t *testing.T) {
	dir, stop := made(t)
	stop()
	before, err := os.ReadFile(filepath.Join(dir, "freerun.store"))
	if err != nil {
		t.Fatal(err)
	}
	out, _ := inspected(t, inspect.Well, dir)
	t.Log("\n" + out)
	has(t, out, "store      "+filepath.Join(dir, "freerun.store")+"\n", "id         ", "\nformat     1\n", "size       ",
		"\nunits      2 of kind account\n", "           1 of kind mark\n", "under way  1 message\n", "failures   1\n",
		"\nkind account\n", `  ada  {"Balance":105,"Note":""}`+"\n", `  "bob\x1b[2J"  {"Balance":100,"Note":"ää`, "… (325 bytes)\n",
		"\nkind mark\n", "  7  hex abcd\n")
	hasNot(t, out, long, "\x1b", "damaged", "deposit")

	out, _ = inspected(t, inspect.Well, "-full", dir)
	has(t, out, long+`"}`+"\n")
	out, _ = inspected(t, inspect.Well, "-keys", dir)
	has(t, out, "kind account\n  ada\n", "kind mark\n  7\n")
	hasNot(t, out, "Balance", "hex")
	out, _ = inspected(t, inspect.Well, dir, "-kind", "mark")
	has(t, out, "kind mark\n  7  hex abcd\n")
	hasNot(t, out, "\nkind account")
	out, _ = inspected(t, inspect.Well, "-prefix", "ad", dir)
	has(t, out, "kind account\n  ada")
	hasNot(t, out, "bob", "\nkind mark")

	out, _ = inspected(t, inspect.Well, "-sent", dir)
	has(t, out, "\n\nunder way\n  1  deposit to closed of kind account  5\n")
	hasNot(t, out, "\nkind ", "breaks")
	out, _ = inspected(t, inspect.Well, "-failures", dir)
	t.Log("\n" + out)
	has(t, out, "\n\nfailures\n  2  breaks to broken of kind account  6\n", "    why: ", `panicked: out of\norder \u001b[2J`+"\n")
	hasNot(t, out, "deposit", "\x1b")
	out, _ = inspected(t, inspect.Well, "-sent", "-failures", "-prefix", "clo", "-kind", "account", dir)
	has(t, out, "deposit to closed")
	hasNot(t, out, "breaks")

	after, err := os.ReadFile(filepath.Join(dir, "freerun.store"))
	if err != nil || !bytes.Equal(before, after) {
		t.Errorf("the file has changed; %v", err)
	}
	files, _ := os.ReadDir(dir)
	if len(files) != 1 {
		t.Errorf("%d files are left", len(files))
	}
}

// TestTypes has a program with the types print what is not JSON.
func TestTypes(t *testing.T) {
	dir, stop := made(t)
	stop()
	var stdout, stderr bytes.Buffer
	if status := cluster.Inspect([]string{dir}, &stdout, &stderr); status != inspect.Well {
		t.Errorf("%d, %s", status, stderr.String())
	}
	has(t, stdout.String(), "kind account\n", "  ada  {\"Balance\":105", "kind mark\n  7  {seen:205}\n")
	stdout.Reset()
	if status := cluster.Inspect([]string{"-json", "-kind", "mark", dir}, &stdout, &stderr); status != inspect.Well {
		t.Errorf("%d, %s", status, stderr.String())
	}
	has(t, stdout.String(), `"valueText":"{seen:205}"`)
}

// lines reads the output of -json.
func lines(t *testing.T, out string) (all []map[string]any) {
	t.Helper()
	for line := range strings.Lines(out) {
		var m map[string]any
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		all = append(all, m)
	}
	return all
}

func TestJSON(t *testing.T) {
	dir, stop := made(t)
	stop()
	out, _ := inspected(t, inspect.Well, "-json", dir)
	all := lines(t, out)
	if len(all) != 4 {
		t.Fatalf("%d lines\n%s", len(all), out)
	}
	if id, _ := all[0]["id"].(string); len(id) != 32 || all[0]["size"].(float64) < 4096 {
		t.Errorf("%v", all[0])
	}
	delete(all[0], "id")
	delete(all[0], "size")
	path, _ := json.Marshal(filepath.Join(dir, "freerun.store"))
	want := []string{
		`{"damaged":0,"failures":1,"format":"1","outcomes":0,"path":` + string(path) + `,"sent":1,"timers":0,"type":"store","units":{"account":2,"mark":1}}`,
		`{"key":"ada","kind":"account","type":"unit","value":{"Balance":105,"Note":""}}`,
		`{"key":"bob\u001b[2J","kind":"account","type":"unit","value":{"Balance":100,"Note":"` + long + `"}}`,
		`{"key":"7","kind":"mark","type":"unit","valueHex":"abcd"}`,
	}
	out, _ = inspected(t, inspect.Well, "-json", "-sent", "-failures", dir)
	more := lines(t, out)
	if len(more) != 3 {
		t.Fatalf("%d lines\n%s", len(more), out)
	}
	has(t, more[1]["why"].(string), "panicked: out of\norder \x1b[2J")
	delete(more[1], "why")
	want = append(want,
		`{"key":"broken","kind":"account","number":2,"operation":"breaks","type":"failure","value":6}`,
		`{"key":"closed","kind":"account","number":1,"operation":"deposit","type":"sent","value":5}`)
	for i, m := range append(all, more[1:]...) {
		if got, _ := json.Marshal(m); string(got) != want[i] {
			t.Errorf("%s\nwant %s", got, want[i])
		}
	}
	out, _ = inspected(t, inspect.Well, "-json", "-keys", dir)
	hasNot(t, out, "value")
}

// TestDamaged changes a byte of a state in the file: the unit is told as damaged, and the others
// are as ever.
func TestDamaged(t *testing.T) {
	dir, stop := made(t)
	stop()
	path := filepath.Join(dir, "freerun.store")
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	damaged := bytes.ReplaceAll(file, []byte(`j{"Balance":105`), []byte(`j{"Balance":905`))
	if bytes.Equal(damaged, file) {
		t.Fatal("the state is not in the file")
	}
	if err := os.WriteFile(path, damaged, 0o600); err != nil {
		t.Fatal(err)
	}
	out, errs := inspected(t, inspect.Failed, dir)
	t.Log("\n" + out + errs)
	has(t, out, "units      1 of kind account\n", "damaged    1 entry\n", "kind account\n  ada  error: stored state is lost: ", "checksum\n", "bob", "kind mark\n  7  hex abcd\n")
	has(t, errs, "inspect: 1 entry of the store cannot be read: restore a backup")
	hasNot(t, out, `"Balance":905`)
	out, _ = inspected(t, inspect.Failed, "-json", dir)
	all := lines(t, out)
	if len(all) != 4 || all[0]["damaged"] != 1.0 || all[1]["key"] != "ada" || all[1]["error"] == nil || all[1]["value"] != nil {
		t.Errorf("%s", out)
	}

	if err := os.WriteFile(path, file[:3*os.Getpagesize()], 0o600); err != nil {
		t.Fatal(err)
	}
	out, errs = inspected(t, inspect.Failed, dir)
	has(t, errs, "inspect: opening the store in "+dir+": stored state is lost: ", "restore a backup")
	if out != "" {
		t.Error(out)
	}
}

// TestStrange has entries that a newer program, or another one, has written.
func TestStrange(t *testing.T) {
	dir := t.TempDir()
	s, err := filestore.Open(dir, filestore.Options{Create: true})
	if err != nil {
		t.Fatal(err)
	}
	ok := "\x01\x00\x00j1"
	var writes []engine.Write
	for key, value := range map[string]string{
		layout.Records("a") + "form":               "\x02j1",
		layout.Records("a") + "empty":              "",
		layout.Records("a") + "codec":              "\x01\x00\x00z1",
		layout.Records("a") + "json":               "\x01\x00\x00j{",
		layout.Records("a") + "":                   ok,
		layout.Records("a") + "two w":              ok,
		layout.Records("a") + "\xFFx":              ok,
		layout.Records("b") + "\u009b":             "\x01\x00\x00j\"\u009b\U000E0001\"",
		"sno kind":                                 ok,
		"x":                                        ok,
		"o12":                                      ok,
		string(layout.Numbered(layout.Sent, 4)):    "\x01\x01a",
		string(layout.Numbered(layout.Failure, 5)): string(layout.Tell{Kind: "b", Key: "k", Operation: "do", Arg: []byte("\x00q")}.Encode()) + "why",
	} {
		writes = append(writes, engine.Write{Key: []byte(key), Value: []byte(value)})
	}
	done := make(chan error, 1)
	s.Put(writes, func(err error) { done <- err })
	if err := errors.Join(<-done, s.Close()); err != nil {
		t.Fatal(err)
	}
	out, errs := inspected(t, inspect.Failed, dir)
	t.Log("\n" + out + errs)
	has(t, out, "3 of kind a\n", "1 of kind b\n", "under way  0 messages\nfailures   0\ndamaged    9 entries\n",
		"\nneither units nor messages\n", `  o12  error: `,
		"\nkind a\n", `  ""  1`+"\n", "  codec  error: the state: the form is 'z'", "  empty  error: the record: it is empty\n",
		"  form  error: the record: its form is 2", "  json  error: the state: the form says JSON", `  "two w"  1`+"\n", "  hex ff78  1\n",
		"\nkind b\n", `  "\u009b"  "\u009b\udb40\udc01"`+"\n",
		"\nneither units nor messages\n", `  "sno kind"  error: `, "  x  error: ")
	has(t, errs, "9 entries of the store cannot be read")
	out, _ = inspected(t, inspect.Failed, "-sent", "-failures", "-kind", "b", dir)
	has(t, out, "\nfailures\n  5  do to k of kind b  error: the argument: the form is 'q'", "\n    why: why\n", "\nunder way\n  4  error: stored state is lost: ")
	out, _ = inspected(t, inspect.Failed, "-json", dir)
	for _, m := range lines(t, out) {
		if m["keyHex"] != nil && (m["keyHex"] != "ff78" || m["key"] != nil) {
			t.Errorf("%v", m)
		}
	}
	has(t, out, `"keyHex":"ff78"`)
	out, _ = inspected(t, inspect.Failed, "-prefix", "\xFF", dir)
	has(t, out, "hex ff78")
	hasNot(t, out, "two w", "neither")
}

// TestInUse inspects a store that a program has: this one, and another process that writes.
func TestInUse(t *testing.T) {
	dir, stop := made(t)
	refused := func() {
		t.Helper()
		out, errs := inspected(t, inspect.Failed, dir)
		has(t, errs, "inspect: ", "the store is in use", "stop the program that has it, or look at a backup\n")
		if out != "" {
			t.Error(out)
		}
	}
	refused()
	stop()
	inspected(t, inspect.Well, dir)

	other := child.Command(t.Context(), "writer", "FREERUN_DIR="+dir)
	out, err := other.StdoutPipe()
	input, err2 := other.StdinPipe()
	if err := errors.Join(err, err2, other.Start()); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := errors.Join(input.Close(), other.Wait()); err != nil {
			t.Error(err)
		}
		inspected(t, inspect.Failed, dir, "-keys") // it has written neither units nor messages
	}()
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "it writes\n" {
		t.Fatalf("%q, %v", line, err)
	}
	for range 5 {
		refused()
	}
}

func TestNoStore(t *testing.T) {
	empty := t.TempDir()
	for _, dir := range []string{empty, filepath.Join(empty, "missing")} {
		out, errs := inspected(t, inspect.Failed, dir)
		has(t, errs, "inspect: ", "no store in "+dir+": is it the store's folder, and is its file system mounted?\n")
		if out != "" || strings.Count(errs, "\n") != 1 {
			t.Errorf("%q, %q", out, errs)
		}
	}
	if files, _ := os.ReadDir(empty); len(files) > 0 {
		t.Errorf("it has made %v", files)
	}
}

// TestBadCommandLines: a wrong command line yields one line that says what is wrong and what would
// be right, nothing else, and status 2.
func TestBadCommandLines(t *testing.T) {
	dir, stop := made(t)
	stop()
	for _, c := range []struct {
		args []string
		says string
	}{
		{nil, "name the folder of a store: inspect [flags] DIR"},
		{[]string{""}, "name the folder of a store"},
		{[]string{dir, "other"}, `one folder at a time: "other" is too much`},
		{[]string{"-everything", dir}, "-everything: see inspect -help"},
		{[]string{dir, "-kind"}, "-kind: see inspect -help"},
		{[]string{"-keys", "-sent", dir}, "-keys is about units"},
		{[]string{"-keys", "-failures", dir}, "-keys is about units"},
		{[]string{"-kind", "acount", dir}, `unknown kind "acount": there are account, mark`},
	} {
		out, errs := inspected(t, inspect.Usage, c.args...)
		has(t, errs, "inspect: ", c.says)
		if out != "" || strings.Count(errs, "\n") != 1 {
			t.Errorf("%q: %q, %q", c.args, out, errs)
		}
	}
}

func TestHelp(t *testing.T) {
	for _, arg := range []string{"-help", "--help", "-h"} {
		out, _ := inspected(t, inspect.Well, arg)
		has(t, out, "Usage:\n  inspect [flags] DIR\n", "Examples:\n  inspect ", "Flags:\n", "-failures", "-full", "-json", "-keys", "-kind NAME", "-prefix KEY", "-sent", "valueHex", "Exit status")
	}
}

// full takes no bytes.
type full struct{}

var errFull = errors.New("no room")

func (full) Write([]byte) (int, error) { return 0, errFull }

// TestOutputFails: what could not be written is no success.
func TestOutputFails(t *testing.T) {
	dir, stop := made(t)
	stop()
	for _, args := range [][]string{{dir}, {"-json", dir}, {"-help"}} {
		var errs bytes.Buffer
		if status := inspect.Run(args, full{}, &errs, nil); status != inspect.Failed || !strings.Contains(errs.String(), errFull.Error()) {
			t.Errorf("%q: %d, %s", args, status, errs.String())
		}
	}
}
