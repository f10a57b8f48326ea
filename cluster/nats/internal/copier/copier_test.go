//go:build !wasm

package copier

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/freerun-go/freerun/cluster"
	"github.com/freerun-go/freerun/cluster/internal/layout"
	"github.com/freerun-go/freerun/cluster/internal/partition"
	"github.com/freerun-go/freerun/cluster/nats"
	"github.com/freerun-go/freerun/cluster/nats/internal/jet"
)

// copies runs the command, which must go well, and returns what it says.
func copies(t *testing.T, args ...string) (s summary) {
	t.Helper()
	var out, errs bytes.Buffer
	if status := Run(append([]string{"-json"}, args...), &out, &errs); status != well {
		t.Fatalf("copy %v: status %d: %s", args, status, &errs)
	}
	if err := json.Unmarshal(out.Bytes(), &s); err != nil {
		t.Fatalf("%s: %v", &out, err)
	}
	return s
}

// refuses runs the command, which must not go well, and holds what it says.
func refuses(t *testing.T, status int, says string, args ...string) {
	t.Helper()
	var out, errs bytes.Buffer
	if got := Run(args, &out, &errs); got != status || !strings.Contains(errs.String(), says) || out.Len() > 0 {
		t.Errorf("copy %v: status %d, %q, want %d and %q; it prints %q", args, got, &errs, status, says, &out)
	}
}

const tillsOfTest = 10

// works has a life do all that a store can keep, in a stage of its own.
func (l *life) works(stage int) {
	l.t.Helper()
	broken.Store(true)
	c := l.rt.Context()
	n := func(i int) string { return fmt.Sprint("t", i%tillsOfTest) }
	name := fmt.Sprint("s", stage)
	call(l, c, wind, name, bell{"soon", 5 * time.Second})
	call(l, c, wind, name, bell{"never", 1000 * time.Hour})
	call(l, c, sendFix, name, name)
	l.waits("the failure", func() bool { return len(l.failures()) == 1 })
	call(l, c, put, "gone", 7)
	call(l, c, forgets, "gone", struct{}{})
	if sum := call(l, cluster.Once(c, name), put, "o"+name, 3); sum != 103 {
		l.t.Errorf("once: %d", sum)
	}
	for i := range 50 {
		if !l.isShared() { // its counts are exact
			call(l, c, pay, n(i), transferred{n(i*7 + stage), i})
		} else if err := pay.Tell(c, tills.At(c, n(i)), transferred{n(i*7 + stage), i}); err != nil {
			l.t.Fatal(err)
		}
	}
	if !l.isShared() {
		l.sums()
	}
	call(l, c, save, name, transferred{name, 5})
}

// sums waits until all that was paid has come.
func (l *life) sums() {
	l.t.Helper()
	l.waits("the sum", func() bool {
		sum := 0
		for i := range tillsOfTest {
			sum += l.sees(tills, fmt.Sprint("t", i)).Sum
		}
		return sum == 100*tillsOfTest
	})
}

// leaves adds what a process leaves in the logs whose messages nobody has taken from there: to put
// something into a till, and to ask a safe for a till. Each of them was sent twice.
func leaves(t *testing.T, url, program string, stage int) {
	t.Helper()
	nc, err := jet.Connect(url)
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	e, err := jet.Open(t.Context(), nc, jet.Options{Program: program})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	name := fmt.Sprint("left", stage)
	for unit, c := range map[string]layout.Command{
		layout.Records("till") + name: {Operation: "put", Arg: []byte("\x00j11")},
		layout.Records("safe") + name: {Operation: "put", Arg: []byte("\x00j2"), Reply: layout.Reply{Kind: "till", Key: name, Operation: "heard"}},
	} {
		p := partition.Of(unit, e.Partitions())
		session := uint64(0)
		for _, entry := range []partition.Entry{
			{Opening: &partition.Opening{Node: "x"}},
			{Command: &partition.Command{N: partition.Number{Seq: 1}, Told: true, Unit: unit, Body: c.Encode()}},
			{Command: &partition.Command{N: partition.Number{Seq: 1}, Told: true, Unit: unit, Body: c.Encode()}},
		} {
			if entry.Command != nil {
				entry.Command.From.Session = session
			}
			done := make(chan error, 1)
			e.Append(p, entry.Encode(), func(seq uint64, err error) {
				if session == 0 {
					session = seq
				}
				done <- err
			})
			if err := <-done; err != nil {
				t.Fatal(err)
			}
		}
	}
}

