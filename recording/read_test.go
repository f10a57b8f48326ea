package recording_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/freerun-go/freerun/internal/record"
	"github.com/freerun-go/freerun/recording"
)

// TestRead holds what a recording says, event by event.
func TestRead(t *testing.T) {
	tr := twoChildren().read(t)
	if tr.Program != "script" || tr.Processors != 2 || tr.Sent != 3 || tr.Lost != 0 || !tr.Virtual || tr.End != 340 {
		t.Errorf("the recording: %+v", tr)
	}
	if !slices.Equal(tr.Operations, []string{"", "outer", "inner"}) {
		t.Errorf("the operations: %q", tr.Operations)
	}
	if want := []recording.Unit{{}, {State: "int", Address: 0x100}, {State: "string", Address: 0x200}, {State: "string", Address: 0x300}}; !slices.Equal(tr.Units, want) {
		t.Errorf("the units: %+v, and should be %+v", tr.Units, want)
	}
	var kinds []string
	for _, e := range tr.Events {
		kinds = append(kinds, e.Kind.String())
	}
	want := "send, park, run begin, send, unpark, steal, run begin, send, run end, run begin, run end, run end"
	if got := strings.Join(kinds, ", "); got != want {
		t.Errorf("the events are %s, and should be %s", got, want)
	}
	m := tr.Messages()[2]
	if m.Sender != 1 || !m.Moved || m.Waited != 10 || m.Ran != 200 || m.End != 340 {
		t.Errorf("the second message: %+v", m)
	}
	var busy []recording.Slice
	for _, s := range tr.Slices() {
		if s.Kind == recording.KindRunBegin {
			busy = append(busy, s)
		}
	}
	if len(busy) != 3 || busy[0].End != 200 || busy[1].Processor != 1 || busy[2].Begin != 200 || busy[2].End != 260 {
		t.Errorf("the slices: %+v", busy)
	}
}

// TestReadPartly cuts a recording off at each of its bytes, and spoils each byte. There is an error
// each time, and what comes before is kept.
func TestReadPartly(t *testing.T) {
	s := twoChildren()
	var w bytes.Buffer
	out := record.NewStream(&w, record.Header{Program: "script", Processors: 2, Virtual: true}, &s.names, false)
	out.Tell()
	out.Drain(1, s.tapes[1])
	out.Tell()
	whole := w.Len()
	out.Drain(2, s.tapes[2])
	if err := out.End(record.Trailer{Ticks: 340}); err != nil {
		t.Fatal(err)
	}
	file := w.Bytes()
	for n := range file {
		tr, err := recording.Read(bytes.NewReader(file[:n]))
		if n == 0 && !errors.Is(err, recording.ErrNotATrace) || n > 0 && !errors.Is(err, recording.ErrTruncated) {
			t.Fatalf("cut off after %d bytes: %v", n, err)
		}
		if n >= whole && tr.Sent == 0 {
			t.Fatalf("cut off after %d bytes: nothing is left of what was before", n)
		}
	}
	for n := range file {
		spoilt := bytes.Clone(file)
		spoilt[n] ^= 0x55
		tr, err := recording.Read(bytes.NewReader(spoilt))
		if !errors.Is(err, recording.ErrTruncated) && !errors.Is(err, recording.ErrNotATrace) && !errors.Is(err, recording.ErrBroken) {
			t.Fatalf("with byte %d spoilt: %v", n, err)
		}
		if n >= whole && tr.Sent == 0 {
			t.Fatalf("with byte %d spoilt: nothing is left of what was before", n)
		}
	}
	fault := errors.New("the disk is gone")
	tr, err := recording.Read(iotest.TimeoutReader(bytes.NewReader(file)))
	if !errors.Is(err, iotest.ErrTimeout) && err != nil {
		t.Errorf("a reader that fails gives %v, %v", tr, err)
	}
	if tr, err := recording.Read(iotest.ErrReader(fault)); tr != nil || !errors.Is(err, fault) {
		t.Errorf("a reader that fails at once gives %v, %v", tr, err)
	}
}

