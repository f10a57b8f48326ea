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

// The keys of the spans' attributes, beside [Processor].
const (
	Unit     = attribute.Key("freerun.unit")     // the unit's name, if it has one
	State    = attribute.Key("freerun.state")    // the type of the unit's state
	Activity = attribute.Key("freerun.activity") // true for a message that is an activity
	// Seconds from the send to the begin, if both are known.
	Wait = attribute.Key("freerun.wait")
	// Seconds that it ran, without waits off its processor.
	Ran = attribute.Key("freerun.ran")
)

// Spans makes a span for each message that has begun and ended in the recording, and returns the
// number of spans. A span has the name and the times of the operation. The events "sent" and
// "ready" tell when the message was sent and when all that it needed was there. The parent is the
// span of the message that sent it, or the span in ctx if the recording does not have that message.
//
// All spans are ended when Spans returns. It does not wait, unless the program's span processor
// does. Any goroutine may call it. Its cost grows with the messages of the recording. It panics if
// ctx, tracer or t is nil.
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
	// A sender begins before the messages that it sends, so parents come first.
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

// at returns the wall-clock time at an offset of the recording, in nanoseconds.
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
	if m.Waited >= 0 {
		all = append(all, Wait.Float64(float64(m.Waited)/1e9))
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
