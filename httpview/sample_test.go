package httpview

import (
	"fmt"
	"testing"
	"time"

	"github.com/freerun-go/freerun/recording"
)

func TestLengthOfSamples(t *testing.T) {
	for _, c := range []struct {
		length time.Duration
		events int
		want   time.Duration
	}{
		{10 * time.Millisecond, 0, 20 * time.Millisecond},
		{10 * time.Millisecond, aimedEvents, 10 * time.Millisecond},
		{10 * time.Millisecond, 4 * aimedEvents, 2500 * time.Microsecond},
		{10 * time.Millisecond, aimedEvents/2 + 1, 19990004 * time.Nanosecond},
		{time.Millisecond, 1000 * aimedEvents, shortest},
		{longest, 0, longest},
	} {
		if got := lengthAfter(c.length, c.events); got != c.want {
			t.Errorf("after %v with %d events the next is %v long, want %v", c.length, c.events, got, c.want)
		}
	}
}

// TestSampleIsCut: events beyond the limit are dropped.
func TestSampleIsCut(t *testing.T) {
	tr := &recording.Trace{End: 1e9, Events: make([]recording.Event, 10)}
	for i := range tr.Events {
		tr.Events[i].Time = int64(i)
	}
	cut(tr, 20)
	if tr.End != 1e9 || len(tr.Events) != 10 {
		t.Errorf("a short one was cut to %d events", len(tr.Events))
	}
	cut(tr, 4)
	if tr.End != 4 || len(tr.Events) != 4 {
		t.Errorf("it was cut to %d events and %d ns, want 4 and 4", len(tr.Events), tr.End)
	}
}

// run makes a message that is sent, begins and ends at the three times.
func run(message, unit uint32, processor int16, sent, begin, end int64) []recording.Event {
	return []recording.Event{
		{Time: sent, Kind: recording.KindSend, Message: message, Operation: 1, Unit: unit, Processor: recording.Outside},
		{Time: begin, Kind: recording.KindRunBegin, Message: message, Operation: 1, Unit: unit, Processor: processor},
		{Time: end, Kind: recording.KindRunEnd, Message: message, Operation: 1, Unit: unit, Processor: processor},
	}
}

// TestLanes: one processor runs half of the time, searches a tenth and parks the rest; the other
// does nothing.
func TestLanes(t *testing.T) {
	tr := &recording.Trace{End: 10 * columns, Processors: 2, Operations: []string{"", "a"}, Sent: 1}
	tr.Events = append(run(1, 0, 0, 0, 0, 5*columns),
		recording.Event{Time: 5 * columns, Kind: recording.KindSearchBegin},
		recording.Event{Time: 6 * columns, Kind: recording.KindSearchEnd},
		recording.Event{Time: 6 * columns, Kind: recording.KindPark},
		recording.Event{Time: 10 * columns, Kind: recording.KindUnpark})
	all := lanes(tr, tr.Slices())
	if got := fmt.Sprint(all[0]); got != fmt.Sprintf("{0.5 0.1 0.4 [1 %d -2 %d -3 %d]}", columns/2, columns/10, columns*4/10) {
		t.Errorf("the first lane is %v", got)
	}
	if got := fmt.Sprint(all[1]); got != fmt.Sprintf("{0 0 0 [-1 %d]}", columns) {
		t.Errorf("the second lane is %v", got)
	}
}

// TestManyInAColumn: operations shorter than a column count together with the gaps between them,
// and the longest gives the colour.
func TestManyInAColumn(t *testing.T) {
	const end = 100 * columns
	tr := &recording.Trace{End: end, Processors: 1}
	var all []recording.Slice
	for at := int64(0); at < end; at += 10 {
		operation := uint32(1)
		if at%100 == 50 {
			operation = 2
		}
		all = append(all, recording.Slice{Begin: at, End: at + 3 + int64(operation), Operation: operation, Kind: recording.KindRunBegin})
	}
	l := lanes(tr, all)[0]
	if fmt.Sprint(l.Columns) != fmt.Sprint([]int{2, columns}) || l.Running < 0.409 || l.Running > 0.411 {
		t.Errorf("the lane is %v", l)
	}
	if odd := lanes(&recording.Trace{End: 7, Processors: 1}, []recording.Slice{{Begin: 0, End: 7, Operation: 3, Kind: recording.KindRunBegin}})[0]; odd.Running != 1 {
		t.Errorf("of a sample that is shorter than its columns are many, %v is shown", odd)
	}
	if empty := lanes(&recording.Trace{Processors: 1}, nil)[0]; empty.Running != 0 {
		t.Errorf("of a sample without length, %v is shown", empty)
	}
}

