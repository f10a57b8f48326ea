package httpview

import (
	"context"
	"time"

	"github.com/freerun-go/freerun/recording"
)

// A sample is as long as it takes for so many events, between the two lengths. Where nothing happens the page would wait for nothing, so not longer.
const (
	aimedEvents = 4000
	mostEvents  = 4 * aimedEvents // what is beyond is not looked at: a goroutine may come late to the end of its recording
	shortest    = 200 * time.Microsecond
	longest     = 40 * time.Millisecond
)

// sample is what a recording of some milliseconds came to. Shares are of its length.
type sample struct {
	Error    string  `json:"error"`    // why there is none
	At       float64 `json:"at"`       // milliseconds since 1970
	Length   int64   `json:"length"`   // nanoseconds
	Messages int     `json:"messages"` // that were begun
	Older    int     `json:"older"`    // of those, how many were sent before it: how long they waited is not known
	Outside  int     `json:"outside"`  // of those, how many had been sent by ordinary goroutines
	Moved    int     `json:"moved"`    // of those, how many had been sent on another processor
	Steals   int     `json:"steals"`
	Events   int     `json:"events"`
	Missing  uint64  `json:"missing"` // events that the recorder had no room for

	Operations []string `json:"operations"` // the names that the lanes refer to
	Lanes      []lane   `json:"lanes"`      // one for each processor
}

// sample records for a while, and takes what it learns into the view.
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
		case m.Moved():
			s.Moved++
		}
	}
	for i := range t.Events {
		if t.Events[i].Kind == recording.Steal {
			s.Steals++
		}
	}
	v.window.add(t, messages, time.Now())
	v.sampled.add(t, messages)
	v.ranking.add(t, slices)
	return s
}

// lengthAfter returns how long the next sample shall be, after one of length d with so many events: at most twice as long.
func lengthAfter(d time.Duration, events int) time.Duration {
	next := 2 * d
	if events > aimedEvents/2 {
		next = time.Duration(int64(d) * aimedEvents / int64(events))
	}
	return min(max(next, shortest), longest)
}

// cut ends a recording after so many events.
func cut(t *recording.Trace, events int) {
	if len(t.Events) > events {
		t.End = t.Events[events].Time
		t.Events = t.Events[:events]
	}
}
