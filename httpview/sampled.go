package httpview

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/freerun-go/freerun/recording"
)

// sampled are the metrics of the messages in samples. They are native histograms with buckets 10%
// wide, and have some classic buckets for scrapers that do not know native ones.
type sampled struct {
	waits, runs *prometheus.HistogramVec
	samples     prometheus.Counter
	seconds     prometheus.Counter
	messages    prometheus.Counter
	missing     prometheus.Counter
	names       map[string]bool
}

func newSampled() *sampled {
	histogram := func(name, help string) *prometheus.HistogramVec {
		return prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "freerun_sampled_" + name, Help: help,
			// 100 ns to 10 s.
			Buckets:                        prometheus.ExponentialBuckets(100e-9, 10, 9),
			NativeHistogramBucketFactor:    1.1,
			NativeHistogramMaxBucketNumber: 160,
		}, []string{"operation"})
	}
	counter := func(name, help string) prometheus.Counter {
		return prometheus.NewCounter(prometheus.CounterOpts{Name: "freerun_" + name, Help: help})
	}
	return &sampled{
		waits:    histogram("wait_seconds", "Time from the send of a message to its begin, if both are in a sample."),
		runs:     histogram("run_seconds", "Time that an operation ran, if its begin and end are in a sample."),
		samples:  counter("samples_total", "Samples taken: at most one a second, and only for a page or a scrape."),
		seconds:  counter("sampled_seconds_total", "Time that was sampled."),
		messages: counter("sampled_messages_total", "Messages that began in samples."),
		missing:  counter("sample_events_lost_total", "Events that samples are missing because the recorder had no room."),
		names:    map[string]bool{},
	}
}

func (s *sampled) all() []prometheus.Collector {
	return []prometheus.Collector{s.waits, s.runs, s.samples, s.seconds, s.messages, s.missing}
}

// Describe is for the registry. Any goroutine may call it.
func (s *sampled) Describe(to chan<- *prometheus.Desc) {
	for _, c := range s.all() {
		c.Describe(to)
	}
}

// Collect is for the registry. Any goroutine may call it.
func (s *sampled) Collect(to chan<- prometheus.Metric) {
	for _, c := range s.all() {
		c.Collect(to)
	}
}

// add adds the messages of a sample. One goroutine at a time may call it.
func (s *sampled) add(t *recording.Trace, messages []recording.Message) {
	type observers struct{ wait, run prometheus.Observer }
	known := make([]observers, len(t.Operations)+1)
	begun := 0
	for i := range messages {
		m := &messages[i]
		if m.Begin < 0 {
			continue
		}
		begun++
		o := &known[min(int(m.Operation), len(t.Operations))]
		if o.wait == nil {
			name := s.label(t.Operation(m.Operation))
			*o = observers{s.waits.WithLabelValues(name), s.runs.WithLabelValues(name)}
		}
		if m.Waited >= 0 {
			o.wait.Observe(float64(m.Waited) / 1e9)
		}
		if m.End >= 0 && !m.Activity {
			o.run.Observe(float64(m.Ran) / 1e9)
		}
	}
	s.samples.Inc()
	s.seconds.Add(float64(t.End) / 1e9)
	s.messages.Add(float64(begun))
	s.missing.Add(float64(t.Lost))
}

// label returns the label of an operation. It bounds the number of labels, because metrics must not
// have arbitrarily many.
func (s *sampled) label(name string) string {
	if !s.names[name] {
		if len(s.names) >= mostOperations {
			return others
		}
		s.names[name] = true
	}
	return name
}
