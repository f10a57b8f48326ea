// Package httpview shows a running program: what its processors run, which units are busy, how long messages wait and operations run, and what the watchdog has
// reported. It is a page of its own for people, /metrics for Prometheus, and /debug/pprof for go tool pprof:
//
//	http.ListenAndServe("127.0.0.1:7070", httpview.Handler(rt))
//
//	what                                          use
//	the page, the metrics, the profiles           [Handler]
//	the figures of a runtime in your own registry [NewCollector]
//
// # What it costs
//
// Nothing while nobody looks: there is no goroutine and no timer. Whoever asks gets the runtime's figures, and a sample: the runtime records all that happens for some
// milliseconds ([freerun.Runtime.Sample]), at most once a second, and all who ask within that second get the same. So what the page says of operations and units is
// said of samples, and it says of how many messages. A sample is made shorter where more happens, to some thousand events.
//
// # Who may look
//
// A page and profiles tell much about a program. A handler therefore answers only requests that come from this machine and ask for it by a loopback name, so that no
// page from elsewhere can read it through a browser; with [Public] it answers all.
//
// This package imports net/http/pprof, which registers its handlers with http.DefaultServeMux, as it always does: do not show that to strangers.
package httpview
