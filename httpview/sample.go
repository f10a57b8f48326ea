package httpview

import (
	"context"
	"time"

	"github.com/freerun-go/freerun/recording"
)

// A sample is as long as aimedEvents take, between shortest and longest. longest is for idle
// runtimes, where the page would wait for nothing.
const (
	aimedEvents = 4000
	// Events beyond are dropped: a goroutine may reach the end of its recording late.
	mostEvents = 4 * aimedEvents
	shortest   = 200 * time.Microsecond
	longest    = 40 * time.Millisecond
)

// sample summarizes a recording of some milliseconds. Shares are shares of its length.
type sample struct {
	Error    string  `json:"error"`    // why there is no sample
	At       float64 `json:"at"`       // milliseconds since 1970
	Length   int64   `json:"length"`   // nanoseconds
	Messages int     `json:"messages"` // begun in the sample
	// Of those, sent before the sample: their wait is unknown.
	Older   int    `json:"older"`
	Outside int    `json:"outside"` // of those, sent by ordinary goroutines
	Moved   int    `json:"moved"`   // of those, sent on another processor
	Steals  int    `json:"steals"`
	Events  int    `json:"events"`
	Missing uint64 `json:"missing"` // events for which the recorder had no room

	Operations []string `json:"operations"` // names, by the index that lanes use
	Lanes      []lane   `json:"lanes"`      // one for each processor
}

// sample takes a sample and adds it to the view's windows, metrics and ranking.
func (v *view) sample(ctx context.Context) sample {
	if v.rt.Context().Err() != nil {
		return sample{Error: "the runtime has ended"}
	}
	t, err := v.record(ctx, v.length)
	if err != nil {
		return sample{Error: err.Error()}
	}
	v.length = lengthAfter(v.length, len(t.Events))
	cut(t, mostEvents)
	messages, slices := t.Messages(), t.Slices()
	s := sample{
		At: float64(t.Start.UnixMicro()) / 1e3, Length: t.End, Events: len(t.Events), Missing: t.Lost,
		Operations: t.Operations, Lanes: lanes(t, slices),
	}
	for i := range messages {
		m := &messages[i]
		if m.Begin < 0 {
			continue
		}
		s.Messages++
		switch {
		case m.Sent < 0:
			s.Older++
		case m.SentBy == recording.Outside:
			s.Outside++
		case m.Moved:
			s.Moved++
		}
	}
	for i := range t.Events {
		if t.Events[i].Kind == recording.KindSteal {
			s.Steals++
		}
	}
	v.window.add(t, messages, time.Now())
	v.sampled.add(t, messages)
	v.ranking.add(t, slices)
	return s
}

// lengthAfter returns the length of the next sample after one of length d with so many events: at
// most twice as long.
func lengthAfter(d time.Duration, events int) time.Duration {
	next := 2 * d
	if events > aimedEvents/2 {
		next = time.Duration(int64(d) * aimedEvents / int64(events))
	}
	return min(max(next, shortest), longest)
}

// cut drops what a recording has after so many events.
func cut(t *recording.Trace, events int) {
	if len(t.Events) > events {
		t.End = t.Events[events].Time
		t.Events = t.Events[:events]
	}
}
