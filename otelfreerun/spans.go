package otelfreerun

import (
	"cmp"
	"context"
	"slices"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"github.com/freerun-go/freerun/recording"
)

// The attributes of spans, beside [Processor].
const (
	Unit     = attribute.Key("freerun.unit")     // the unit's name, for those that have one
	State    = attribute.Key("freerun.state")    // the type of the unit's state
	Activity = attribute.Key("freerun.activity") // the message is an activity
	Wait     = attribute.Key("freerun.wait")     // seconds from the send to the begin, where both are known
	Ran      = attribute.Key("freerun.ran")      // seconds that it ran, without those in which it waited off its processor
)

// Spans starts and ends a span with the tracer for each message that has begun and ended in the recording, and returns how many that were. A span has the name and the
// times of the operation; that it was sent, and that all it needed was there, are events of the span. Its parent is the span of the message that sent it, or what ctx has
// if that is not in the recording. All spans are ended when it returns; it does not wait, unless
// the program's span processor does. Any goroutine; it panics if ctx, tracer or t is nil.
func Spans(ctx context.Context, tracer trace.Tracer, t *recording.Trace) int {
	if ctx == nil || tracer == nil || t == nil {
		panic("otelfreerun: Spans needs a context, a tracer and a recording")
	}
	messages := t.Messages()
	var whole []uint32
	for i := range messages {
		if messages[i].Begin >= 0 && messages[i].End >= 0 {
			whole = append(whole, uint32(i))
		}
	}
	// Who sends has begun before what it sends begins, so parents are there first.
	slices.SortStableFunc(whole, func(a, b uint32) int { return cmp.Compare(messages[a].Begin, messages[b].Begin) })
	parents := make(map[uint32]context.Context, len(whole))
	for _, n := range whole {
		m := &messages[n]
		parent, ok := parents[m.Sender]
		if !ok {
			parent = ctx
		}
		started, span := tracer.Start(parent, nameOf(t, m), trace.WithTimestamp(at(t, m.Begin)), trace.WithAttributes(describe(t, m)...))
		if m.Sent >= 0 {
			span.AddEvent("sent", trace.WithTimestamp(at(t, m.Sent)))
		}
		if m.Ready > m.Sent {
			span.AddEvent("ready", trace.WithTimestamp(at(t, m.Ready)))
		}
		span.End(trace.WithTimestamp(at(t, m.End)))
		parents[n] = started
	}
	return len(whole)
}

// at returns the time of the wall clock at so many nanoseconds of the recording.
func at(t *recording.Trace, nanoseconds int64) time.Time {
	return t.Start.Add(time.Duration(nanoseconds))
}

func nameOf(t *recording.Trace, m *recording.Message) string {
	return cmp.Or(t.Operation(m.Operation), "unknown operation")
}

func describe(t *recording.Trace, m *recording.Message) []attribute.KeyValue {
	all := []attribute.KeyValue{Ran.Float64(float64(m.Ran) / 1e9)}
	if m.RanOn != recording.Outside {
		all = append(all, Processor.Int(int(m.RanOn)))
	}
	if wait, known := m.Wait(); known {
		all = append(all, Wait.Float64(float64(wait)/1e9))
	}
	if m.Activity {
		all = append(all, Activity.Bool(true))
	}
	if m.Unit != 0 && int(m.Unit) < len(t.Units) {
		u := &t.Units[m.Unit]
		if u.Name != "" {
			all = append(all, Unit.String(u.Name))
		}
		if u.State != "" {
			all = append(all, State.String(u.State))
		}
	}
	return all
}
