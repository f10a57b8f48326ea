package otelfreerun

import (
	"sync"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"github.com/freerun-go/freerun"
)

var priorities = map[freerun.Priority]string{freerun.High: "high", freerun.Low: "low", freerun.Idle: "idle"}

// lists has lists of attributes to be used again: a span copies what it is given.
var lists = sync.Pool{New: func() any { return new([4]attribute.KeyValue) }}

// describeRun tells a span which operation it is of.
func describeRun(c *freerun.Context, i *freerun.Invocation, span trace.Span) {
	list := lists.Get().(*[4]attribute.KeyValue)
	defer lists.Put(list)
	all := list[:0]
	if u, is := seam.Unit(i, 0); is {
		if _, more := seam.Unit(i, 1); more {
			all = append(all, Units.StringSlice(unitsOf(i)))
		} else {
			if u.Name != "" {
				all = append(all, Unit.String(u.Name))
			}
			if u.Kind != "" {
				all = append(all, Kind.String(u.Kind), Key.String(u.Key))
			}
		}
	}
	if p := c.Priority(); p != freerun.Normal {
		all = append(all, Priority.String(priorities[p]))
	}
	if len(all) > 0 {
		span.SetAttributes(all...)
	}
	for _, value := range seam.Signs(i) {
		if of, is := value.(trace.SpanContext); is {
			span.AddLink(trace.Link{SpanContext: of})
		}
	}
}

// unitsOf returns the names of the units that an operation runs on.
func unitsOf(i *freerun.Invocation) (names []string) {
	for n := 0; ; n++ {
		u, is := seam.Unit(i, n)
		if !is {
			return names
		}
		names = append(names, u.Name)
	}
}
