// Package httpview shows a running program: what its processors run, which units are busy, how long
// messages wait and operations run, and what the watchdog reported. It serves a page for people,
// /metrics for Prometheus, and /debug/pprof for go tool pprof:
//
//	http.ListenAndServe("127.0.0.1:7070", httpview.Handler(rt))
//
//	what                                          use
//	the page, the metrics, the profiles           [Handler]
//	the figures of a runtime in your own registry [NewCollector]
//
// # What it costs
//
// Without viewers it costs nothing: there is no goroutine and no timer. A request gets the
// runtime's figures and a sample: the runtime records everything for some milliseconds
// ([freerun.Runtime.Sample]), at most once a second, and all requests within that second share the
// sample. So the page's figures of operations and units are figures of samples, and it shows how
// many messages they are from. The busier the runtime, the shorter the sample: it aims at some
// thousand events.
//
// # Access
//
// The page and the profiles reveal much about a program. So a handler answers only requests that
// come from this machine and name it by a loopback name; a page from elsewhere cannot read it
// through a browser. With [Public] it answers all requests.
//
// This package imports net/http/pprof, which registers its handlers with http.DefaultServeMux: do
// not serve that mux to strangers.
package httpview