// knows holds that a life has what the stages before have done.
func (l *life) knows(stages int) {
	l.t.Helper()
	c := l.rt.Context()
	for stage := range stages {
		name := fmt.Sprint("s", stage)
		if sum := call(l, cluster.Once(c, name), put, "o"+name, 1000); sum != 103 {
			l.t.Errorf("stage %d: the identity has another outcome: %d", stage, sum)
		}
		if got := l.sees(tills, "o"+name); got.Sum != 103 {
			l.t.Errorf("stage %d: with an identity there is %d", stage, got.Sum)
		}
	}
	if got := l.sees(tills, "gone"); got.Sum != 100 {
		l.t.Errorf("what was forgotten has %d", got.Sum)
	}
	for i, f := range l.failures() {
		if f.Kind != "till" || f.Operation != "fix" || string(f.Arg) != "7" || !strings.Contains(f.Err, "it is broken") {
			l.t.Errorf("failure %d: %+v", i, f)
		}
	}
}

// finishes has all come that the stages before have left, of which some were over logs.
func (l *life) finishes(stages int, logs ...int) {
	l.t.Helper()
	closed.Store(false)
	broken.Store(false)
	for _, f := range l.failures() {
		if err := l.node.Retry(l.t.Context(), f.Number); err != nil {
			l.t.Error(err)
		}
	}
	for stage := range stages {
		name := fmt.Sprint("s", stage)
		l.waits(name, func() bool {
			got := l.sees(tills, name)
			return got.Rings > 0 && len(got.Heard) > 0 && got.Fixed
		})
		got, safe := l.sees(tills, name), l.sees(safes, name)
		// What is told comes in its order, so the answer has both.
		if got.Rings != 1 || len(got.Heard) != 1 || got.Heard[0] != name+" 5 10 <nil>" || safe.Sum != 10 || got.Sum != 90 {
			l.t.Errorf("stage %d: %+v, and %d in the safe", stage, got, safe.Sum)
		}
	}
	for _, stage := range logs {
		name := fmt.Sprint("left", stage)
		l.waits(name, func() bool { got := l.sees(tills, name); return got.Sum > 100 && len(got.Heard) > 0 })
		if got := l.sees(tills, name); got.Sum != 111 || len(got.Heard) != 1 || got.Heard[0] != name+" 2 2 <nil>" {
			l.t.Errorf("%s: %+v", name, got)
		}
	}
	l.sums()
	if n := len(l.failures()); n != 0 {
		l.t.Errorf("%d failures are left", n)
	}
}

// TestCopy has a program go from a folder to servers, to others with more partitions and pairs of
// streams, back to a folder, and to servers again, each time with something of each sort that a
// store keeps, and with messages under way. Then all of it comes, once.
func TestCopy(t *testing.T) {
	url := serve(t)
	first, last := filepath.Join(t.TempDir(), "first"), filepath.Join(t.TempDir(), "last")

	l := begin(t, cluster.Local(first, cluster.Create()))
	closed.Store(true) // a safe is never loaded: so both messages to it are under way
	l.works(0)
	l.end()
	s := copies(t, "-program", "one", "-partitions", "5", "-create", first, url)
	if s.To.Partitions != 5 || s.Units["till"] != tillsOfTest+2 || s.Sent != 2 || s.Failures != 1 || s.Timers < 1 || s.Outcomes != 1 || s.From.ID == s.To.ID {
		t.Errorf("%+v", s)
	}

	l = begin(t, nats.Servers("one", url, nats.Partitions(5)))
	l.knows(1)
	l.finishes(1)
	l.works(1)
	l.kill()
	leaves(t, url, "one", 1)
	s = copies(t, "-program", "one", "-as", "two", "-partitions", "16", "-pairs", "3", "-create", url, url)
	t.Logf("%+v", s)
	if s.From.Partitions != 5 || s.From.Pairs != 1 || s.To.Partitions != 16 || s.To.Pairs != 3 || s.Sent < 2 || s.Failures != 1 || s.Timers < 2 || s.Outcomes != 2 {
		t.Errorf("%+v", s)
	}

	l = begin(t, nats.Servers("two", url, nats.Partitions(16), nats.Pairs(3)))
	l.knows(2)
	l.finishes(2, 1)
	l.works(2)
	l.end()
	leaves(t, url, "two", 2)
	s = copies(t, "-program", "two", "-create", url, last)
	t.Logf("%+v", s)
	if s.Sent < 2 || s.Failures != 1 || s.Timers < 3 || s.Outcomes != 3 || s.To.Store != "folder" {
		t.Errorf("%+v", s)
	}

	l = begin(t, cluster.Local(last))
	l.knows(3)
	l.finishes(3, 1, 2)
	closed.Store(true)
	l.works(3)
	l.end()
	copies(t, last, url, "-program", "three", "-create")

	l = begin(t, nats.Servers("three", url))
	l.knows(4)
	l.finishes(4, 1, 2)
	l.end()
	// The stores that were copied are as they were: the first one can go on, too.
	l = begin(t, cluster.Local(first))
	l.knows(1)
	l.finishes(1)
	l.end()
	if entries, err := os.ReadDir(last); err != nil || len(entries) != 1 {
		t.Errorf("the folder has %v, %v", entries, err)
	}
}
