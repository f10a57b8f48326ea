package httpview

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/freerun-go/freerun/recording"
)

// mostUnits is how many units the page shows.
const mostUnits = 16

// unit has the page's figures of one busy unit.
type unit struct {
	Name     string  `json:"name"`
	State    string  `json:"state"`
	Messages int     `json:"messages"` // begun in the last sample
	Rate     float64 `json:"rate"`     // messages a second, averaged over samples
	Running  float64 `json:"running"`  // share of the last sample in which it ran
	// Messages sent and not begun at the end of the sample, as far as the sample saw them.
	Waiting int `json:"waiting"`
	Peak    int `json:"peak"`  // the maximum of waiting within the sample
	Moved   int `json:"moved"` // times that it changed its processor
}

// ranking remembers which units had traffic, so that the same units stay on the page. The zero
// ranking is empty.
type ranking struct{ units map[string]*unit }

// A unit's rate is an average in which each new sample counts for a quarter. A unit whose rate
// falls below nothing leaves the ranking.
const (
	fresh   = 0.25
	nothing = 0.5 // messages a second
)

// traffic has the figures of one unit in a sample.
type traffic struct {
	begun, moved int
	// Sent less begun. Below 0 if messages were there before the sample.
	depth         int
	lowest, peak  int
	ran           int64
	lastProcessor int16
	seen          bool
}

func (r *ranking) add(t *recording.Trace, slices []recording.Slice) {
	all := make([]traffic, len(t.Units))
	for i := range t.Events {
		e := &t.Events[i]
		if e.Unit == 0 || int(e.Unit) >= len(all) {
			continue
		}
		switch u := &all[e.Unit]; e.Kind {
		case recording.KindSend:
			u.seen = true
			u.depth++
			u.peak = max(u.peak, u.depth-u.lowest)
		case recording.KindRunBegin:
			u.begin(e.Processor)
		}
	}
	for i := range slices {
		if s := &slices[i]; s.Kind == recording.KindRunBegin && int(s.Unit) < len(all) {
			all[s.Unit].ran += s.End - s.Begin
		}
	}
	r.take(t, all)
}

// begin counts a message of the unit that begins. A message whose send was not seen was there
// before the sample, so it counts as waiting from the sample's beginning.
func (u *traffic) begin(processor int16) {
	if u.begun > 0 && processor != u.lastProcessor {
		u.moved++
	}
	u.seen, u.lastProcessor = true, processor
	u.begun++
	u.depth--
	if u.depth < u.lowest {
		u.lowest = u.depth
		u.peak++
	}
}

// take adds what a sample saw to the ranking.
func (r *ranking) take(t *recording.Trace, all []traffic) {
	if r.units == nil {
		r.units = map[string]*unit{}
	}
	for _, u := range r.units {
		u.Messages, u.Running, u.Waiting, u.Peak, u.Moved = 0, 0, 0, 0, 0
		u.Rate *= 1 - fresh
	}
	seconds := max(float64(t.End), 1) / 1e9
	for number := range all {
		seen := &all[number]
		if number == 0 || !seen.seen {
			continue
		}
		name, state := nameOf(t, number)
		rate := float64(seen.begun) / seconds
		u := r.units[name]
		if u == nil {
			u = &unit{Name: name, State: state, Rate: (1 - fresh) * rate}
			r.units[name] = u
		}
		u.Messages += seen.begun
		u.Rate += fresh * rate
		u.Running += float64(seen.ran) / max(float64(t.End), 1)
		u.Waiting += seen.depth - seen.lowest
		u.Peak += seen.peak
		u.Moved += seen.moved
	}
	maps.DeleteFunc(r.units, func(_ string, u *unit) bool { return u.Rate < nothing && u.Waiting == 0 })
}

// nameOf returns a unit's name: the program's, or else its address as in the watchdog's reports.
func nameOf(t *recording.Trace, number int) (name, state string) {
	u := &t.Units[number]
	if u.Name == "" {
		return fmt.Sprintf("%#x", u.Address), u.State
	}
	return u.Name, u.State
}

// first returns the n units with the highest rate, then with the most waiting messages.
func (r *ranking) first(n int) []unit {
	var all []unit
	for _, u := range r.units {
		all = append(all, *u)
	}
	slices.SortFunc(all, func(a, b unit) int {
		return cmp.Or(-cmp.Compare(a.Rate, b.Rate), -cmp.Compare(a.Waiting, b.Waiting), cmp.Compare(a.Name, b.Name))
	})
	return all[:min(n, len(all))]
}
