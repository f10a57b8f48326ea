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

// Option is a setting for [Handler]: Title, Public, Metrics. A value may be copied and used for
// several handlers. The zero Option is invalid.
type Option struct{ apply func(*settings) }

type settings struct {
	title      string
	public     bool
	collectors []prometheus.Collector
}

// Title sets the name of the program on the page. The default is the name of its executable.
func Title(title string) Option {
	return Option{func(s *settings) { s.title = title }}
}

// Public makes the handler answer requests from anywhere, not only those from this machine.
// Everything, profiles included, is then open to all that can reach the handler: put authentication
// in front of it.
func Public() Option {
	return Option{func(s *settings) { s.public = true }}
}

// Metrics adds the program's own collectors to /metrics, beside the figures of the runtime, of Go
// and of the process. [Handler] panics if the name of a metric is taken.
func Metrics(collectors ...prometheus.Collector) Option {
	return Option{func(s *settings) { s.collectors = append(s.collectors, collectors...) }}
}

// Handler returns a handler that shows rt: the page at /, its data at /live.json, metrics for
// Prometheus at /metrics, and profiles at /debug/pprof/. With http.StripPrefix it can be mounted
// below a path that ends with a slash.
//
// The handler may serve any number of requests at once. A request may wait for a sample, at most
// some tens of milliseconds; see the package's documentation for the cost. The handler has no
// goroutine, needs no end, and also answers after the end of the runtime. Several handlers may show
// one runtime, but each takes samples of its own: one is enough. Handler does not wait. It panics
// if rt is nil, or if an option is the zero Option.
func Handler(rt *freerun.Runtime, options ...Option) http.Handler {
	if rt == nil {
		panic("httpview: Handler needs a runtime")
	}
	// Panics for a zero Runtime here, rather than in a goroutine of the registry.
	rt.Processors()
	s := settings{title: filepath.Base(os.Args[0])}
	for i, o := range options {
		if o.apply == nil {
			panic(fmt.Sprintf("httpview: a zero Option, the one with index %d", i))
		}
		o.apply(&s)
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
		v.look(r.Context()) // a scrape takes a sample, for the histograms
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
