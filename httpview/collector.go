package httpview

import (
	"strconv"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/internal/figures"
)

// collector is a prometheus.Collector of the figures of a runtime and of modules that work for it.
type collector struct {
	rt      *freerun.Runtime
	modules map[*figures.Figure]*prometheus.Desc
}

// NewCollector returns a collector of rt's figures for a registry of your own, with those of the
// modules that work for rt, as a store of durable units does; [Handler] includes it already. It
// takes no samples, does not wait, and any goroutine may collect from it, also after the end of the
// runtime. Two runtimes in one registry need prometheus.WrapRegistererWith and a label that tells
// them apart. It panics if rt is nil.
func NewCollector(rt *freerun.Runtime) prometheus.Collector {
	if rt == nil {
		panic("httpview: NewCollector needs a runtime")
	}
	// Panics for a zero Runtime here, rather than in a goroutine of the registry.
	rt.Processors()
	return collector{rt, describeModules()}
}

// describe makes the description of a metric, of the runtime or with the label processor of each
// processor.
func describe(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc("freerun_"+name, help, labels, nil)
}

var (
	describeProcessors = describe("processors", "Processors in service.")
	describePending    = describe("messages_pending", "Messages sent and not done: queued, running, or waiting for futures.")
)

// counter is a figure of the whole runtime that only grows.
type counter struct {
	desc *prometheus.Desc
	of   func(*freerun.Stats) uint64
}

var counters = []counter{
	{describe("messages_sent_total", "Messages sent, from inside and outside, including those that a full mailbox refused."), func(s *freerun.Stats) uint64 { return s.Sent }},
	{describe("messages_done_total", "Messages that ran or failed."), func(s *freerun.Stats) uint64 { return s.Done }},
	{describe("messages_failed_total", "Messages done that did not run to their end: refused, canceled, a future that failed, a panic, or the end of the runtime."), func(s *freerun.Stats) uint64 { return s.Failed }},
	{describe("failures_lost_total", "Failures of messages without a future."), func(s *freerun.Stats) uint64 { return s.Lost }},
	{describe("panics_total", "Operations that panicked, or called runtime.Goexit."), func(s *freerun.Stats) uint64 { return s.Panics }},
	{describe("late_operations_total", "Operations that the watchdog reported because they did not return."), func(s *freerun.Stats) uint64 { return s.Late }},
	{describe("reports_untold_total", "Reports to the logger, and calls of the hook of OnLost, that were dropped as one before them took too long."), func(s *freerun.Stats) uint64 { return s.Untold }},
}

// perProcessor is a figure of one processor that only grows.
type perProcessor struct {
	desc *prometheus.Desc
	of   func(*freerun.ProcessorStats) uint64
}

var perProcessors = []perProcessor{
	{describe("messages_total", "Operations that ran to their end.", "processor"), func(p *freerun.ProcessorStats) uint64 { return p.Messages }},
	{describe("steals_total", "Times that a processor took work from another one.", "processor"), func(p *freerun.ProcessorStats) uint64 { return p.Steals }},
	{describe("stolen_tasks_total", "Units and free operations that a processor took from another one.", "processor"), func(p *freerun.ProcessorStats) uint64 { return p.Stolen }},
	{describe("searches_total", "Times that a processor looked for work everywhere.", "processor"), func(p *freerun.ProcessorStats) uint64 { return p.Searches }},
	{describe("parks_total", "Times that a processor had no work and slept.", "processor"), func(p *freerun.ProcessorStats) uint64 { return p.Parks }},
	{describe("wakes_total", "Times that a processor was woken to look for work.", "processor"), func(p *freerun.ProcessorStats) uint64 { return p.Wakes }},
	{describe("yields_total", "Times that a busy processor yielded to other goroutines.", "processor"), func(p *freerun.ProcessorStats) uint64 { return p.Yields }},
}

// priorities are the figures of one processor by priority. Those of normal priority are the rest.
var (
	describePriorities = describe("prioritized_tasks_total", "Units and free operations of a priority other than normal that a processor has taken to run.", "processor", "priority")
	priorities         = []struct {
		name string
		of   func(*freerun.ProcessorStats) uint64
	}{
		{"high", func(p *freerun.ProcessorStats) uint64 { return p.High }},
		{"low", func(p *freerun.ProcessorStats) uint64 { return p.Low }},
		{"idle", func(p *freerun.ProcessorStats) uint64 { return p.Idle }},
	}
)

// Describe is called by a registry.
func (c collector) Describe(to chan<- *prometheus.Desc) {
	to <- describeProcessors
	to <- describePending
	to <- describePriorities
	for _, x := range counters {
		to <- x.desc
	}
	for _, x := range perProcessors {
		to <- x.desc
	}
	for _, desc := range c.modules {
		to <- desc
	}
}

// Collect is for the registry. Any goroutine may call it.
func (c collector) Collect(to chan<- prometheus.Metric) {
	stats := c.rt.Stats()
	to <- prometheus.MustNewConstMetric(describeProcessors, prometheus.GaugeValue, float64(c.rt.Processors()))
	to <- prometheus.MustNewConstMetric(describePending, prometheus.GaugeValue, pending(&stats))
	for _, x := range counters {
		to <- prometheus.MustNewConstMetric(x.desc, prometheus.CounterValue, float64(x.of(&stats)))
	}
	for i := range stats.Processors {
		number := strconv.Itoa(i)
		for _, x := range perProcessors {
			to <- prometheus.MustNewConstMetric(x.desc, prometheus.CounterValue, float64(x.of(&stats.Processors[i])), number)
		}
		for _, x := range priorities {
			to <- prometheus.MustNewConstMetric(describePriorities, prometheus.CounterValue, float64(x.of(&stats.Processors[i])), number, x.name)
		}
	}
	c.collectModules(to)
}

// pending returns how many messages were sent and are not done. The two counters are read one after
// the other, so the difference may be off.
func pending(s *freerun.Stats) float64 { return max(0, float64(s.Sent)-float64(s.Done)) }
