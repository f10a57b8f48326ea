package news

import (
	"fmt"

	"github.com/freerun-go/freerun/programs"
)

// Names of the parameters.
const (
	paramReporters = "reporters"
	paramMessages  = "messages"
)

// Program is the program with all its variants.
var Program = &programs.Program{
	Name:      "news",
	Doc:       "reporters publish messages one at a time, and all customers read each",
	Source:    "fourth paper, section 6, table 1",
	Operation: "message read by a customer",
	Params: []programs.Param{
		{Name: programs.Size, Letter: "n", Doc: "customers", Default: 1000, Quick: 1000, Min: 10, Max: 1_000_000},
		{Name: paramReporters, Letter: "m", Doc: "reporters", Default: 10, Quick: 5, Min: 1, Max: 100_000},
		{Name: paramMessages, Letter: "k", Doc: "messages that each reporter publishes", Default: 10, Quick: 5, Min: 1, Max: 1_000_000},
	},
	Variants: []programs.Variant{
		{Name: "activities", Kind: programs.Freerun, Doc: "an activity for each, an activity.Event for each message and a Latch for who has read it", Run: runActivities},
		{Name: "units", Kind: programs.Freerun, Doc: "a unit for each customer, and one for the agency, which tells them all", Run: runUnits},
		{Name: "goroutines", Kind: programs.PlainGo, Doc: "a goroutine for each, and channels that are closed to announce something", Run: runGoroutines},
	},
	Expected: func(v programs.Values) string { return due(v) },
}

// agency is the customers, and the messages of each reporter.
type agency struct {
	customers           []reader
	reporters, messages int
}

// reader sums up the messages that a customer has read. The customer's own task writes it, at its
// end.
type reader struct {
	sum uint64 // of the messages
	// Equal for customers who read the same messages in the same order.
	print uint64
	read  int
}

func newAgency(v programs.Values) *agency {
	return &agency{make([]reader, v.Get(programs.Size)), v.Get(paramReporters), v.Get(paramMessages)}
}

// total returns the number of messages.
func (a *agency) total() int { return a.reporters * a.messages }

// operations returns how often a message is read.
func (a *agency) operations() uint64 { return uint64(len(a.customers)) * uint64(a.total()) }

// message returns a reporter's message: a number that no other message has.
func (a *agency) message(reporter, i int) int { return reporter*a.messages + i }

// see reads a message.
func (r *reader) see(message int) {
	r.read++
	r.sum += uint64(message)
	r.print = r.print*6364136223846793005 + uint64(message) + 1
}

// checksum formats what the customers have read, if all have read the same.
func (a *agency) checksum() string {
	first := a.customers[0]
	for i, r := range a.customers {
		if r != first {
			return fmt.Sprintf("customer %d has read %+v, and customer 0 %+v", i, r, first)
		}
	}
	return checksum(len(a.customers), first.read, first.sum)
}

func checksum(customers, messages int, sum uint64) string {
	return fmt.Sprintf("%d customers have read %d messages, sum %d, in the same order", customers, messages, sum)
}

// due returns the expected checksum. The messages are the integers from 0 up.
func due(v programs.Values) string {
	n := v.Get(paramReporters) * v.Get(paramMessages)
	return checksum(v.Get(programs.Size), n, uint64(n)*uint64(n-1)/2)
}
