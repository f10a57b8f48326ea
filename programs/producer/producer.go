package producer

import (
	"fmt"

	"github.com/freerun-go/freerun/programs"
)

// Names of the parameters.
const (
	paramPairs  = "pairs"
	paramBuffer = "buffer"
)

// Program is the program with all its variants.
var Program = &programs.Program{
	Name:      "producer",
	Doc:       "pairs of producers and consumers, and one bounded buffer for all",
	Source:    "fourth paper, section 6, table 1",
	Operation: "message",
	Params: []programs.Param{
		{Name: programs.Size, Letter: "k", Doc: "messages of all producers together", Default: 10_000, Quick: 10_000, Min: 10, Max: 1_000_000_000},
		{Name: paramPairs, Letter: "n", Doc: "pairs of a producer and a consumer", Default: 64, Quick: 64, Min: 1, Max: 1_000_000},
		{Name: paramBuffer, Letter: "c", Doc: "messages that the buffer holds", Default: 10, Quick: 10, Min: 1, Max: 1_000_000},
	},
	Points: []map[string]int{{paramPairs: 1}, {paramPairs: 64}},
	Variants: []programs.Variant{
		{Name: "activities", Kind: programs.Freerun, Doc: "an activity for each, and an activity.Mailbox", Run: runActivities},
		{Name: "goroutines", Kind: programs.PlainGo, Doc: "a goroutine for each, and a buffered channel", Run: runGoroutines},
	},
	Expected: func(v programs.Values) string { return newMarket(v).due() },
}

// market divides the messages among the pairs. The messages are the integers below size, each once.
type market struct {
	size  int
	pairs []pair
}

// pair is a producer, of the messages from from up to to, and a consumer, of as many messages from
// any producer.
type pair struct {
	from, to int
	got      tally // written by the consumer, once, at its end
}

// tally is a summary of consumed messages.
type tally struct{ messages, sum, squares uint64 }

func newMarket(v programs.Values) *market {
	m := &market{size: v.Get(programs.Size), pairs: make([]pair, v.Get(paramPairs))}
	for i := range m.pairs {
		m.pairs[i].from, m.pairs[i].to = i*m.size/len(m.pairs), (i+1)*m.size/len(m.pairs)
	}
	return m
}

// consume counts a message.
func (t *tally) consume(message int) {
	t.messages++
	t.sum += uint64(message)
	t.squares += uint64(message) * uint64(message)
}

// checksum sums what all consumers got.
func (m *market) checksum() string {
	var all tally
	for i := range m.pairs {
		all.messages += m.pairs[i].got.messages
		all.sum += m.pairs[i].got.sum
		all.squares += m.pairs[i].got.squares
	}
	return all.String()
}

// due returns the expected checksum.
func (m *market) due() string {
	var all tally
	for message := range m.size {
		all.consume(message)
	}
	return all.String()
}

func (t tally) String() string {
	return fmt.Sprintf("%d messages, sum %d, squares %d", t.messages, t.sum, t.squares)
}
