package otelfreerun

import (
	"context"
	"fmt"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/internal/figures"
)

// Processor is the key of the attribute with a processor's number, from 0 on.
const Processor = attribute.Key("freerun.processor")

// figure is a counter of the runtime.
type figure struct {
	name, unit, description string
	of                      func(*freerun.Stats) uint64
}

var wholeFigures = []figure{
	{"freerun.messages.sent", "{message}", "Messages sent, from inside and outside, including those that a full mailbox refused.", func(s *freerun.Stats) uint64 { return s.Sent }},
	{"freerun.messages.done", "{message}", "Messages that ran or failed.", func(s *freerun.Stats) uint64 { return s.Done }},
	{"freerun.messages.failed", "{message}", "Messages done that did not run to their end.", func(s *freerun.Stats) uint64 { return s.Failed }},
	{"freerun.failures.lost", "{failure}", "Failures of messages without a future.", func(s *freerun.Stats) uint64 { return s.Lost }},
	{"freerun.panics", "{panic}", "Operations that panicked.", func(s *freerun.Stats) uint64 { return s.Panics }},
	{"freerun.late_operations", "{operation}", "Operations that the watchdog reported because they did not return.", func(s *freerun.Stats) uint64 { return s.Late }},
	{"freerun.reports.untold", "{report}", "Reports to the logger, and calls of the hook of OnLost, that were dropped as one before them took too long.", func(s *freerun.Stats) uint64 { return s.Untold }},
}

// processorFigure is a counter of one processor.
type processorFigure struct {
	name, unit, description string
	of                      func(*freerun.ProcessorStats) uint64
}

var processorFigures = []processorFigure{
	{"freerun.processor.messages", "{message}", "Operations that ran to their end.", func(p *freerun.ProcessorStats) uint64 { return p.Messages }},
	{"freerun.processor.steals", "{steal}", "Times that the processor took work from another one.", func(p *freerun.ProcessorStats) uint64 { return p.Steals }},
	{"freerun.processor.stolen_tasks", "{task}", "Units and free operations that the processor took from another one.", func(p *freerun.ProcessorStats) uint64 { return p.Stolen }},
	{"freerun.processor.searches", "{search}", "Times that the processor looked for work everywhere.", func(p *freerun.ProcessorStats) uint64 { return p.Searches }},
	{"freerun.processor.parks", "{park}", "Times that the processor had no work and slept.", func(p *freerun.ProcessorStats) uint64 { return p.Parks }},
	{"freerun.processor.wakes", "{wake}", "Times that the processor was woken to look for work.", func(p *freerun.ProcessorStats) uint64 { return p.Wakes }},
	{"freerun.processor.yields", "{yield}", "Times that the busy processor let other goroutines run.", func(p *freerun.ProcessorStats) uint64 { return p.Yields }},
}

// instruments are the instruments of one registration.
type instruments struct {
	rt         *freerun.Runtime
	processors metric.Int64ObservableUpDownCounter
	pending    metric.Int64ObservableUpDownCounter
	whole      []metric.Int64ObservableCounter // as wholeFigures
	each       []metric.Int64ObservableCounter // as processorFigures
	modules    map[*figures.Figure]metric.Float64Observable
}

// Observe registers the figures of rt, and of the modules that work for it, as a store of durable
// units does, with meter: they are observed whenever a reader of the
// meter's provider collects. The caller ends this by unregistering the registration, which may
// outlive the runtime. Each observation has the attributes; two runtimes with one meter need
// attributes that tell them apart. The error is the meter's, which may refuse an instrument; then
// nothing is observed.
//
// Any goroutine may call it; it does not wait. A collection reads the counters and does not disturb
// the processors. It panics if rt or meter is nil.
func Observe(rt *freerun.Runtime, meter metric.Meter, attributes ...attribute.KeyValue) (metric.Registration, error) {
	if rt == nil || meter == nil {
		panic("otelfreerun: Observe needs a runtime and a meter")
	}
	// Panics for a zero Runtime here, rather than in a goroutine of the reader.
	rt.Processors()
	i := instruments{rt: rt}
	all, err := i.make(meter)
	if err != nil {
		return nil, fmt.Errorf("otelfreerun: the meter refuses an instrument: %w", err)
	}
	common := attribute.NewSet(attributes...)
	registration, err := meter.RegisterCallback(func(_ context.Context, o metric.Observer) error {
		i.observe(o, common)
		return nil
	}, all...)
	if err != nil {
		return nil, fmt.Errorf("otelfreerun: the meter refuses the observation: %w", err)
	}
	return registration, nil
}

// make makes the instruments.
func (i *instruments) make(meter metric.Meter) (all []metric.Observable, err error) {
	if i.processors, err = meter.Int64ObservableUpDownCounter("freerun.processors", metric.WithUnit("{processor}"), metric.WithDescription("Processors in service.")); err != nil {
		return nil, err
	}
	if i.pending, err = meter.Int64ObservableUpDownCounter("freerun.messages.pending", metric.WithUnit("{message}"), metric.WithDescription("Messages sent and not done.")); err != nil {
		return nil, err
	}
	all = append(all, i.processors, i.pending)
	for _, f := range wholeFigures {
		c, err := meter.Int64ObservableCounter(f.name, metric.WithUnit(f.unit), metric.WithDescription(f.description))
		if err != nil {
			return nil, err
		}
		i.whole, all = append(i.whole, c), append(all, c)
	}
	for _, f := range processorFigures {
		c, err := meter.Int64ObservableCounter(f.name, metric.WithUnit(f.unit), metric.WithDescription(f.description))
		if err != nil {
			return nil, err
		}
		i.each, all = append(i.each, c), append(all, c)
	}
	modules, err := i.makeModules(meter)
	return append(all, modules...), err
}

func (i *instruments) observe(o metric.Observer, common attribute.Set) {
	stats := i.rt.Stats()
	with := metric.WithAttributeSet(common)
	o.ObserveInt64(i.processors, int64(i.rt.Processors()), with)
	// The two counters are read one after the other.
	o.ObserveInt64(i.pending, max(0, int64(stats.Sent-stats.Done)), with)
	for n, f := range wholeFigures {
		o.ObserveInt64(i.whole[n], int64(f.of(&stats)), with)
	}
	i.observeModules(o, common)
	for p := range stats.Processors {
		with := metric.WithAttributeSet(attribute.NewSet(append(common.ToSlice(), Processor.Int(p))...))
		for n, f := range processorFigures {
			o.ObserveInt64(i.each[n], int64(f.of(&stats.Processors[p])), with)
		}
	}
}
