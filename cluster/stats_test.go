package cluster

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/cluster/internal/layout"
	"github.com/freerun-go/freerun/internal/figures"
)

var (
	// fall is told, and panics each time.
	fall = freerun.Op("fall", func(_ *freerun.Context, _ *book, id int) (int, error) { panic(fmt.Sprint("fall ", id)) })
	// topple tells a book to fall.
	topple = freerun.Op("topple", func(c *freerun.Context, _ *book, to int) (int, error) {
		return 0, fall.Tell(c, books.At(c, to), 1)
	})
)

// awaitStats waits until the figures are as they should be.
func awaitStats(t *testing.T, n *Node, what string, are func(s Stats) bool) Stats {
	t.Helper()
	for end := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
		switch s := n.Stats(); {
		case are(s):
			return s
		case time.Now().After(end):
			t.Fatalf("%s: %+v", what, s)
		}
	}
}

// miscounted says how the figures of a node without traffic differ from what its store has.
func miscounted(n *Node, f *fickle) (problems []string) {
	entries, s := map[string]int{}, n.Stats()
	_ = f.Scan(nil, nil, func(key, _ []byte) error { entries[string(key[:1])]++; return nil })
	if s.Deliveries != entries[layout.Sent] || s.Failures != entries[layout.Failure] || s.LeftNow > s.Deliveries || s.Waiting > s.Deliveries {
		problems = append(problems, fmt.Sprintf("counted are %+v; stored are %v", s, entries))
	}
	return problems
}

func end(t *testing.T, rt *freerun.Runtime, n *Node) {
	t.Helper()
	var left *freerun.ShutdownError // deliveries that are tried again, and outcomes on their way
	if err := rt.Close(); err != nil && !(errors.As(err, &left) && len(left.Running) == 0) {
		t.Error(err)
	}
	if err := n.Close(); err != nil {
		t.Error(err)
	}
}

// TestStatsOfTheStart: what earlier processes have left is counted, until it has had its effect.
func TestStatsOfTheStart(t *testing.T) {
	entries := leftOver(t, unnoted)
	f := newFickle(entries, sound)
	rt, n := joined(t, f)
	s := awaitStats(t, n, "two are told to a damaged book", func(s Stats) bool { return s.LeftNow == 2 })
	if s.Left != 6 || s.Deliveries != 2 || s.Waiting != 2 || s.Replay != 0 || s.Opening <= 0 || s.Failures != 0 {
		t.Errorf("%+v", s)
	}
	for _, problem := range miscounted(n, f) {
		t.Error(problem)
	}
	end(t, rt, n)

	delete(entries, layout.Unit+"book\x001")
	f = newFickle(entries, sound)
	rt, n = joined(t, f)
	s = awaitStats(t, n, "the book is well", func(s Stats) bool { return s.LeftNow == 0 && s.Replay > 0 })
	if s.Left != 2 || s.Deliveries != 0 || s.Waiting != 0 {
		t.Errorf("%+v", s)
	}
	end(t, rt, n)

	f = newFickle(entries, sound)
	rt, n = joined(t, f)
	if s := n.Stats(); s.Left != 0 || s.LeftNow != 0 || s.Replay != 0 {
		t.Errorf("nothing is left: %+v", s)
	}
	end(t, rt, n)
}

// TestStatsOfFailures: recorded failures are counted, those of a suspect and those of a panic,
// until they are dropped, or delivered again with effect.
func TestStatsOfFailures(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	entries := leftOver(t, alone)
	delete(entries, layout.Unit+"book\x001")
	f := newFickle(entries, sound)
	rt, n := joined(t, f)
	count := func(failures, deliveries int) {
		t.Helper()
		awaitStats(t, n, fmt.Sprintf("%d failures, %d deliveries", failures, deliveries), func(s Stats) bool { return s.Failures == failures && s.Deliveries == deliveries })
		for _, problem := range miscounted(n, f) {
			t.Error(problem)
		}
	}
	count(6, 0)
	if s := n.Stats(); s.Left != 6 || s.LeftNow != 0 {
		t.Errorf("%+v", s)
	}
	if err := n.Drop(ctx, 1); err != nil {
		t.Error(err)
	}
	count(5, 0)
	if err := n.Drop(ctx, 1); err == nil {
		t.Error("it is dropped twice")
	}
	count(5, 0)
	if err := n.Retry(ctx, 2); err != nil {
		t.Error(err)
	}
	count(4, 0)
	if _, err := topple.Call(ctx, books.At(rt.Context(), 0), 2); err != nil {
		t.Error(err)
	}
	count(5, 0)
	end(t, rt, n)

	f = newFickle(entries, sound)
	rt, n = joined(t, f)
	count(5, 0) // by another process
	end(t, rt, n)
}

