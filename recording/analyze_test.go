package recording_test

import (
	"math"
	"testing"

	"github.com/freerun-go/freerun/internal/record"
	"github.com/freerun-go/freerun/recording"
)

func near(a, b float64) bool { return math.Abs(a-b) < 1e-9 }

// TestAnalyze works out a small recording by hand. A child begins at its send, not at the end of
// its sender.
func TestAnalyze(t *testing.T) {
	a := recording.Analyze(twoChildren().read(t))
	const work, span = 100 + 200 + 60, 30 + 200 // path: 100 to 130 of 16, then 32
	if a.Work != work || a.Span != span || a.Elapsed != 340-50 {
		t.Errorf("work %d, span %d, elapsed %d; they are %d, %d and 290", a.Work, a.Span, a.Elapsed, work, span)
	}
	if !near(a.Parallelism, float64(work)/span) || !near(a.AtMost, float64(work)/span) || !near(a.AtLeast, float64(work)/(work/2.0+span)) || !near(a.Busy, work/290.0) {
		t.Errorf("figures: %+v", a)
	}
	if a.Chain != 200 || a.Unknown != 0 || a.Lost != 0 {
		t.Errorf("the longest chain of one unit is %d, not 200; %d sends are unknown, and %d events lost", a.Chain, a.Unknown, a.Lost)
	}
	want := []recording.Step{
		{Message: 1, Operation: 1, Unit: 1, Processor: 0, Begin: 100, End: 130},
		{Message: 2, Operation: 2, Unit: 2, Processor: 1, Begin: 140, End: 340},
	}
	if len(a.Path) != 2 || a.Path[0] != want[0] || a.Path[1] != want[1] {
		t.Errorf("the critical path is %+v, and should be %+v", a.Path, want)
	}
}

// TestMessagesOfJoins: an operation that slept in a join, and went on elsewhere, is no activity.
func TestMessagesOfJoins(t *testing.T) {
	s := newScript(2)
	s.at(10, -1, record.Send, opOuter, 16, 0)
	s.at(100, 0, record.Begin, opOuter, 16, 0)
	s.at(150, 0, record.Out, 0, 16, 0)
	s.at(200, 1, record.In, 0, 16, 0)
	s.at(260, 1, record.Pause, 0, 0, 0)
	s.at(300, 0, record.In, opInner, 48, 0) // an activity: its first event names what runs
	s.at(310, 0, record.Pause, 0, 0, 0)
	m := s.read(t).Messages()
	if m[1].Activity || m[1].Begin != 100 || m[1].End != 260 || m[1].Ran != 110 {
		t.Errorf("the operation is %+v; it began at 100, ran for 50 and 60, and is no activity", m[1])
	}
	if !m[2].Activity || m[2].Ran != 10 {
		t.Errorf("the activity is %+v", m[2])
	}
}

// TestAnalyzeFutures has a message that needs the outcomes of two others. The one that comes first
// has the longer path: it has forwarded a third.
func TestAnalyzeFutures(t *testing.T) {
	s := newScript(3)
	for i, address := range []uint64{16, 32, 48} { // long, short, and what long forwards
		s.at(10+uint64(i), -1, record.Send, opInner, address, 0)
	}
	s.at(20, -1, record.Send, opOuter, 64, 0)
	s.tapes[0].Add(record.Need, false, 64, 16)
	s.tapes[0].Add(record.Need, false, 64, 32)
	s.tapes[0].Publish()
	s.at(100, 0, record.Begin, opInner, 16, 0)
	s.tapes[1].Add(record.Need, false, 16, 48)
	s.at(150, 1, record.Begin, opInner, 48, 0)
	s.at(160, 0, record.Pause, 0, 0, 0) // 60
	s.at(450, 1, record.Pause, 0, 0, 0) // 300
	s.at(500, 2, record.Begin, opInner, 32, 0)
	s.at(510, 2, record.Fulfilled, 0, 32, 0)
	s.at(510, 2, record.Ready, 0, 64, 0)
	s.at(520, 2, record.Begin, opOuter, 64, 0)
	s.at(540, 2, record.Pause, 0, 0, 0)
	a := recording.Analyze(s.read(t))
	if a.Work != 60+300+20+20 || a.Span != 320 {
		t.Errorf("work %d, span %d; they are 400 and 320", a.Work, a.Span)
	}
	if n := len(a.Path); n != 2 || a.Path[0].Message != 3 || a.Path[1].Message != 4 {
		t.Errorf("the critical path is %+v, and should be message 3, then 4", a.Path)
	}
}

// TestAnalyzeOutside has a goroutine that waits for each message before it sends the next. All are
// one chain.
func TestAnalyzeOutside(t *testing.T) {
	s := newScript(2)
	now := uint64(0)
	s.at(1, -1, record.Goroutine, 0, 0x1000, 0)
	for i := range 10 {
		address := uint64(16 * (i + 1))
		s.at(now+10, -1, record.Send, opInner, address, 0)
		s.at(now+20, i%2, record.Begin, opInner, address, 0)
		s.at(now+120, i%2, record.Pause, 0, 0, 0)
		s.at(now+130, -1, record.Seen, 0, address, 0)
		now += 200
	}
	if a := recording.Analyze(s.read(t)); a.Work != 1000 || a.Span != 1000 || len(a.Path) != 10 {
		t.Errorf("work %d, span %d, a path of %d steps; they are 1000, 1000 and 10", a.Work, a.Span, len(a.Path))
	}
}

// TestAnalyzeEmpty analyzes an empty recording, and one that no reader makes.
func TestAnalyzeEmpty(t *testing.T) {
	if a := recording.Analyze(&recording.Trace{}); a.Work != 0 || a.Span != 0 || a.Path != nil {
		t.Errorf("of nothing: %+v", a)
	}
	wrong := &recording.Trace{Events: []recording.Event{{Kind: recording.KindRunBegin, Message: 7, Unit: 9}, {Kind: recording.KindNeed, Other: 3}, {Kind: recording.KindSend, Other: 5}}}
	if a := recording.Analyze(wrong); a.Work != 0 {
		t.Errorf("of events about messages that are not there: %+v", a)
	}
}
