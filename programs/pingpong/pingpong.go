package pingpong

import (
	"strconv"

	"github.com/freerun-go/freerun/programs"
)

// Program is the program with all its variants.
var Program = &programs.Program{
	Name:      "pingpong",
	Doc:       "one message to and fro between two parties: the cost of handing over",
	Source:    "isolates the path of one message between units",
	Operation: "hop",
	Params: []programs.Param{
		{Name: programs.Size, Doc: "hops", Default: 2_000_000, Quick: 200_000, Min: 100, Max: 2_000_000_000},
	},
	Variants: []programs.Variant{
		{Name: "units", Kind: programs.Freerun, Doc: "two units that send each other messages by Tell", Simulable: true, Run: runUnits},
		{Name: "channels", Kind: programs.PlainGo, Doc: "two goroutines and two unbuffered channels", Run: runChannels},
	},
	Expected: func(v programs.Values) string { return strconv.Itoa(v.Get(programs.Size)) },
}

// hops returns the checksum: the messages that each party received. The party that serves makes the
// odd hops.
func hops(first, second int) string { return strconv.Itoa(first + second) }
