package httpview

import (
	"fmt"
	"net/http"
	"net/http/pprof"
	"os"
	"path/filepath"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/freerun-go/freerun"
)

// Option is a setting for [Handler].
type Option func(*settings)

type settings struct {
	title      string
	public     bool
	collectors []prometheus.Collector
}

// Title is what the page calls the program; the name of its executable if it is not given.
func Title(title string) Option { return func(s *settings) { s.title = title } }

// Public has the handler answer requests from anywhere, instead of only those from this machine. What it shows, profiles included, is then for whoever can reach
// it: put something before it that asks who they are.
func Public() Option { return func(s *settings) { s.public = true } }

// Metrics has /metrics show what the collectors collect, beside the figures of the runtime, of Go and of the process: those of the program itself. [Handler] panics if the
// name of a metric is taken.
func Metrics(collectors ...prometheus.Collector) Option {
	return func(s *settings) { s.collectors = append(s.collectors, collectors...) }
}

// Handler returns a handler that shows rt: the page at /, what the page reads at /live.json, metrics for Prometheus at /metrics, and profiles at /debug/pprof/. It
// may be mounted below another path with http.StripPrefix, as long as that ends with a slash. Any number of handlers may show one runtime, each with samples of its own;
// take one. It has no goroutine, needs no end, and answers after the end of the runtime, too. It panics if rt is nil.
func Handler(rt *freerun.Runtime, options ...Option) http.Handler {
	if rt == nil {
		panic("httpview: Handler needs a runtime")
	}
	rt.Processors() // panics if rt is zero: here, and not in a goroutine of the registry
	s := settings{title: filepath.Base(os.Args[0])}
	for i, o := range options {
		if o == nil {
			panic(fmt.Sprintf("httpview: Handler with a nil option, the one with index %d", i))
		}
		o(&s)
	}
	v := newView(rt, s.title)

	registry := prometheus.NewRegistry()
	registry.MustRegister(NewCollector(rt), v.sampled, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	registry.MustRegister(s.collectors...)
	metrics := promhttp.HandlerFor(registry, promhttp.HandlerOpts{EnableOpenMetrics: true})

	mux := http.NewServeMux()
	mux.Handle("GET /", pages())
	mux.HandleFunc("GET /live.json", v.serveFrame)
	mux.HandleFunc("GET /metrics", func(w http.ResponseWriter, r *http.Request) {
		v.look(r.Context()) // the histograms are of samples: a scrape takes one
		metrics.ServeHTTP(w, r)
	})
	mux.HandleFunc("GET /debug/pprof/", pprof.Index)
	mux.HandleFunc("GET /debug/pprof/cmdline", pprof.Cmdline)
	mux.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("GET /debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("POST /debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("GET /debug/pprof/trace", pprof.Trace)
	if s.public {
		return mux
	}
	return guarded(mux)
}