// TestQuantiles adds a hundred messages. One waits long, and one was sent before the sample.
func TestQuantiles(t *testing.T) {
	tr := &recording.Trace{End: 1e9, Processors: 1, Operations: []string{"", "a"}, Sent: 101}
	for i := range int64(99) {
		tr.Events = append(tr.Events, run(uint32(i)+1, 0, 0, 1000*i, 1000*i+100, 1000*i+600)...)
	}
	tr.Events = append(tr.Events, run(100, 0, 0, 200_000, 300_000, 300_500)...)
	tr.Events = append(tr.Events, run(101, 0, 0, 0, 400_000, 400_500)[1:]...)
	var w window
	now := time.Now()
	w.add(tr, tr.Messages(), now)
	w.add(tr, tr.Messages(), now.Add(section)) // a second section begins; both count
	all := w.operations()
	if len(all) != 1 || all[0].Name != "a" || all[0].Messages != 202 || all[0].Older != 2 || all[0].Share != 1 {
		t.Fatalf("it comes to %+v", all)
	}
	near := func(what string, got, want int64) {
		if got < want*99/100 || got > want*101/100 {
			t.Errorf("%s is %d, want %d or 1%% beside it", what, got, want)
		}
	}
	near("the wait's p50", all[0].Wait.P50, 100)
	near("the wait's p99", all[0].Wait.P99, 100)
	near("the wait's p99.9", all[0].Wait.P999, 100_000)
	near("the run's p99.9", all[0].Run.P999, 500)
	if all[0].Wait.Count != 200 || all[0].Run.Count != 202 {
		t.Errorf("%d waits and %d runs, want 200 and 202", all[0].Wait.Count, all[0].Run.Count)
	}
	w.turn(now.Add(2 * section))
	if all := w.operations(); len(all) != 1 || all[0].Messages != 101 {
		t.Errorf("a section later it comes to %+v", all)
	}
	w.turn(now.Add(10 * section))
	if all := w.operations(); len(all) != 0 {
		t.Errorf("much later it comes to %+v", all)
	}
}

// TestOperationsWithoutEnd: the number of names is bounded.
func TestOperationsWithoutEnd(t *testing.T) {
	const names = 3 * mostOperations
	tr := &recording.Trace{End: 1e9, Processors: 1, Operations: []string{""}}
	var messages []recording.Message
	for i := range names {
		tr.Operations = append(tr.Operations, fmt.Sprint("f", i))
		messages = append(messages, recording.Message{Operation: uint32(i + 1), Sent: 0, Begin: 10, End: 20, Ran: 10})
	}
	var w window
	w.add(tr, messages, time.Now())
	s := newSampled()
	s.add(tr, messages)
	total := 0
	for _, o := range w.operations() {
		total += o.Messages
		if int(o.Wait.Count) != o.Messages || int(o.Run.Count) != o.Messages {
			t.Errorf("of %s there are %d messages, %d waits and %d runs", o.Name, o.Messages, o.Wait.Count, o.Run.Count)
		}
	}
	if n := len(w.operations()); n != mostOperations+1 || total != names || len(s.names) != mostOperations {
		t.Errorf("%d operations with %d messages, and %d labels; want %d with %d, and %d", n, total, len(s.names), mostOperations+1, names, mostOperations)
	}
}

// TestRanking: the waiting messages are those that the sample saw, including messages from before
// it.
func TestRanking(t *testing.T) {
	send := func(at int64, unit uint32) recording.Event {
		return recording.Event{Time: at, Kind: recording.KindSend, Unit: unit, Processor: recording.Outside}
	}
	begin := func(at int64, unit uint32, processor int16) recording.Event {
		return recording.Event{Time: at, Kind: recording.KindRunBegin, Unit: unit, Processor: processor, Operation: 1}
	}
	tr := &recording.Trace{End: 1e9, Processors: 2, Units: []recording.Unit{{}, {Name: "ada", State: "int"}, {Address: 0xc000}}, Events: []recording.Event{
		begin(1, 1, 0), begin(2, 1, 0), // two messages were there before
		send(3, 1), send(4, 1), send(5, 1), // three came when none was left
		begin(6, 1, 1),
		send(7, 2),
	}}
	var r ranking
	r.add(tr, tr.Slices())
	first := r.first(10)
	if len(first) != 2 {
		t.Fatalf("the units are %+v", first)
	}
	ada, bob := first[0], first[1]
	if ada.Name != "ada" || ada.State != "int" || ada.Messages != 3 || ada.Waiting != 2 || ada.Peak != 3 || ada.Moved != 1 || ada.Rate != 3 {
		t.Errorf("ada is %+v", ada)
	}
	if bob.Name != "0xc000" || bob.Messages != 0 || bob.Waiting != 1 || bob.Peak != 1 {
		t.Errorf("bob is %+v", bob)
	}
	for range 20 {
		empty := &recording.Trace{End: 1e9, Units: make([]recording.Unit, 1)}
		r.add(empty, nil)
	}
	if left := r.first(10); len(left) != 0 {
		t.Errorf("without traffic %+v are left", left)
	}
}
