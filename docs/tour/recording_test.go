package tour_test

import (
	"bytes"
	"context"
	"fmt"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/recording"
)

func Example_recording() {
	ctx := context.Background()
	rt := freerun.New()
	defer rt.Close()
	//tour:begin record
	ada := freerun.NewUnit(rt, Account{}, freerun.UnitName("ada"))
	var file bytes.Buffer // an os.File in a program
	stop, err := rt.StartTrace(&file)
	if err != nil {
		panic(err)
	}
	for range 10 {
		deposit.Tell(rt.Context(), ada, 1)
	}
	rt.Quiesce(ctx) // until all is done
	if err := stop(); err != nil {
		panic(err)
	}

	trace, err := recording.Read(&file)
	fmt.Println(err, trace.Units[1].Name)
	analysis := recording.Analyze(trace) // work, span, the critical path
	fmt.Println(analysis.Work >= analysis.Span)
	// Output:
	// <nil> ada
	// true
	//tour:end
}
