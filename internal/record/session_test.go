package record_test

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/freerun-go/freerun/internal/record"
)

// stream is a recording, read.
type stream struct {
	header  record.Header
	words   map[uint32][]uint64 // by tape
	trailer record.Trailer
}

func readStream(t *testing.T, file []byte) stream {
	t.Helper()
	rest, found := bytes.CutPrefix(file, []byte(record.Magic))
	if !found {
		t.Fatalf("the stream begins with %q", file[:min(len(file), 20)])
	}
	s, last := stream{words: map[uint32][]uint64{}}, byte(0)
	for len(rest) > 0 {
		kind, size := rest[0], binary.LittleEndian.Uint32(rest[1:])
		contents := rest[record.BlockHead:][:size]
		rest, last = rest[record.BlockHead+size:], kind
		var err error
		switch kind {
		case record.BlockHeader:
			err = json.Unmarshal(contents, &s.header)
		case record.BlockTrailer:
			err = json.Unmarshal(contents, &s.trailer)
		case record.BlockEvents:
			tape := binary.LittleEndian.Uint32(contents)
			for word := contents[4:]; len(word) > 0; word = word[8:] {
				s.words[tape] = append(s.words[tape], binary.LittleEndian.Uint64(word))
			}
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if last != record.BlockTrailer {
		t.Fatalf("the last block is %c", last)
	}
	return s
}

// count returns how many events of a kind the words have.
func count(words []uint64, k record.Kind) (n int) {
	r := record.NewReader(words)
	for e, ok := r.Next(); ok; e, ok = r.Next() {
		if e.Kind == k {
			n++
		}
	}
	return n
}

// TestSessionDrained has a processor that is added late and four goroutines write while the session
// is drained, and finds all events.
func TestSessionDrained(t *testing.T) {
	const events, goroutines = 5000, 4
	s := record.NewSession(1, false, 1, record.Clock{})
	var file bytes.Buffer
	looks := 0
	stop, err := s.Drain(&file, func() { looks++ })
	if err != nil {
		t.Fatal(err)
	}
	var all, begun sync.WaitGroup
	begun.Add(goroutines)
	for range goroutines {
		all.Go(func() {
			// They are all there at once: a goroutine that begins when another one has ended may
			// be the same one for the tape.
			begun.Done()
			begun.Wait()
			for i := range uint64(100) {
				s.Outside.Note(record.Seen, 0, i, 0)
			}
		})
	}
	tape := s.Tape(2)
	for i := range uint64(events) {
		tape.Note(record.Ready, 0, false, i, 0)
		if i%100 == 0 {
			time.Sleep(time.Millisecond) // the drainer gets a turn
		}
	}
	all.Wait()
	if err := stop(); err != nil {
		t.Fatal(err)
	}
	got := readStream(t, file.Bytes())
	lost := 0
	for _, n := range got.trailer.Lost {
		lost += int(n)
	}
	if n := count(got.words[0], record.Seen) + count(got.words[3], record.Ready) + lost; n != events+100*goroutines {
		t.Errorf("%d events are there or counted as lost, %d were recorded", n, events+100*goroutines)
	}
	if n := count(got.words[0], record.Goroutine); n < goroutines {
		t.Errorf("the tape outside tells of %d goroutines, %d have written", n, goroutines)
	}
	if got.header.Virtual || got.header.Processors != 1 || got.trailer.Processors != 3 || looks == 0 {
		t.Errorf("header %+v, trailer %+v, %d looks", got.header, got.trailer, looks)
	}
}

// TestSessionLast takes what a session keeps, twice.
func TestSessionLast(t *testing.T) {
	now, begun := uint64(6), time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)
	s := record.NewSession(1, true, 2, record.Clock{Start: begun, Ticks: func() uint64 { now++; return now }})
	s.Tape(1).Note(record.Ready, 0, false, 1, 0)
	for want := 1; want <= 2; want++ {
		s.Outside.Note(record.Seen, 0, 1, 0)
		var file bytes.Buffer
		if err := s.Last(&file); err != nil {
			t.Fatal(err)
		}
		got := readStream(t, file.Bytes())
		if n := count(got.words[0], record.Seen); n != want || count(got.words[2], record.Ready) != 1 {
			t.Errorf("%d events outside, want %d; by tape: %v", n, want, got.words)
		}
		if h := got.header; !h.Virtual || !h.Window || h.Ticks != 7 || !h.Start.Equal(begun) || got.trailer.Lost != nil {
			t.Errorf("header %+v, trailer %+v", h, got.trailer)
		}
	}
}

type full struct{ err error }

func (f full) Write([]byte) (int, error) { return 0, f.err }

// TestSessionErrors: the errors of writers.
func TestSessionErrors(t *testing.T) {
	noRoom := errors.New("no room")
	s := record.NewSession(1, false, 1, record.Clock{})
	if stop, err := s.Drain(full{noRoom}, func() {}); stop != nil || !errors.Is(err, noRoom) {
		t.Errorf("a writer that fails gives %v", err)
	}
	if err := record.NewSession(1, true, 1, record.Clock{}).Last(full{noRoom}); !errors.Is(err, noRoom) {
		t.Errorf("a writer that fails gives %v", err)
	}
}
