package hot

import (
	"fmt"
	"strconv"

	"github.com/freerun-go/freerun/programs"
)

// Names of the parameters.
const (
	paramDepth   = "depth"
	paramCallers = "callers"
	paramPause   = "pause"
)

const (
	hotOnes   = 2 // entities that flood each other
	quietOnes = 8 // entities that are called
)

// Program is the program with all its variants.
var Program = &programs.Program{
	Name:      "hot",
	Doc:       "calls to quiet units while two hot ones are under a flood of messages",
	Source:    "isolates fairness: how long calls to quiet units wait while other units are flooded",
	Operation: "call under the flood",
	Params: []programs.Param{
		{Name: programs.Size, Doc: "calls in an idle runtime, and again under the flood", Default: 1_000, Quick: 100, Min: 10, Max: 10_000_000},
		{Name: paramDepth, Doc: "messages in the mailbox of each hot unit", Default: 10_000, Quick: 10_000, Min: 1, Max: 1_000_000},
		{Name: paramCallers, Doc: "goroutines that call", Default: 4, Quick: 4, Min: 1, Max: 1000},
		{Name: paramPause, Doc: "µs that a caller sleeps before each call, 0 for none", Default: 200, Quick: 200, Min: 0, Max: 1_000_000},
	},
	Points: []map[string]int{{paramDepth: 1_000}, {paramDepth: 100_000}, {paramDepth: 10_000}},
	Variants: []programs.Variant{
		{Name: "units", Kind: programs.Freerun, Doc: "units; the hot ones pass messages on by Tell, calls are Send and Wait", Outside: true, Run: runUnits},
		{Name: "channels", Kind: programs.PlainGo, Doc: "a goroutine for each, with a buffered channel", Run: runChannels},
	},
	Expected: func(v programs.Values) string {
		return checksum(2*v.Get(programs.Size), hotOnes*v.Get(paramDepth))
	},
}

// checksum returns the expected checksum: the calls that the quiet entities answered, and the
// messages of the flood at the end.
func checksum(answered, left int) string {
	return fmt.Sprintf("%d calls, %s messages", answered, strconv.Itoa(left))
}
