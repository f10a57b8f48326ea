package freerun_test

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/activity"
	"github.com/freerun-go/freerun/internal/runtimetest"
	"github.com/freerun-go/freerun/recording"
)

// traced runs body while rt is recorded, waits until all is done, and returns the recording.
func traced(t testing.TB, rt *freerun.Runtime, body func()) *recording.Trace {
	t.Helper()
	var file bytes.Buffer
	stop, err := rt.StartTrace(&file)
	if err != nil {
		t.Fatal(err)
	}
	body()
	if err := rt.Quiesce(runtimetest.Within(t)); err != nil {
		t.Fatal(err)
	}
	if err := stop(); err != nil {
		t.Fatal(err)
	}
	tr, err := recording.Read(&file)
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

// books are the counts that a recording gives of messages, to be compared with the program's own.
type books struct {
	sent, ran    int
	steals       map[int16]uint64 // by processor
	stolen       map[int16]uint64
	unsent       int // runs of messages that were not sent
	runs         map[string]int
	twice, early int
}

func audit(tr *recording.Trace) books {
	b := books{steals: map[int16]uint64{}, stolen: map[int16]uint64{}, runs: map[string]int{}}
	sent, ran := make([]bool, tr.Sent+1), make([]bool, tr.Sent+1)
	last := int64(0)
	for _, e := range tr.Events {
		if e.Time < last {
			b.early++
		}
		last = e.Time
		switch e.Kind {
		case recording.KindSend:
			b.sent++
			if sent[e.Message] {
				b.twice++
			}
			sent[e.Message] = true
		case recording.KindRunBegin, recording.KindSwitchIn:
			if e.Kind == recording.KindSwitchIn && ran[e.Message] {
				continue // it goes on
			}
			b.ran++
			b.runs[tr.Operation(e.Operation)]++
			if ran[e.Message] {
				b.twice++
			}
			if !sent[e.Message] {
				b.unsent++
			}
			ran[e.Message] = true
		case recording.KindSteal:
			b.steals[e.Processor]++
			b.stolen[e.Processor] += uint64(e.N)
		}
	}
	return b
}

// hold compares the books with the runtime's figures, before and after the recording.
func (b books) hold(t *testing.T, tr *recording.Trace, before, after freerun.Stats) {
	t.Helper()
	if tr.Lost != 0 {
		t.Fatalf("%d events were lost: there was less to record than fits", tr.Lost)
	}
	if n := int(after.Sent - before.Sent); b.sent != n {
		t.Errorf("%d messages were sent, and %d recorded", n, b.sent)
	}
	if n := int(after.Done - before.Done); b.ran != n {
		t.Errorf("%d messages were run, and %d recorded", n, b.ran)
	}
	if b.twice != 0 || b.unsent != 0 || b.early != 0 {
		t.Errorf("%d runs or sends were recorded twice, %d runs have no send, and %d events come too late", b.twice, b.unsent, b.early)
	}
	for i := range after.Processors {
		was := freerun.ProcessorStats{}
		if i < len(before.Processors) {
			was = before.Processors[i]
		}
		now := after.Processors[i]
		if p := int16(i); b.steals[p] != now.Steals-was.Steals || b.stolen[p] != now.Stolen-was.Stolen {
			t.Errorf("processor %d stole %d times, %d tasks; recorded are %d and %d", i, now.Steals-was.Steals, now.Stolen-was.Stolen, b.steals[p], b.stolen[p])
		}
	}
}

var (
	traceLeaf  = freerun.Op("traceLeaf", func(_ *freerun.Context, n *int, by int) (int, error) { *n += by; return *n, nil })
	traceSum   = freerun.FreeOp("traceSum", func(_ *freerun.Context, in []freerun.Future[int]) (int, error) { return len(in), nil })
	traceAside = freerun.ReadOp("traceAside", func(_ *freerun.Context, n *int, _ int) (int, error) { return *n, nil })
	traceBoth  = freerun.Op2("traceBoth", func(_ *freerun.Context, a, b *int, by int) (int, error) {
		*a, *b = *a-by, *b+by
		return 0, nil
	})
)

// traceRound sends something of each sort, and waits for none of it.
func traceRound(c *freerun.Context, units []*freerun.Unit[int], i int) {
	u, v := units[i%len(units)], units[(i+1)%len(units)]
	var in []freerun.Future[int]
	for k := range 3 {
		in = append(in, traceLeaf.Send(c, units[(i+k)%len(units)], 1))
	}
	sum := traceSum.Send(c, in)
	freerun.Then(c, sum, func(c *freerun.Context, n int) (int, error) { return freerun.Forward(c, traceLeaf.Send(c, u, n)) })
	_ = traceLeaf.Tell(c, v, 1)
	traceAside.Send(c, v, 0)
	traceBoth.Send(c, u, v, 1)
	_ = traceBoth.Tell(c, v, u, 1)
	freerun.Go(c, func(c *freerun.Context) (int, error) {
		c.Block(func() {})
		return 1, traceLeaf.Tell(c, u, 1)
	})
}

// TestTraceAccounts records a bit of everything, from outside and from inside, and compares the
// recording with the figures of the runtime: each message is sent once and run once, and each theft
// is there.
func TestTraceAccounts(t *testing.T) {
	for _, processors := range []int{1, 2, 4} {
		rt, _ := runtimetest.Start(t, freerun.Processors(processors))
		units := make([]*freerun.Unit[int], 5)
		for i := range units {
			units[i] = freerun.NewUnit(rt, 0, freerun.UnitName("unit "+string(rune('a'+i))))
		}
		if err := rt.Quiesce(runtimetest.Within(t)); err != nil {
			t.Fatal(err)
		}
		before := rt.Stats()
		tr := traced(t, rt, func() {
			for i := range 40 {
				traceRound(rt.Context(), units, i)
			}
			for i := range 10 {
				freerun.Go(rt.Context(), func(c *freerun.Context) (int, error) {
					for k := range 20 {
						traceRound(c, units, i+k)
					}
					return 0, nil
				})
				activity.Go(rt, func(a *activity.Activity) {
					for range 5 {
						a.Yield()
						_, _ = traceLeaf.Send(freerun.ContextOf(a), units[i%len(units)], 1).Await(a)
					}
				})
			}
		})
		b := audit(tr)
		b.hold(t, tr, before, rt.Stats())
		if n := b.runs[freerun.NameOf(traceBoth)]; n != 2*240 {
			t.Errorf("the recording has %d operations on two units of %d", n, 2*240)
		}
		named := 0
		for _, u := range tr.Units {
			if strings.HasPrefix(u.Name, "unit ") && u.State == "int" {
				named++
			}
		}
		if named != len(units) || len(tr.Units) != len(units)+1 {
			t.Errorf("of %d units the recording has %d, %d with name and type", len(units), len(tr.Units)-1, named)
		}
	}
}

// TestTraceSenders checks the recorded sender and receiver of messages.
func TestTraceSenders(t *testing.T) {
	rt, _ := runtimetest.Start(t, freerun.Processors(2))
	u := freerun.NewUnit(rt, 0)
	tr := traced(t, rt, func() {
		runtimetest.Must(t, freerun.Go(rt.Context(), func(c *freerun.Context) (int, error) {
			return freerun.Forward(c, traceLeaf.Send(c, u, 2))
		}))
	})
	all := tr.Messages()
	if len(all) != 3 {
		t.Fatalf("two messages were sent, and the recording has %d", len(all)-1)
	}
	outer, inner := all[1], all[2]
	if outer.Sender != 0 || outer.SentBy != recording.Outside || !strings.Contains(tr.Operation(outer.Operation), "TestTraceSenders") {
		t.Errorf("the first message: %+v, %s", outer, tr.Operation(outer.Operation))
	}
	if inner.Sender != 1 || inner.SentBy != outer.RanOn || tr.Operation(inner.Operation) != freerun.NameOf(traceLeaf) || inner.Unit != 1 {
		t.Errorf("the second message: %+v, %s", inner, tr.Operation(inner.Operation))
	}
	if inner.Sent < outer.Begin || inner.Sent > outer.End || inner.Begin < inner.Sent || inner.End < inner.Begin {
		t.Errorf("times of the first %+v and of the second %+v", outer, inner)
	}
	kinds := map[recording.Kind]recording.Event{}
	for _, e := range tr.Events {
		kinds[e.Kind] = e
	}
	if e := kinds[recording.KindNeed]; e.Message != 1 || e.Other != 2 {
		t.Errorf("the first message forwards the second, and the recording says %+v", e)
	}
	if e := kinds[recording.KindSeen]; e.Message != 1 || e.Processor != recording.Outside {
		t.Errorf("the first message was waited for outside, and the recording says %+v", e)
	}
}

// TestTraceOnce: a runtime has one recording at a time. The test also has the errors of recordings.
func TestTraceOnce(t *testing.T) {
	rt, _ := runtimetest.Start(t)
	var file bytes.Buffer
	stop, err := rt.StartTrace(&file)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := rt.StartTrace(&file); !errors.Is(err, freerun.ErrTracing) {
		t.Errorf("a second recording gives %v", err)
	}
	if _, err := rt.Sample(t.Context(), 0); !errors.Is(err, freerun.ErrTracing) {
		t.Errorf("a sample beside a recording gives %v", err)
	}
	if err := stop(); err != nil {
		t.Error(err)
	}
	if err := stop(); err != nil {
		t.Errorf("a second stop gives %v", err)
	}
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	if tr, err := rt.Sample(canceled, time.Hour); tr != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("a sample with a context that is done gives %v, %v", tr, err)
	}
	if tr, err := rt.Sample(t.Context(), time.Millisecond); err != nil || tr.End < int64(time.Millisecond) {
		t.Errorf("a sample of a millisecond: %+v, %v", tr, err)
	}
	full := errors.New("no room")
	if _, err := rt.StartTrace(failing{full}); !errors.Is(err, full) {
		t.Errorf("a writer that fails gives %v", err)
	}
	if err := rt.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := rt.StartTrace(&file); !errors.Is(err, freerun.ErrClosed) {
		t.Errorf("a recording of a runtime that was closed gives %v", err)
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

// TestTraceRepeats records a deterministic runtime twice, and compares.
func TestTraceRepeats(t *testing.T) {
	take := func() *recording.Trace {
		rt, _ := runtimetest.Start(t, freerun.Deterministic(7))
		units := []*freerun.Unit[int]{freerun.NewUnit(rt, 0), freerun.NewUnit(rt, 0)}
		before := rt.Stats()
		tr := traced(t, rt, func() {
			for i := range 5 {
				traceRound(rt.Context(), units, i)
			}
		})
		audit(tr).hold(t, tr, before, rt.Stats())
		return tr
	}
	first, second := take(), take()
	if !first.Virtual {
		t.Error("the recording does not say that its time is virtual")
	}
	if len(first.Events) != len(second.Events) {
		t.Fatalf("the same seed gives %d events, and then %d", len(first.Events), len(second.Events))
	}
	for i, e := range first.Events {
		if other := second.Events[i]; e.Kind != other.Kind || e.Time != other.Time || e.Message != other.Message || e.Processor != other.Processor {
			t.Fatalf("event %d is %+v, and then %+v", i, e, other)
		}
	}
}