// TestStatsOfTheStore: commits, their writes and syncs, and the size of the file are those of the
// store; active units are by kinds.
func TestStatsOfTheStore(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	for _, options := range [][]LocalOption{{Create()}, {Create(), SyncEvery(time.Millisecond)}} {
		rt := freerun.New()
		n, err := Join(rt, Local(t.TempDir(), options...))
		if err != nil {
			t.Fatal(err)
		}
		const units, each = 3, 4
		for i := range units * each {
			if _, err := note.Call(ctx, books.At(rt.Context(), i%units), step{ID: i + 1_000_000, Tells: -1}); err != nil && err != errOdd {
				t.Fatal(err)
			}
		}
		synced := len(options) == 1
		s := awaitStats(t, n, "syncs", func(s Stats) bool { return s.Syncs > 0 })
		if s.Commits != units*each || s.Writes != units*each || s.Bytes == 0 || s.LastBatch != 1 || s.LargestBatch != 1 || s.FileSize == 0 || synced && s.Syncs != s.Commits {
			t.Errorf("%+v", s)
		}
		if s.CommitTime < s.LongestCommit || s.LongestCommit < s.LastCommit || s.LastCommit <= 0 || s.SyncTime < s.LongestSync || s.LongestSync < s.LastSync || s.LastSync <= 0 || synced && s.SyncTime > s.CommitTime {
			t.Errorf("%+v", s)
		}
		if s.Active["book"] != units {
			t.Errorf("active: %v", s.Active)
		}
		if _, err := books.Stop(rt.Context(), 1).Wait(ctx); err != nil {
			t.Error(err)
		}
		if s := n.Stats(); s.Active["book"] != units-1 {
			t.Errorf("active after a stop: %v", s.Active)
		}
		end(t, rt, n)
		if s := n.Stats(); s.Commits != units*each || s.Active["book"] != 0 {
			t.Errorf("after Close: %+v", s)
		}
	}
}

// TestStatsAreShown: what shows the figures of a runtime has those of its node, each that was
// declared, until the node is closed.
func TestStatsAreShown(t *testing.T) {
	f := newFickle(map[string][]byte{}, sound)
	rt, n := joined(t, f)
	if _, err := look.Call(t.Context(), books.At(rt.Context(), 5), struct{}{}); err != nil {
		t.Fatal(err)
	}
	values := map[*figures.Figure]float64{}
	for _, v := range figures.Of(rt) {
		if v.Of == activeUnits && v.Label != "book" {
			continue
		}
		values[v.Of] = v.Value
	}
	if values[activeUnits] != 1 {
		t.Errorf("%v units are active", values[activeUnits])
	}
	document, err := os.ReadFile("../docs/live.md")
	if err != nil {
		t.Fatal(err)
	}
	opening := 0
	for _, d := range figures.Declared() {
		if !strings.HasPrefix(d.Name, "durable.") {
			continue
		}
		ofShared := d == machinesThere || d == partitionsDue || slices.ContainsFunc(sharedShown, func(f shown) bool { return f.Figure == d })
		if _, there := values[d]; there == ofShared || !strings.HasSuffix(d.Help, ".") || d.Unit == "" {
			t.Errorf("%+v is shown: %v", d, there)
		}
		if !strings.Contains(string(document), "`freerun_"+d.Metric()+"`") {
			t.Errorf("docs/live.md does not mention freerun_%s", d.Metric())
		}
		if d.Name == "durable.opening" && values[d] > 0 {
			opening++
		}
	}
	if opening != 1 {
		t.Error("the opening took no time")
	}
	end(t, rt, n)
	if left := figures.Of(rt); len(left) > 0 {
		t.Errorf("after Close: %v", left)
	}
}

// TestMiscounted is the control of the checks above: figures that are off by one are found.
func TestMiscounted(t *testing.T) {
	f := newFickle(map[string][]byte{}, sound)
	rt, n := joined(t, f)
	if problems := miscounted(n, f); len(problems) > 0 {
		t.Error(problems)
	}
	n.outbox.counts.opens(1)
	if len(miscounted(n, f)) == 0 {
		t.Error("a delivery too many is not found")
	}
	n.outbox.counts.opens(-1)
	f.mu.Lock()
	more := maps.Clone(f.entries)
	more[layout.Failure+"x"] = []byte{0}
	f.entries = more
	f.mu.Unlock()
	if len(miscounted(n, f)) == 0 {
		t.Error("a failure that is not counted is not found")
	}
	end(t, rt, n)
}

// TestSyncNever: a store that never syncs has no syncs, and what it was given.
func TestSyncNever(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	dir := t.TempDir()
	for life := range 3 {
		rt := freerun.New()
		n, err := Join(rt, Local(dir, Create(), SyncNever()))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := note.Call(ctx, books.At(rt.Context(), 1), step{ID: life + 2_000_000, Tells: -1}); err != nil {
			t.Fatal(err)
		}
		if s := n.Stats(); s.Commits != 1 || s.Syncs != 0 {
			t.Errorf("%d commits, %d syncs", s.Commits, s.Syncs)
		}
		b, err := look.Call(ctx, books.At(rt.Context(), 1), struct{}{})
		if err != nil || len(b.Ran) != life+1 {
			t.Errorf("life %d: %v, %v", life, b, err)
		}
		end(t, rt, n)
	}
}
