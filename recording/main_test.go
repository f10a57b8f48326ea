package recording_test

import (
	"bytes"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/freerun-go/freerun/internal/record"
	"github.com/freerun-go/freerun/recording"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var (
	opOuter = record.Declare(record.Operation{Name: "outer", State: "int"})
	opInner = record.Declare(record.Operation{Name: "inner", State: "string"})
)

// script is a recording that a test writes by hand, in virtual time: at nanoseconds of its choice.
type script struct {
	now   uint64
	names record.Names
	tapes []*record.Tape
}

func newScript(processors int) *script {
	s := &script{}
	for range processors + 1 {
		s.tapes = append(s.tapes, record.NewTape(1<<14, false, func() uint64 { return s.now }, &s.names))
	}
	return s
}

// at records an event at a time; processor −1 is outside.
func (s *script) at(now uint64, processor int, k record.Kind, operation uint16, a, b uint64) {
	s.now = now
	s.tapes[processor+1].Note(k, operation, false, a, b)
	s.tapes[processor+1].Publish()
}

// file returns what is written of the recording up to now.
func (s *script) file(t testing.TB) []byte {
	t.Helper()
	var w bytes.Buffer
	out := record.NewStream(&w, record.Header{Start: time.Unix(1, 0), Program: "script", Processors: len(s.tapes) - 1, Virtual: true}, &s.names, false)
	lost := []uint64{}
	for i, tape := range s.tapes {
		out.Drain(i, tape)
		lost = append(lost, tape.Lost())
	}
	if err := out.End(record.Trailer{Ticks: s.now, Processors: len(s.tapes) - 1, Lost: lost}); err != nil {
		t.Fatal(err)
	}
	return w.Bytes()
}

func (s *script) read(t testing.TB) *recording.Trace {
	t.Helper()
	tr, err := recording.Read(bytes.NewReader(s.file(t)))
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

// twoChildren is a message, 16, that runs from 100 to 200 and sends 32 at 130 and 48 at 190. These
// run on two processors: 32 from 140 to 340, and 48 from 200 to 260 on the first processor again.
func twoChildren() *script {
	s := newScript(2)
	s.at(50, -1, record.Goroutine, 0, 0x1000, 0)
	s.at(50, -1, record.Send, opOuter, 16, 0x100)
	s.at(60, 1, record.Park, 0, 0, 0)
	s.at(100, 0, record.Begin, opOuter, 16, 0x100)
	s.at(130, 0, record.Send, opInner, 32, 0x200)
	s.at(135, 1, record.Unpark, 0, 0, 0)
	s.at(136, 1, record.Steal, 0, 0<<32|1, 0)
	s.at(140, 1, record.Begin, opInner, 32, 0x200)
	s.at(190, 0, record.Send, opInner, 48, 0x300)
	s.at(200, 0, record.Begin, opInner, 48, 0x300)
	s.at(260, 0, record.Pause, 0, 0, 0)
	s.at(340, 1, record.Pause, 0, 0, 0)
	return s
}
