package cluster

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/freerun-go/freerun/cluster/internal/layout"
)

// leftOver is a store as a process leaves it that ended in the middle of deliveries: what is told
// to books 0, 1, 2 twice, each with a note; the record of book 1 is damaged.
func leftOver(t *testing.T, is suspicion) map[string][]byte {
	f := newFickle(map[string][]byte{}, sound)
	rt, n := joined(t, f)
	for i := range 6 {
		b, err := n.stored["book"].ops["hear"].arg.append(nil, &[]int{i}[0])
		if err != nil {
			t.Fatal(err)
		}
		k := n.stored["book"]
		told := layout.Tell{Kind: "book", Key: []string{"0", "1", "2"}[i%3], Operation: "hear", Arg: b}
		d := &delivery{tell: tell{told, k, k.ops["hear"]}, number: uint64(i + 1)}
		f.entries[string(layout.Numbered(layout.Sent, d.number))] = d.Encode()
		if is != unnoted {
			w := d.noted(is)
			f.entries[string(w.Key)] = w.Value
		}
	}
	f.entries[layout.Unit+"book\x001"] = []byte{99}
	entries := f.crash() // Close would remove the notes
	rt.Close()
	_ = n.Close()
	return entries
}

// TestSuspectIsStuck holds that deliveries which are tried again and again, as their unit cannot be
// made active, hold up no others, are not suspected alone for that, and come once their unit is
// well again, in order. A node that is closed leaves no note.
func TestSuspectIsStuck(t *testing.T) {
	for _, is := range []suspicion{unnoted, together} {
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
		defer cancel()
		entries := leftOver(t, is)
		f := newFickle(entries, sound)
		rt, n := joined(t, f)
		hears(ctx, t, f, "0", "2")
		awaitEntries(ctx, t, f, func() bool {
			return f.entries[string(layout.Numbered(layout.Note, 2))][0] == byte(together)
		})
		if _, err := look.Call(ctx, books.At(rt.Context(), 1), struct{}{}); err == nil {
			t.Error("the damaged book can be read")
		}
		if err := rt.Shutdown(ctx); err != nil {
			t.Error(err)
		}
		if err := n.Close(); err != nil {
			t.Error(err)
		}
		for key := range entries {
			if strings.HasPrefix(key, layout.Note) {
				t.Errorf("Close leaves the note %q", key)
			}
		}

		delete(entries, layout.Unit+"book\x001")
		f = newFickle(entries, sound)
		rt, n = joined(t, f)
		hears(ctx, t, f, "0", "1", "2")
		for u := range 3 {
			b, err := look.Call(ctx, books.At(rt.Context(), u), struct{}{})
			if err != nil || len(b.Told) != 2 || b.Told[0] != u || b.Told[1] != u+3 {
				t.Errorf("book %d: %v, %v", u, b, err)
			}
		}
		rt.Close()
		_ = n.Close()
	}
}

// TestSuspectWithoutRoom holds that what is left waits for its note, and so for room in the store;
// and that one under which two processes ended becomes a failure as soon as there is room.
func TestSuspectWithoutRoom(t *testing.T) {
	for _, is := range []suspicion{unnoted, together, alone} {
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
		defer cancel()
		entries := leftOver(t, is)
		delete(entries, layout.Unit+"book\x001")
		f := newFickle(entries, sound)
		f.fails.Store(1000)
		rt, n := joined(t, f)
		awaitEntries(ctx, t, f, func() bool { return f.failed.Load() >= 3 })
		f.fails.Store(200)
		awaitDeliveries(ctx, t, f)
		failures := 0
		for _, err := range n.Failures() {
			if err != nil {
				t.Error(err)
			}
			failures++
		}
		if want := map[suspicion]int{alone: 6}[is]; failures != want {
			t.Errorf("noted as %d: %d failures, want %d", is, failures, want)
		}
		f.fails.Store(0)
		for u := range 3 {
			b, err := look.Call(ctx, books.At(rt.Context(), u), struct{}{})
			if err != nil || is != alone && (len(b.Told) != 2 || b.Told[0] != u || b.Told[1] != u+3) || is == alone && b.Told != nil {
				t.Errorf("noted as %d: book %d: %v, %v", is, u, b, err)
			}
		}
		rt.Close()
		_ = n.Close()
	}
}

// hears waits until nothing is left that was told to some books.
func hears(ctx context.Context, t *testing.T, f *fickle, keys ...string) {
	awaitEntries(ctx, t, f, func() bool {
		for at, entry := range f.entries {
			for _, key := range keys {
				if strings.HasPrefix(at, layout.Sent) && strings.Contains(string(entry), "book\x01"+key) {
					return false
				}
			}
		}
		return true
	})
}

// awaitEntries waits until the entries are as is says.
func awaitEntries(ctx context.Context, t *testing.T, f *fickle, is func() bool) {
	t.Helper()
	for {
		f.mu.Lock()
		there := is()
		f.mu.Unlock()
		if there {
			return
		}
		if time.Sleep(time.Millisecond); ctx.Err() != nil {
			t.Fatal("it does not come")
		}
	}
}
