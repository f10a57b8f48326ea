package ddb

import (
	"strconv"
	"testing"

	"github.com/freerun-go/freerun"
)

// TestWatchIsLinear: a connection that watches many keys makes one part for each shard, and sends
// no key twice.
func TestWatchIsLinear(t *testing.T) {
	s, addr := serve(t, Config{Shards: 3})
	c := dial(t, addr)
	const n = 100_000
	watch := []string{"WATCH"}
	for i := range n {
		watch = append(watch, "key"+strconv.Itoa(i))
	}
	before := s.rt.Stats().Sent
	c.expect("+OK\r\n", watch...)
	c.expect("+OK\r\n", watch...)
	if sent := s.rt.Stats().Sent - before; sent > 3 {
		t.Errorf("%d messages to watch, and none to watch again; want 3", sent)
	}
	c.expect("+OK\r\n", "MULTI")
	c.expect("+QUEUED\r\n", "SET", "other", "v")
	c.expect("*1\r\n+OK\r\n", "EXEC")
	for range 2 {
		c.expect("+OK\r\n", watch...)
		other := dial(t, addr)
		other.expect("+OK\r\n", "SET", "key"+strconv.Itoa(n-1), "v")
		other.conn.Close()
		c.expect("+OK\r\n", "MULTI")
		c.expect("*-1\r\n", "EXEC")
	}
	c.expect("+OK\r\n", watch...)
	before = s.rt.Stats().Sent
	c.conn.Close()
	s.checkUnwatched(t)
	if sent := s.rt.Stats().Sent - before; sent > 6 { // three are the test's own
		t.Errorf("%d messages to forget the watches, want 3", sent-3)
	}
}

// TestWatchersOfOneKey: many clients may watch one key. A change marks all of their watchpoints
// once, and each client drops its own.
func TestWatchersOfOneKey(t *testing.T) {
	s, _ := serve(t, Config{Shards: 1})
	points := make([]*watchpoint, 1000)
	if _, err := freerun.Do(s.outside, s.units[0], func(_ *freerun.Context, s *shard) (struct{}, error) {
		s.begin()
		defer s.end()
		for i := range points {
			points[i] = &watchpoint{key: "k"}
			s.watch(points[i])
		}
		length := func() (n int) {
			for w := s.watched["k"]; w != nil; w = w.next {
				if n++; w.next != nil && w.next.prev != w {
					t.Error("the list of watchpoints is broken")
				}
			}
			return n
		}
		for i := 0; i < len(points); i += 3 { // the first, some in the middle, the last
			s.unwatch(points[i])
			s.unwatch(points[i])
		}
		if got, want := length(), len(points)-(len(points)+2)/3; got != want {
			t.Errorf("%d are up, want %d", got, want)
		}
		s.put(nil, []byte("k"), []byte("v"), 0)
		if n := len(s.watched); n != 0 {
			t.Errorf("%d keys are watched after the change", n)
		}
		for i, w := range points {
			if w.touched != (i%3 != 0) || w.up {
				t.Errorf("watchpoint %d: touched %t, up %t", i, w.touched, w.up)
			}
			s.unwatch(w)
		}
		return struct{}{}, nil
	}).Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
}
