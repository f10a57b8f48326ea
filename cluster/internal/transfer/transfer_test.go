//go:build !wasm

package transfer

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/freerun-go/freerun/cluster/internal/engine"
	"github.com/freerun-go/freerun/cluster/internal/filestore"
	"github.com/freerun-go/freerun/cluster/internal/layout"
	"github.com/freerun-go/freerun/cluster/internal/logsim"
	"github.com/freerun-go/freerun/cluster/internal/partition"
)

// logs is a store that machines share, which stands still.
type logs struct{ logsim.Still }

func (logs) Largest() int { return 64 << 10 }

func newLogs(partitions int) logs {
	return logs{logsim.Still{Store: logsim.New(nil, logsim.Faults{}, partitions)}}
}

// set stores an entry.
func (l logs) set(t *testing.T, p int, key string, value []byte) {
	t.Helper()
	l.Swap(p, []engine.Write{{Key: []byte(key), Value: value}}, 0, func(_ uint64, err error) {
		if err != nil {
			t.Fatal(err)
		}
	})
}

func (l logs) append(p int, e partition.Entry) (at uint64) {
	l.Append(p, e.Encode(), func(seq uint64, _ error) { at = seq })
	return at
}

// copies copies, which must go well.
func copies(t *testing.T, from Source, to Target) Counts {
	t.Helper()
	c, err := Copy(from, to, func(int, int) {}, func() error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func reads(t *testing.T, l Logs) *LogsSource {
	t.Helper()
	from, err := OpenLogs(l)
	if err != nil {
		t.Fatal(err)
	}
	return from
}

// underWay returns what is under way in a source, by its arguments, in its order.
func underWay(t *testing.T, from Source) (all []string) {
	t.Helper()
	err := from.Each(func(i Item) error {
		if i.Sent != nil {
			all = append(all, string(i.Sent.Arg))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// unitIn returns the name of a unit that is in a partition.
func unitIn(p, n int) (kind, key, unit string) {
	for i := 0; ; i++ {
		key = fmt.Sprint("k", i)
		if unit = layout.Records("kind") + key; partition.Of(unit, n) == p {
			return "kind", key, unit
		}
	}
}

func body(arg string) []byte { return layout.Command{Operation: "op", Arg: []byte(arg)}.Encode() }

// recordOf returns the record of a unit.
func recordOf(r partition.Record, state string) []byte {
	b := append(r.Append(nil), layout.EncodeWake(time.Time{})...)
	if state != "" {
		b = append(append(b, layout.Begin(nil, 0)...), state...)
	}
	return b
}

// TestUnderWay holds what is under way, and in which order, of what one partition has sent to a
// unit of another one, however much of it has come there.
func TestUnderWay(t *testing.T) {
	const n = 2
	_, _, a := unitIn(0, n)
	_, _, b := unitIn(1, n)
	all := []string{"1", "2", "3", "4"}
	numbers := []partition.Number{{Seq: 5, Index: 1}, {Seq: 5, Index: 2}, {Seq: 6, Index: 1}, {Seq: 7, Index: 1}}
	for came := range len(all) + 1 { // of the log of b
		for ran := range came + 1 {
			l := newLogs(n)
			for range 7 {
				l.append(0, partition.Entry{Closing: &partition.Closing{}}) // the log of a
			}
			record := partition.Record{Last: 7}
			for i, arg := range all {
				record.Sends = append(record.Sends, partition.Send{Seq: numbers[i].Seq, To: 1, Unit: b, Body: body(arg)})
			}
			l.set(t, 0, a, recordOf(record, "\x00j1"))
			send := func(i int) uint64 {
				c := &partition.Command{From: partition.Source{Outbox: 0}, N: numbers[i], Told: true, Unit: b, Body: body(all[i])}
				if i > 0 {
					c.Prev = numbers[i-1]
				}
				return l.append(1, partition.Entry{Command: c})
			}
			last := uint64(0)
			for i := range came {
				at := send(i)
				send(i) // it is repeated
				if i < ran {
					last = at
				}
			}
			if came+1 < len(all) {
				send(came + 1) // one is missing before it: so it is not taken
			}
			if last > 0 {
				l.set(t, 1, b, recordOf(partition.Record{Last: last}, "\x00j1"))
			}
			from := reads(t, l)
			if got := underWay(t, from); !slices.Equal(got, all[ran:]) {
				t.Errorf("%d have come, and %d have run: %q is under way", came, ran, got)
			}
			// It is so in a copy, and in the copy of that.
			for partitions := range 3 {
				to := newLogs(1 + partitions)
				copies(t, from, &LogsTarget{Logs: to})
				from = reads(t, to)
				if got := underWay(t, from); !slices.Equal(got, all[ran:]) {
					t.Errorf("%d have come, and %d have run: in copy %d %q is under way", came, ran, partitions, got)
				}
			}
		}
	}
}

// TestOutside holds that a command of a session is carried with all that it has, and that one whose
// session is closed is not taken.
func TestOutside(t *testing.T) {
	l := newLogs(1)
	_, _, unit := unitIn(0, 1)
	session := l.append(0, partition.Entry{Opening: &partition.Opening{Node: "m"}})
	want := layout.Command{Operation: "op", Arg: []byte("1"), Once: "id", Deadline: time.Unix(1, 2).UTC()}
	l.append(0, partition.Entry{Command: &partition.Command{From: partition.Source{Session: session}, N: partition.Number{Seq: 1}, Unit: unit, Body: want.Encode()}})
	several := layout.Command{Operation: "both", Arg: []byte("2"), Units: []string{unit, unit + "2"}}
	l.append(0, partition.Entry{Command: &partition.Command{From: partition.Source{Session: session}, Prev: partition.Number{Seq: 1}, N: partition.Number{Seq: 2}, Told: true, Unit: unit, Body: several.Encode()}})
	l.append(0, partition.Entry{Command: &partition.Command{From: partition.Source{Session: session + 100}, N: partition.Number{Seq: 1}, Unit: unit, Body: body("strange")}})
	wake := layout.Command{}.Encode()
	l.append(0, partition.Entry{Command: &partition.Command{From: partition.Source{Outbox: 0}, N: partition.Number{Seq: 1, Index: 1}, Told: true, Unit: unit, Body: wake}})
	to := newLogs(3)
	copies(t, reads(t, l), &LogsTarget{Logs: to})
	var got []Sent
	if err := reads(t, to).Each(func(i Item) error { got = append(got, *i.Sent); return nil }); err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(got, func(a, b Sent) int { return strings.Compare(string(a.Arg), string(b.Arg)) })
	if len(got) != 2 || got[0].Once != "id" || !got[0].Deadline.Equal(want.Deadline) || !got[0].Outside || !got[0].Awaited || !got[1].Outside || got[1].Awaited || !slices.Equal(got[1].Units, several.Units) {
		t.Errorf("%+v", got)
	}
	// Of units of which one has had it, and another one has not, something was lost.
	l.set(t, 0, unit, recordOf(partition.Record{Last: 3}, ""))
	_, err := Copy(reads(t, l), &LogsTarget{Logs: newLogs(1)}, func(int, int) {}, func() error { return nil })
	if !errors.Is(err, engine.ErrStateLost) || !strings.Contains(err.Error(), "on 1 of 2 units") {
		t.Errorf("half of an operation: %v", err)
	}
}

// TestFailureNumbers holds that failures have numbers in a copy that no later ones have.
func TestFailureNumbers(t *testing.T) {
	l := newLogs(1)
	kind, key, unit := unitIn(0, 1)
	failure := append(layout.Tell{Kind: kind, Key: key, Operation: "op", Arg: []byte("1")}.Encode(), "why"...)
	for i := range uint64(3 * layout.MostFailures) {
		l.set(t, 0, string(layout.Numbered(layout.Failure, 1000+i)), failure)
	}
	l.append(0, partition.Entry{Command: &partition.Command{From: partition.Source{Outbox: 0}, N: partition.Number{Seq: 1}, Told: true, Unit: unit, Body: body("1")}})
	to := newLogs(1)
	if c := copies(t, reads(t, l), &LogsTarget{Logs: to}); c.Failures != 3*layout.MostFailures || c.Sent != 1 {
		t.Errorf("%+v", c)
	}
	last, command := uint64(0), uint64(0)
	to.Each(func(_ int, key string, _ []byte) {
		n, err := layout.NumberOf([]byte(key))
		if err != nil {
			t.Error(err)
		}
		last = max(last, n)
	})
	for _, c := range reads(t, to).taken[0] {
		command = c.seq
	}
	if first := command * layout.MostFailures; command == 0 || last >= first {
		t.Errorf("the failures are numbered up to %d, and those of the first command from %d", last, first)
	}
}

// folder makes a store of one process with entries.
func folder(t *testing.T, entries map[string]string) (dir string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "store")
	_, err := filestore.Make(dir, true, func(put func([]engine.Write) error) error {
		for key, value := range entries {
			if err := put([]engine.Write{{Key: []byte(key), Value: []byte(value)}}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func opens(t *testing.T, dir string) *FolderSource {
	t.Helper()
	f, err := OpenFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

// TestNames holds that earlier names of kinds lead to what is stored, in each sort of store, and
// that messages name a kind as its units do.
func TestNames(t *testing.T) {
	tell := layout.Tell{Kind: "first", Key: "a", Operation: "op", Arg: []byte("1"), Reply: layout.Reply{Kind: "second", Key: "b", Operation: "then"}}
	dir := folder(t, map[string]string{
		"rfirst": "\x01second", "rsecond": "\x01third", layout.Records("third") + "a": string(layout.Begin(nil, 0)) + "\x00j1",
		string(layout.Numbered(layout.Sent, 7)): string(tell.Encode()), string(layout.Numbered(layout.Failure, 8)): string(tell.Encode()) + "why",
	})
	want := map[string]string{"first": "third", "second": "third", "third": "third"}
	to := newLogs(3)
	copies(t, opens(t, dir), &LogsTarget{Logs: to})
	from := reads(t, to)
	if got := fmt.Sprint(from.Names()); got != fmt.Sprint(want) {
		t.Errorf("%v", got)
	}
	back := filepath.Join(t.TempDir(), "back")
	copies(t, from, &FolderTarget{Dir: back, Create: true})
	f := opens(t, back)
	if got := fmt.Sprint(f.Names()); got != fmt.Sprint(want) {
		t.Errorf("%v", got)
	}
	for _, source := range []Source{from, f} {
		found := 0
		err := source.Each(func(i Item) error {
			for _, m := range []*layout.Tell{told(i.Sent), failed(i.Failure)} {
				if m != nil {
					if found++; m.Kind != "third" || m.Reply.Kind != "third" || m.Reply.Key != "b" || string(m.Arg) != "1" {
						t.Errorf("%+v", m)
					}
				}
			}
			return nil
		})
		if err != nil || found != 2 {
			t.Errorf("%d messages, %v", found, err)
		}
	}
	moving := folder(t, map[string]string{"rfirst": "\x01second", layout.Records("first") + "a": string(layout.Begin(nil, 0)) + "\x00j1"})
	if _, err := OpenFolder(moving); !errors.Is(err, ErrNoPlace) || !strings.Contains(err.Error(), "start the program once") {
		t.Errorf("a kind that has not been moved: %v", err)
	}
}

func told(s *Sent) *layout.Tell {
	if s == nil {
		return nil
	}
	return &s.Tell
}

func failed(f *Failure) *layout.Tell {
	if f == nil {
		return nil
	}
	return &f.Tell
}

// TestRefused holds that what another store has no place for is refused, with its name, and that
// nothing is made then.
func TestRefused(t *testing.T) {
	state := func(n int) string { return string(layout.Begin(nil, 0)) + "\x00j" + strings.Repeat("1", n) }
	unit := layout.Records("kind") + "a"
	for name, c := range map[string]struct {
		entries map[string]string
		is      error
		says    string
	}{
		"a large state":          {map[string]string{unit: state(40 << 10)}, engine.ErrTooLarge, `unit "a" of kind kind`},
		"a large argument":       {map[string]string{string(layout.Numbered(layout.Sent, 1)): string(layout.Tell{Kind: "kind", Arg: make([]byte, 40<<10)}.Encode())}, engine.ErrTooLarge, "the message"},
		"a large outcome":        {map[string]string{string(layout.OnceOf("kind", "a", "id")): string(layout.Outcome{Result: make([]byte, 20<<10)}.Encode())}, engine.ErrTooLarge, "the outcome of"},
		"a large failure":        {map[string]string{string(layout.Numbered(layout.Failure, 1)): string(layout.Tell{Kind: "kind", Arg: make([]byte, 40<<10)}.Encode())}, engine.ErrTooLarge, "the recorded failure"},
		"a large timer":          {map[string]string{unit: string(layout.Begin([]layout.Timer{{Name: "bell", Due: time.Unix(1, 0), Arg: make([]byte, 10<<10)}}, 0)) + "\x00j1"}, engine.ErrTooLarge, "timer bell"},
		"a damaged record":       {map[string]string{unit: "\x07"}, engine.ErrStateLost, `"skind\x00a"`},
		"a damaged message":      {map[string]string{string(layout.Numbered(layout.Sent, 1)): "\x07"}, engine.ErrStateLost, "newer program"},
		"what nobody knows":      {map[string]string{"zebra": "1"}, engine.ErrStateLost, `"zebra"`},
		"the key of no outcome":  {map[string]string{"ikind": "1"}, engine.ErrStateLost, `"ikind"`},
		"a message, and what is": {map[string]string{string(layout.Numbered(layout.Sent, 1)): string(layout.Tell{}.Encode()) + "more"}, engine.ErrStateLost, "more behind"},
	} {
		f, err := OpenFolder(folder(t, c.entries))
		if err == nil {
			_, err = Copy(f, untouched{&LogsTarget{Logs: newLogs(2)}, t}, func(int, int) {}, func() error { return nil })
			f.Close()
		}
		if !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
	_, key, unit := unitIn(0, 2)
	for name, c := range map[string]struct {
		key, value string
		is         error
		says       string
	}{
		"a damaged record":               {unit, "\x07", engine.ErrStateLost, key},
		"a unit of another partition":    {second(unitIn(1, 2)), string(recordOf(partition.Record{}, "\x00j1")), engine.ErrStateLost, "its unit is of partition 1"},
		"what nobody knows":              {"zebra", "1", engine.ErrStateLost, `"zebra"`},
		"a damaged checkpoint":           {partition.CheckpointKey, "\x07", engine.ErrStateLost, "checkpoint"},
		"names that are damaged":         {layout.Names, "\x07", engine.ErrStateLost, "names"},
		"a failure on several units":     {string(layout.Numbered(layout.Failure, 1)), string(layout.Tell{Kind: "kind", Units: []string{"a", "b"}}.Encode()), ErrNoPlace, "Node.Retry"},
		"a message to no partition":      {unit, string(recordOf(partition.Record{Last: 1, Sends: []partition.Send{{Seq: 1, To: 7, Unit: unit, Body: body("1")}}}, "\x00j1")), engine.ErrStateLost, "partition 7 of 2"},
		"a message that cannot be read":  {unit, string(recordOf(partition.Record{Last: 1, Sends: []partition.Send{{Seq: 1, To: 1, Unit: unit, Body: []byte("x")}}}, "\x00j1")), engine.ErrStateLost, "has sent"},
		"a message with an identity":     {unit, string(recordOf(partition.Record{Last: 1, Sends: []partition.Send{{Seq: 1, To: 1, Unit: unit, Body: layout.Command{Once: "x"}.Encode()}}}, "\x00j1")), ErrNoPlace, "start the program once"},
		"a message with a deadline":      {unit, string(recordOf(partition.Record{Last: 1, Sends: []partition.Send{{Seq: 1, To: 1, Unit: unit, Body: layout.Command{Deadline: time.Unix(1, 0)}.Encode()}}}, "\x00j1")), ErrNoPlace, "start the program once"},
		"a message to several units":     {unit, string(recordOf(partition.Record{Last: 1, Sends: []partition.Send{{Seq: 1, To: 1, Unit: unit, Body: layout.Command{Units: []string{unit}}.Encode()}}}, "\x00j1")), ErrNoPlace, "start the program once"},
		"a record that is of no machine": {unit, string(recordOf(partition.Record{}, "")) + "\x07", engine.ErrStateLost, "newer one"},
	} {
		l, dir := newLogs(2), filepath.Join(t.TempDir(), "to")
		l.set(t, 0, c.key, []byte(c.value))
		from, err := OpenLogs(l)
		if err == nil {
			_, err = Copy(from, &FolderTarget{Dir: dir, Create: true}, func(int, int) {}, func() error { return nil })
		}
		if !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: a folder is made: %v", name, err)
		}
	}
}

func second(_, _, unit string) string { return unit }

// untouched is a target that must not be made.
type untouched struct {
	Target
	t *testing.T
}

func (u untouched) Fill(map[string]string, func(func(Item) error) error, func() error) error {
	u.t.Error("the target is made")
	return nil
}

// TestWhole holds that there is no copy if a source has changed, or what comes last fails; and that
// a copy is held against what was put into it.
func TestWhole(t *testing.T) {
	dir := folder(t, map[string]string{layout.Records("kind") + "a": string(layout.Begin(nil, 0)) + "\x00j1"})
	to := filepath.Join(t.TempDir(), "to")
	broken := errors.New("it is broken")
	l := newLogs(1)
	copies(t, opens(t, dir), &LogsTarget{Logs: l})
	from := reads(t, l)
	for name, c := range map[string]struct {
		source Source
		last   error
		want   error
	}{"what comes last fails": {from, broken, broken}, "the source grows": {&growing{from, 0}, nil, ErrChanged}} {
		_, err := Copy(c.source, &FolderTarget{Dir: to, Create: true}, func(int, int) {}, func() error { return c.last })
		if entries, _ := os.ReadDir(to); !errors.Is(err, c.want) || len(entries) > 0 {
			t.Errorf("%s: %v; the folder has %v", name, err, entries)
		}
	}
	_, err := Copy(from, &LogsTarget{Logs: forgetful{newLogs(2)}}, func(int, int) {}, func() error { return nil })
	if !errors.Is(err, engine.ErrStateLost) {
		t.Errorf("a store that forgets: %v", err)
	}
	copies(t, from, &FolderTarget{Dir: to})
}

// growing is a source that has more each time.
type growing struct {
	Source
	reads int
}

func (g *growing) Each(each func(Item) error) error {
	g.reads++
	for range g.reads {
		if err := g.Source.Each(each); err != nil {
			return err
		}
	}
	return nil
}

// forgetful is a store that says that it has done what it has not.
type forgetful struct{ logs }

func (f forgetful) Swap(_ int, _ []engine.Write, _ uint64, done func(uint64, error)) { done(1, nil) }

// TestWakes holds that a copy has each unit be woken when its first timer is due, as its record and
// the entry beside it say, in each sort of store.
func TestWakes(t *testing.T) {
	timers := []layout.Timer{{Name: "a", Due: time.Unix(9, 0), Arg: []byte("1")}, {Name: "b", Due: time.Unix(7, 0), Arg: []byte("1")}}
	unit := layout.Records("kind") + "a"
	dir := folder(t, map[string]string{unit: string(layout.Begin(timers, 0)) + "\x00j1", layout.Records("kind") + "b": string(layout.Begin(nil, 0)) + "\x00j1"})
	l, back := newLogs(1), filepath.Join(t.TempDir(), "back")
	if c := copies(t, opens(t, dir), &LogsTarget{Logs: l}); c.Timers != 2 {
		t.Errorf("%+v", c)
	}
	copies(t, reads(t, l), &FolderTarget{Dir: back, Create: true})
	want := time.Unix(7, 0)
	holds := func(what string, wake []byte) {
		t.Helper()
		if at, _, err := layout.CutWake(wake); err != nil || !at.Equal(want) {
			t.Errorf("%s is to be woken at %v, %v", what, at, err)
		}
	}
	wakes := 0
	l.Each(func(_ int, key string, value []byte) {
		switch {
		case key == unit:
			_, rest, err := partition.DecodeRecord(value)
			if err != nil {
				t.Error(err)
			}
			holds("the record", rest)
		case key[:1] == layout.Wake:
			wakes++
			holds(key, value)
		}
	})
	err := opens(t, back).Scan([]byte(layout.Wake), nil, func(key, value []byte) error {
		wakes++
		holds(string(key), value)
		return nil
	})
	if err != nil || wakes != 2 {
		t.Errorf("%d wakes, %v", wakes, err)
	}
}
