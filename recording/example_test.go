package recording_test

import (
	"fmt"

	"github.com/freerun-go/freerun/recording"
)

// A message runs for 100 ns and sends two others meanwhile, which run for 50 ns each on two
// processors. A program gets a recording from a runtime, or from a file with recording.Read.
func ExampleAnalyze() {
	t := &recording.Trace{
		Processors: 2,
		Operations: []string{"", "split", "part"},
		Units:      make([]recording.Unit, 1),
		Sent:       3,
		End:        150,
		Events: []recording.Event{
			{Time: 0, Kind: recording.KindSend, Message: 1, Operation: 1, Processor: recording.Outside},
			{Time: 0, Kind: recording.KindRunBegin, Message: 1, Operation: 1, Processor: 0},
			{Time: 40, Kind: recording.KindSend, Message: 2, Other: 1, Operation: 2, Processor: 0},
			{Time: 50, Kind: recording.KindRunBegin, Message: 2, Operation: 2, Processor: 1},
			{Time: 100, Kind: recording.KindSend, Message: 3, Other: 1, Operation: 2, Processor: 0},
			{Time: 100, Kind: recording.KindRunEnd, Message: 1, Processor: 0},
			{Time: 100, Kind: recording.KindRunEnd, Message: 2, Processor: 1},
			{Time: 100, Kind: recording.KindRunBegin, Message: 3, Operation: 2, Processor: 0},
			{Time: 150, Kind: recording.KindRunEnd, Message: 3, Processor: 0},
		},
	}
	a := recording.Analyze(t)
	fmt.Println("work", a.Work, "span", a.Span)
	for _, step := range a.Path {
		fmt.Println(t.Operation(step.Operation), "from", step.Begin, "to", step.End)
	}
	// Output:
	// work 200 span 150
	// split from 0 to 100
	// part from 100 to 150
}

// What became of one message.
func ExampleTrace_Messages() {
	t := &recording.Trace{
		Operations: []string{"", "greet"},
		Units:      make([]recording.Unit, 1),
		Sent:       1,
		Events: []recording.Event{
			{Time: 10, Kind: recording.KindSend, Message: 1, Operation: 1, Processor: recording.Outside},
			{Time: 30, Kind: recording.KindRunBegin, Message: 1, Operation: 1, Processor: 0},
			{Time: 35, Kind: recording.KindRunEnd, Message: 1, Processor: 0},
		},
	}
	m := t.Messages()[1]
	fmt.Println(t.Operation(m.Operation), "waited", m.Waited, "and ran", m.Ran)
	// Output:
	// greet waited 20 and ran 5
}
