//go:build !wasm

package copier

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	natsgo "github.com/nats-io/nats.go"

	"github.com/freerun-go/freerun/cluster"
	"github.com/freerun-go/freerun/cluster/internal/child"
	"github.com/freerun-go/freerun/cluster/internal/partition"
	"github.com/freerun-go/freerun/cluster/internal/transfer"
	"github.com/freerun-go/freerun/cluster/nats"
	"github.com/freerun-go/freerun/cluster/nats/internal/jet"
)

func TestUsage(t *testing.T) {
	const at = "nats://127.0.0.1:1"
	for _, c := range []struct{ says, args string }{
		{"name two stores", "a"},
		{"name two stores", "a b c"},
		{"freerun.store", "a b"},
		{"written as in nats://a:4222", "-program p -create folder a:4222"},
		{"written as in nats://127.0.0.1:1", "-program p 127.0.0.1:1 folder"},
		{"-program NAME", "a " + at},
		{"say -create", "-program p a " + at},
		{"-replicas 2", "-program p -create -replicas 2 a " + at},
		{"-partitions", "-program p -partitions 3 " + at + " a"},
		{"-partitions", "-program p -create -partitions -3 a " + at},
		{"-pairs", "-program p -pairs 3 " + at + " a"},
		{"-pairs", "-program p -create -pairs -3 a " + at},
		{"-as", "-program p -as q " + at + " a"},
		{"-within", "-program p -create -within -1s a " + at},
		{"see copy -help", "-nothing a b"},
	} {
		refuses(t, usage, c.says, strings.Fields(c.args)...)
	}
	var out, errs bytes.Buffer
	if status := Run([]string{"-help"}, &out, &errs); status != well || !strings.Contains(out.String(), "-partitions PARTS") || !strings.Contains(out.String(), "failures    how many") {
		t.Errorf("status %d, %s%s", status, &out, &errs)
	}
}

// small makes a store in a folder.
func small(t *testing.T) (dir string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "small")
	l := begin(t, cluster.Local(dir, cluster.Create()))
	call(l, l.rt.Context(), put, "a", 5)
	l.end()
	return dir
}

// TestRefused holds that a store that a process has is not copied, nor one that is damaged, and
// that nothing is made then that anybody would take for a copy.
func TestRefused(t *testing.T) {
	t.Parallel()
	url, dir := serve(t), small(t)
	to := filepath.Join(t.TempDir(), "to")
	refuses(t, failed, "no streams", "-program", "none", "-create", url, to)
	refuses(t, failed, "no server of "+"nats://127.0.0.1:1", "-program", "none", "-create", "-within", "300ms", dir, "nats://127.0.0.1:1")
	refuses(t, failed, "no store in", "-program", "none", "-create", to, url)

	l := begin(t, cluster.Local(dir))
	refuses(t, failed, "stop the program that has it", "-program", "busy", "-create", dir, url)
	l.end()
	copies(t, "-program", "busy", "-partitions", "2", "-create", dir, url)
	refuses(t, failed, "the server has a stream busy-in-0", "-program", "busy", "-create", dir, url)
	refuses(t, failed, "the folder has a store already", "-program", "busy", "-create", url, dir)
	refuses(t, failed, "no such folder", "-program", "busy", url, to)

	l = begin(t, nats.Servers("busy", url, nats.Partitions(2)))
	refuses(t, failed, "of the program runs", "-program", "busy", "-create", url, to)
	l.end()
	if _, err := os.Stat(to); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a folder was made: %v", err)
	}
	copies(t, "-program", "busy", "-create", url, to)

	// One bit of the state's record.
	file := filepath.Join(dir, "freerun.store")
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	at := bytes.Index(b, []byte(`{"Sum":105`))
	if at < 0 {
		t.Fatal("the record is not there")
	}
	for ; at >= 0; at = bytes.Index(b, []byte(`{"Sum":105`)) {
		b[at+8] ^= 1
	}
	if err := os.WriteFile(file, b, 0o600); err != nil {
		t.Fatal(err)
	}
	refuses(t, failed, "stored state is lost", "-program", "damaged", "-create", dir, url)
	refuses(t, failed, "does not match its checksum", "-program", "damaged", "-create", dir, url)
	nc, err := natsgo.Connect(url)
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	js, err := nc.JetStream()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := js.StreamInfo("damaged-in-0"); !errors.Is(err, natsgo.ErrStreamNotFound) {
		t.Errorf("of what was refused a stream is left: %v", err)
	}
}

