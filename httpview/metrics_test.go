package httpview

import (
	"bufio"
	"context"
	"fmt"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/recording"
)

// TestCollector compares the metrics with the runtime's figures, and their names with Prometheus's
// conventions.
func TestCollector(t *testing.T) {
	rt := start(t)
	u := freerun.NewUnit(rt, 0, freerun.UnitPriority(freerun.High))
	for range 100 {
		if _, err := increment.Send(rt.Context(), u, 1).Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	freerun.Do(rt.Context(), u, func(*freerun.Context, *int) (int, error) { panic("oh") }).Wait(t.Context())
	if err := rt.Quiesce(t.Context()); err != nil {
		t.Fatal(err)
	}
	stats := rt.Stats()
	want := "# HELP freerun_messages_total Operations that ran to their end.\n# TYPE freerun_messages_total counter\n"
	for i, p := range stats.Processors {
		want += fmt.Sprintf("freerun_messages_total{processor=%q} %d\n", fmt.Sprint(i), p.Messages)
	}
	for _, x := range []struct {
		name, help string
		value      uint64
	}{
		{"messages_sent_total", "Messages sent, from inside and outside, including those that a full mailbox refused.", 101},
		{"messages_failed_total", "Messages done that did not run to their end: refused, canceled, a future that failed, a panic, or the end of the runtime.", 1},
		{"panics_total", "Operations that panicked, or called runtime.Goexit.", 1},
	} {
		want += fmt.Sprintf("# HELP freerun_%s %s\n# TYPE freerun_%[1]s counter\nfreerun_%[1]s %[3]d\n", x.name, x.help, x.value)
	}
	want += "# HELP freerun_messages_pending Messages sent and not done: queued, running, or waiting for futures.\n# TYPE freerun_messages_pending gauge\nfreerun_messages_pending 0\n"
	want += "# HELP freerun_processors Processors in service.\n# TYPE freerun_processors gauge\nfreerun_processors 2\n"
	c := NewCollector(rt)
	if err := testutil.CollectAndCompare(c, strings.NewReader(want), "freerun_messages_total", "freerun_messages_sent_total", "freerun_messages_failed_total",
		"freerun_panics_total", "freerun_messages_pending", "freerun_processors"); err != nil {
		t.Error(err)
	}
	for _, c := range []prometheus.Collector{c, newSampled()} {
		if problems, err := testutil.CollectAndLint(c); err != nil || len(problems) > 0 {
			t.Errorf("%v: %v", problems, err)
		}
	}
	var high uint64
	for _, p := range stats.Processors {
		high += p.High
	}
	if high == 0 || testutil.CollectAndCount(c, "freerun_prioritized_tasks_total") != 3*len(stats.Processors) {
		t.Errorf("%d were of high priority, and %d metrics tell of priorities", high, testutil.CollectAndCount(c, "freerun_prioritized_tasks_total"))
	}
}

// TestScrape: a scrape takes a sample. Its histograms are native, and have classic buckets for
// scrapers that know only these.
func TestScrape(t *testing.T) {
	rt := start(t)
	v := newView(rt, "test")
	v.record = func(context.Context, time.Duration) (*recording.Trace, error) {
		return &recording.Trace{End: 1e6, Processors: 1, Operations: []string{"", "a"}, Sent: 1, Events: run(1, 0, 0, 100, 1100, 2100)}, nil
	}
	v.look(t.Context())
	registry := prometheus.NewRegistry()
	registry.MustRegister(v.sampled)
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	native := 0
	for _, f := range families {
		for _, m := range f.GetMetric() {
			if h := m.GetHistogram(); h != nil {
				native++
				if h.GetSampleCount() != 1 || h.GetSampleSum() < 0.99e-6 || h.GetSampleSum() > 1.01e-6 || h.Schema == nil || len(h.GetBucket()) == 0 {
					t.Errorf("%s is %v", f.GetName(), h)
				}
			}
		}
	}
	if native != 2 {
		t.Errorf("%d histograms, want 2", native)
	}
	if got := testutil.ToFloat64(v.sampled.messages); got != 1 {
		t.Errorf("%v messages were sampled, want 1", got)
	}

	body := get(t, Handler(rt), "/metrics").Body.String()
	for _, line := range []string{"freerun_samples_total 1", "freerun_processors 2", "go_goroutines "} {
		if !strings.Contains(body, "\n"+line) {
			t.Errorf("the metrics lack %s in\n%s", line, body)
		}
	}
}

// TestEveryMetricIsDocumented compares docs/live.md with the registry.
func TestEveryMetricIsDocumented(t *testing.T) {
	document := readDocument(t)
	names := regexp.MustCompile(`^# TYPE (freerun_\w+) `)
	found := 0
	rt := start(t)
	v := newView(rt, "test")
	v.record = func(context.Context, time.Duration) (*recording.Trace, error) {
		return &recording.Trace{End: 1e6, Processors: 1, Operations: []string{"", "a"}, Sent: 1, Events: run(1, 0, 0, 100, 1100, 2100)}, nil
	}
	v.look(t.Context())
	text := scrape(t, NewCollector(rt), v.sampled)
	for lines := bufio.NewScanner(strings.NewReader(text)); lines.Scan(); {
		if m := names.FindStringSubmatch(lines.Text()); m != nil {
			found++
			if !strings.Contains(document, "`"+m[1]) {
				t.Errorf("docs/live.md does not mention %s", m[1])
			}
		}
	}
	if found < 20 {
		t.Errorf("only %d metrics were found", found)
	}
}

// scrape returns the text that a registry with these collectors serves.
func scrape(t *testing.T, all ...prometheus.Collector) string {
	t.Helper()
	registry := prometheus.NewRegistry()
	registry.MustRegister(all...)
	w := get(t, promhttp.HandlerFor(registry, promhttp.HandlerOpts{}), "/")
	return w.Body.String()
}

func readDocument(t *testing.T) string {
	t.Helper()
	raw, err := os.ReadFile("../docs/live.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// TestMetricsOption: /metrics has the program's own metrics. Handler panics if a name is taken.
func TestMetricsOption(t *testing.T) {
	rt := start(t)
	orders := prometheus.NewCounter(prometheus.CounterOpts{Name: "orders_total", Help: "Orders."})
	orders.Add(3)
	request := httptest.NewRequest("GET", "http://127.0.0.1/metrics", nil)
	request.RemoteAddr = "127.0.0.1:4711"
	answer := httptest.NewRecorder()
	Handler(rt, Metrics(orders)).ServeHTTP(answer, request)
	for _, line := range []string{"\norders_total 3\n", "\nfreerun_processors 2\n"} {
		if !strings.Contains(answer.Body.String(), line) {
			t.Errorf("/metrics lacks %q", line)
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("a name that is taken is accepted")
		}
	}()
	Handler(rt, Metrics(NewCollector(rt)))
}
