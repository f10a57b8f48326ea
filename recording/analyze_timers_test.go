package recording_test

import (
	"testing"

	"github.com/freerun-go/freerun/internal/record"
	"github.com/freerun-go/freerun/recording"
)

// setsTimer is a message, 16, that runs from 100 to 200, and at 130 sets a timer for what is at an
// address.
func setsTimer(processors int, address uint64) *script {
	s := newScript(processors)
	s.at(10, -1, record.Goroutine, 0, 0x1000, 0)
	s.at(10, -1, record.Send, opOuter, 16, 0)
	s.at(100, 0, record.Begin, opOuter, 16, 0)
	s.at(130, 0, record.Timer, opInner, address, 0)
	s.at(200, 0, record.Pause, 0, 0, 0)
	return s
}

// rings has the timer of address fire, which sends sent from there.
func (s *script) rings(now uint64, address, sent uint64) {
	s.at(now-1, -1, record.Goroutine, 0, 0x2000, 0)
	s.at(now, -1, record.Fire, 0, address, 0)
	s.at(now, -1, record.Send, opInner, sent, 0)
}

func (s *script) runs(from, to uint64, address uint64) {
	s.at(from, 0, record.Begin, opInner, address, 0)
	s.at(to, 0, record.Pause, 0, 0, 0)
}

// TestAnalyzeTimer: the message of a timer follows from the one that has set the timer, and the
// wait counts in the span.
func TestAnalyzeTimer(t *testing.T) {
	s := setsTimer(1, 32)
	s.rings(1130, 32, 32)
	s.runs(1140, 1150, 32)
	tr := s.read(t)
	a := recording.Analyze(tr)
	if a.Work != 110 || a.Span != 30+1000+10 || a.Unknown != 0 || a.Elapsed != 1140 || !near(a.Busy, 110.0/1140) {
		t.Errorf("%+v; work is 110, span 1040, elapsed 1140, and each send is known", a)
	}
	want := []recording.Step{
		{Message: 1, Operation: 1, Begin: 100, End: 130},
		{Message: 2, Operation: 2, Processor: recording.Outside, Begin: 130, End: 1130},
		{Message: 2, Operation: 2, Begin: 1140, End: 1150},
	}
	if len(a.Path) != 3 || a.Path[0] != want[0] || a.Path[1] != want[1] || a.Path[2] != want[2] {
		t.Errorf("the critical path is %+v, and should be %+v", a.Path, want)
	}
	if m := tr.Messages()[2]; m.Sender != 1 || m.SentBy != recording.Outside || m.Sent != 1130 || m.Waited != 10 || m.Moved {
		t.Errorf("the timer's message: %+v", m)
	}
}

// TestAnalyzeTimerOfNeed: the outcome of a timer's message is asked for before the timer fires.
func TestAnalyzeTimerOfNeed(t *testing.T) {
	s := setsTimer(1, 32)
	s.at(210, -1, record.Send, opOuter, 48, 0)
	s.tapes[0].Add(record.Need, false, 48, 32)
	s.tapes[0].Publish()
	s.rings(1130, 32, 32)
	s.runs(1140, 1150, 32)
	s.at(1150, 0, record.Fulfilled, 0, 32, 0)
	s.runs(1160, 1180, 48)
	if a := recording.Analyze(s.read(t)); a.Work != 130 || a.Span != 30+1000+10+20 || a.Unknown != 0 || len(a.Path) != 4 {
		t.Errorf("%+v; work is 130, and the span 1060", a)
	}
}

// TestAnalyzeAfter: a message needs the future of a timer that sends nothing.
func TestAnalyzeAfter(t *testing.T) {
	s := setsTimer(1, 32)
	s.at(210, -1, record.Send, opOuter, 48, 0)
	s.tapes[0].Add(record.Need, false, 48, 32)
	s.tapes[0].Publish()
	s.at(630, -1, record.Fulfilled, 0, 32, 0)
	s.at(631, -1, record.Fulfilled, 0, 32, 0) // by the one that wakes the waiters
	s.runs(640, 660, 48)
	s.at(700, -1, record.Send, opOuter, 32, 0) // the address is used again
	s.runs(710, 720, 32)
	if a := recording.Analyze(s.read(t)); a.Work != 130 || a.Span != 30+500+20 || a.Unknown != 0 {
		t.Errorf("%+v; work is 130, and the span 550", a)
	}
}

// TestAnalyzeStoppedTimer: what comes to be at the address of a stopped timer follows from its own
// sender. The stopped timer is in the recording, without a message.
func TestAnalyzeStoppedTimer(t *testing.T) {
	s := setsTimer(1, 32)
	s.at(300, -1, record.Send, opInner, 32, 0)
	s.runs(310, 320, 32)
	tr := s.read(t)
	if a := recording.Analyze(tr); a.Work != 110 || a.Span != 100 || a.Unknown != 0 || tr.Sent != 2 {
		t.Errorf("%+v; work is 110, span 100, and two messages were sent, not %d", a, tr.Sent)
	}
	for _, e := range tr.Events {
		if e.Kind == recording.KindTimer && (e.Message != 0 || e.Other != 1 || e.Operation != 2) {
			t.Errorf("the timer: %+v", e)
		}
	}
}

// TestAnalyzeRepetition: each message of a repetition follows from the one before it, whose end has
// set the timer again. One instant is refused, and its timer set by the goroutine that fired it.
func TestAnalyzeRepetition(t *testing.T) {
	s := setsTimer(1, 0x100) // the address of the repetition
	s.rings(1130, 0x100, 32)
	s.at(1140, 0, record.Begin, opInner, 32, 0)
	s.at(1150, 0, record.Timer, opInner, 0x100, 0)
	s.at(1160, 0, record.Pause, 0, 0, 0)
	s.at(2130, -1, record.Fire, 0, 0x100, 0) // refused
	s.at(2131, -1, record.Timer, opInner, 0x100, 0)
	s.at(2140, -1, record.Send, opOuter, 64, 0)
	s.runs(2150, 2160, 64)
	if a := recording.Analyze(s.read(t)); a.Work != 130 || a.Span != 30+1000+20 || a.Unknown != 0 {
		t.Errorf("%+v; work is 130, and the span 1050", a)
	}
	s = setsTimer(1, 0x100)
	s.rings(1130, 0x100, 32)
	s.at(1140, 0, record.Begin, opInner, 32, 0)
	s.at(1150, 0, record.Timer, opInner, 0x100, 0)
	s.at(1160, 0, record.Pause, 0, 0, 0)
	s.rings(2150, 0x100, 48)
	s.runs(2160, 2170, 48)
	if a := recording.Analyze(s.read(t)); a.Work != 130 || a.Span != 30+1000+10+1000+10 || a.Unknown != 0 {
		t.Errorf("%+v; work is 130, and the span 2050", a)
	}
}
