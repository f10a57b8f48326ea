package record_test

import (
	"sync/atomic"
	"testing"

	"github.com/freerun-go/freerun/internal/record"
)

// write records n events with consecutive numbers from the given one on. The clock shows the
// number.
func write(t *record.Tape, now *uint64, from, n uint64) {
	for i := from; i < from+n; i++ {
		*now = 10 * i
		switch i % 3 {
		case 0:
			t.Note(record.Begin, uint16(i), i%2 == 0, i, i)
		case 1:
			t.Note(record.Ready, uint16(i), i%2 == 0, i, 0)
		default:
			t.Note(record.Send, uint16(i), i%2 == 0, i, i)
			t.Publish()
		}
	}
}

// check reads words and checks that their events are whole and consecutive. It returns the first
// number, one after the last, and the number of lost events by the chunks.
func check(t testing.TB, words []uint64) (from, to, lost uint64) {
	t.Helper()
	r := record.NewReader(words)
	for {
		e, ok := r.Next()
		if !ok {
			break
		}
		if e.Kind == record.Chunk {
			if e.B != lost { // the next event has a later number
				lost, to = e.B, 0
			}
			continue
		}
		if e.Ticks != 10*e.A || e.Operation != uint16(e.A) || e.Flag != (e.A%2 == 0) || e.B != 0 && e.B != e.A {
			t.Fatalf("event %+v", e)
		}
		if to != 0 && e.A != to {
			t.Fatalf("event %d comes after %d", e.A, to-1)
		}
		if to == 0 && from == 0 {
			from = e.A
		}
		to = e.A + 1
	}
	if r.Broken() {
		t.Fatal("the words are broken")
	}
	return from, to, lost
}

// TestTapeDrained drains a tape now and then and gets all that was written.
func TestTapeDrained(t *testing.T) {
	now := uint64(0)
	tape := record.NewTape(1, false, func() uint64 { return now }, new(record.Names))
	var words []uint64
	next := uint64(1)
	for range 50 {
		write(tape, &now, next, 100)
		next += 100
		words = tape.Drain(words)
	}
	if from, to, lost := check(t, words); from != 1 || to != next || lost != 0 {
		t.Errorf("events %d to %d, %d lost; they are 1 to %d, and none was", from, to-1, lost, next-1)
	}
}

// TestTapeFull writes more than fits: the first events are there, later ones are counted, and the
// tape goes on once it has room.
func TestTapeFull(t *testing.T) {
	now := uint64(0)
	tape := record.NewTape(1, false, func() uint64 { return now }, new(record.Names))
	write(tape, &now, 1, 5000)
	words := tape.Drain(nil)
	_, to, _ := check(t, words)
	if to+tape.Lost() != 5001 || tape.Lost() == 0 {
		t.Fatalf("the first %d events are there, and %d were lost, of 5000", to-1, tape.Lost())
	}
	write(tape, &now, 5001, 10)
	if _, to, lost := check(t, tape.Drain(words)); to != 5011 || lost != tape.Lost() {
		t.Errorf("after the gap: up to %d, %d lost; it should be 5010, and %d", to-1, lost, tape.Lost())
	}
}

// TestTapeOverwrites holds that the last events are kept.
func TestTapeOverwrites(t *testing.T) {
	for _, n := range []uint64{1, 100, 600, 1000, 5000, 12_345} {
		now := uint64(0)
		tape := record.NewTape(1, true, func() uint64 { return now }, new(record.Names))
		write(tape, &now, 1, n)
		from, to, lost := check(t, tape.Last(nil))
		if to != n+1 || lost != 0 || n < 400 && from != 1 || n > 5000 && (from == 1 || to-from < 100) {
			t.Errorf("of %d events %d to %d are there, and %d were lost", n, from, to-1, lost)
		}
	}
}

// TestTapeLeap records events with pauses that the lowest bits of the clock cannot tell.
func TestTapeLeap(t *testing.T) {
	now := uint64(0)
	tape := record.NewTape(1, false, func() uint64 { return now }, new(record.Names))
	times := []uint64{5, 1 << 30, 1 << 41, 1<<41 + 7, 1<<41 + 6, 1 << 50, 1 << 62}
	for _, now = range times {
		tape.Note(record.Park, 0, false, 0, 0)
	}
	times[4] = times[3] // the clock was read a little early
	r := record.NewReader(tape.Drain(nil))
	for i := 0; i < len(times); {
		e, ok := r.Next()
		if !ok {
			t.Fatalf("event %d is not there", i)
		}
		if e.Kind == record.Chunk {
			continue
		}
		if e.Ticks != times[i] {
			t.Errorf("event %d at %d, not %d", i, e.Ticks, times[i])
		}
		i++
	}
}

// TestTapeStress has one goroutine write and another read at the same time, on both kinds of tape.
func TestTapeStress(t *testing.T) {
	const many = 300_000
	for _, overwrites := range []bool{false, true} {
		now := uint64(0)
		tape := record.NewTape(1, overwrites, func() uint64 { return now }, new(record.Names))
		var done atomic.Bool
		go func() {
			defer done.Store(true)
			write(tape, &now, 1, many)
		}()
		var words []uint64
		for last := false; !last; {
			last = done.Load()
			if overwrites {
				check(t, tape.Last(nil))
			} else {
				words = tape.Drain(words)
			}
		}
		if !overwrites {
			if _, _, lost := check(t, words); lost > tape.Lost() {
				t.Errorf("the chunks say that %d were lost, of %d", lost, tape.Lost())
			}
		}
	}
}