// TestWholeThen holds that an error of what comes after the copy says that the copy is whole: a
// program can have it.
func TestWholeThen(t *testing.T) {
	o := options{from: small(t), to: filepath.Join(t.TempDir(), "to"), create: true}
	var s summary
	from, err := o.openSource(&s.From)
	if err != nil {
		t.Fatal(err)
	}
	broken, closes := errors.New("it is broken"), from.close
	from.close = func() error { return errors.Join(closes(), broken) }
	if _, err := o.copyFrom(from, &s, io.Discard); !errors.Is(err, broken) || !strings.Contains(err.Error(), "the copy is whole") {
		t.Errorf("the source cannot be closed: %v", err)
	}
	l := begin(t, cluster.Local(o.to))
	if x := l.sees(tills, "a"); x.Sum != 105 {
		t.Errorf("the copy has %+v", x)
	}
	l.end()
	if from, err = o.openSource(&s.From); err != nil {
		t.Fatal(err)
	}
	if _, err := o.copyFrom(from, &s, io.Discard); err == nil || strings.Contains(err.Error(), "the copy is whole") {
		t.Errorf("a copy over another one: %v", err)
	}
}

// TestChanged holds that a copy of servers is none if something was stored meanwhile, or a process
// was heard of, however late.
func TestChanged(t *testing.T) {
	t.Parallel()
	url, dir := serve(t), small(t)
	copies(t, "-program", "one", "-partitions", "2", "-create", dir, url)
	nc, err := jet.Connect(url)
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	e, err := jet.Open(t.Context(), nc, jet.Options{Program: "one"})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	o, err := parse([]string{"-program", "one", "-as", "two", "-create", url, url})
	if err != nil {
		t.Fatal(err)
	}
	for what, c := range map[string]struct {
		does func()
		is   error
	}{
		"an entry": {func() {
			appended := make(chan error, 1)
			closing := partition.Entry{Closing: &partition.Closing{}}
			e.Append(1, closing.Encode(), func(_ uint64, err error) { appended <- err })
			if err := <-appended; err != nil {
				t.Error(err)
			}
		}, transfer.ErrChanged},
		"a process": {func() {
			l := begin(t, nats.Servers("one", url, nats.Partitions(2)))
			call(l, l.rt.Context(), put, "a", 1)
			l.end()
		}, cluster.ErrInUse},
		"nothing": {func() {}, nil},
	} {
		from, err := o.openSource(new(place))
		if err != nil {
			t.Fatal(err)
		}
		to, err := o.openTarget(new(place), place{Partitions: 3})
		if err != nil {
			t.Fatal(err)
		}
		_, err = transfer.Copy(from, to, func(int, int) {}, func() error {
			c.does()
			return errors.Join(from.still(), to.still())
		})
		if !errors.Is(err, c.is) {
			t.Errorf("%s: %v", what, err)
		}
		if err := errors.Join(from.close(), to.close()); err != nil {
			t.Error(err)
		}
		two, err := jet.Open(t.Context(), nc, jet.Options{Program: "two"})
		if (err == nil) != (c.is == nil) {
			t.Errorf("%s: the copy: %v", what, err)
		}
		if err == nil {
			if err := two.Remove(t.Context()); err != nil {
				t.Error(err)
			}
			two.Close()
		}
	}
}

func init() {
	child.Role("half", func() {
		o, err := parse([]string{"-program", "half", "-create", os.Getenv("FROM"), os.Getenv("TO")})
		if err != nil {
			panic(err)
		}
		from, err := o.openSource(new(place))
		if err != nil {
			panic(err)
		}
		to, err := o.openTarget(new(place), place{})
		if err != nil {
			panic(err)
		}
		_, _ = transfer.Copy(from, to, func(int, int) {}, func() error { os.Exit(7); return nil })
	})
}

// TestInterrupted ends the process of a copy right before its end. What is there then is no store,
// also for a first start.
func TestInterrupted(t *testing.T) {
	t.Parallel()
	url, dir := serve(t), small(t)
	to := t.TempDir()
	copies(t, "-program", "half", "-as", "whole", "-create", dir, url)
	cut := func(from, into string) {
		t.Helper()
		c := child.Command(t.Context(), "half", "FROM="+from, "TO="+into)
		if err := c.Run(); c.ProcessState == nil || c.ProcessState.ExitCode() != 7 {
			t.Fatalf("the process of the copy: %v", err)
		}
	}
	cut(dir, url)
	for _, options := range [][]nats.Option{nil, {nats.Create(1)}} {
		_, err := join(t, nats.Servers("half", url, options...))
		if !errors.Is(err, cluster.ErrStateLost) || !strings.Contains(err.Error(), "part of a copy") {
			t.Errorf("a start with %d options: %v", len(options), err)
		}
	}
	refuses(t, failed, "part of a copy", "-program", "half", "-create", dir, url)
	nc, err := natsgo.Connect(url)
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	js, err := nc.JetStream()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"half-in-0", "half-st-0"} { // as the error says
		if err := js.DeleteStream(name); err != nil {
			t.Error(err)
		}
	}
	copies(t, "-program", "half", "-create", dir, url)

	cut(url, to)
	if _, err := join(t, cluster.Local(to)); !errors.Is(err, cluster.ErrStateLost) {
		t.Errorf("a folder with a part of a copy: %v", err)
	}
	copies(t, "-program", "half", url, to)
	l := begin(t, cluster.Local(to))
	if got := l.sees(tills, "a"); got.Sum != 105 {
		t.Errorf("the copy has %+v", got)
	}
	l.end()
}