// TestReadLost has a tape run full, and go on once it has room.
func TestReadLost(t *testing.T) {
	s := newScript(1)
	var w bytes.Buffer
	out := record.NewStream(&w, record.Header{Virtual: true, Processors: 1}, &s.names, false)
	const many = 10_000
	for i := range uint64(many) {
		s.at(10+2*i, 0, record.Begin, opInner, 16*(i+1), 0)
	}
	lost := s.tapes[1].Lost()
	out.Drain(1, s.tapes[1])
	s.at(30_000, 0, record.Begin, opOuter, 16, 0)
	s.at(30_010, 0, record.Pause, 0, 0, 0)
	out.Drain(1, s.tapes[1])
	if err := out.End(record.Trailer{Ticks: s.now, Lost: []uint64{0, lost}}); err != nil {
		t.Fatal(err)
	}
	tr, err := recording.Read(&w)
	if err != nil {
		t.Fatal(err)
	}
	ran, gap := 0, int32(0)
	for _, e := range tr.Events {
		switch e.Kind {
		case recording.KindRunBegin:
			ran++
		case recording.KindLost:
			gap += e.N
		}
	}
	if lost == 0 || tr.Lost != lost || uint64(gap) != lost || uint64(ran)+lost != many+1 {
		t.Errorf("%d events were lost; the recording says %d, its events %d, and %d messages are left of %d", lost, tr.Lost, gap, ran, many+1)
	}
}

// TestChrome reads what WriteChrome writes.
func TestChrome(t *testing.T) {
	var w bytes.Buffer
	if err := twoChildren().read(t).WriteChrome(&w); err != nil {
		t.Fatal(err)
	}
	var file struct {
		TraceEvents []struct {
			Name, Ph string
			Ts, Dur  float64
			Tid, ID  int
		}
	}
	if err := json.Unmarshal(w.Bytes(), &file); err != nil {
		t.Fatal(err)
	}
	phases := map[string]int{}
	for _, e := range file.TraceEvents {
		phases[e.Ph]++
		if e.Ph == "X" && e.Name == "outer" && (e.Ts != 0.1 || e.Dur != 0.1 || e.Tid != 1) {
			t.Errorf("the first message: %+v", e)
		}
	}
	if phases["X"] != 4 || phases["s"] != 3 || phases["f"] != 3 || phases["i"] != 1 || phases["M"] != 4 {
		t.Errorf("events by phase: %v", phases)
	}
}

// FuzzRead reads arbitrary bytes: Read returns an error or a recording that can be used, and takes
// no more memory than the file has.
func FuzzRead(f *testing.F) {
	file := twoChildren().file(f)
	f.Add(file)
	f.Add(file[:len(file)/2])
	f.Add([]byte(record.Magic))
	f.Fuzz(func(t *testing.T, file []byte) {
		tr, err := recording.Read(bytes.NewReader(file))
		if tr == nil {
			if err == nil {
				t.Fatal("neither a recording nor an error")
			}
			return
		}
		a := recording.Analyze(tr)
		if a.Span > a.Work {
			t.Errorf("span %d is more than work %d", a.Span, a.Work)
		}
		tr.Messages()
		tr.Slices()
	})
}

// FuzzEvents puts arbitrary events onto tapes, with correct checksums, which a fuzzer does not
// find.
func FuzzEvents(f *testing.F) {
	f.Add([]byte{1, 0, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 9})
	f.Fuzz(func(t *testing.T, b []byte) {
		var words []uint64
		for ; len(b) >= 4; b = b[4:] {
			// Kind, flag and operation come from a byte each; times and addresses are small, so
			// that they meet.
			if b[0]%2 == 0 {
				words = append(words, uint64(b[1]))
			} else {
				words = append(words, uint64(b[1])|uint64(b[2]%4)<<8|uint64(b[3])<<24)
			}
		}
		var w bytes.Buffer
		names := new(record.Names)
		out := record.NewStream(&w, record.Header{Virtual: true}, names, false)
		out.Words(1, append([]uint64{uint64(record.Chunk), 0, 0}, words...))
		if err := out.End(record.Trailer{}); err != nil {
			t.Fatal(err)
		}
		tr, err := recording.Read(&w)
		if tr == nil {
			t.Fatal(err)
		}
		last := int64(0)
		for _, e := range tr.Events {
			if e.Time < last || int(e.Message) > tr.Sent || int(e.Unit) >= len(tr.Units) || int(e.Operation) >= len(tr.Operations) {
				t.Fatalf("event %+v, after time %d, with %d messages, %d units, %d operations", e, last, tr.Sent, len(tr.Units), len(tr.Operations))
			}
			last = e.Time
		}
		recording.Analyze(tr)
		tr.Messages()
		tr.Slices()
	})
}
