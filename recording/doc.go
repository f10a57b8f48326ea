// Package recording is about recordings of freerun programs: what a processor did when, who sent what to whom, and what had to wait for what. A
// recording is made by a runtime ([freerun.Runtime.StartTrace] and its relatives); here is the model of it, the file that it is kept in, and what can be
// concluded from it.
//
//	what                                   use
//	a recording, all of it                 [Trace]
//	from a file, whole or broken           [Read]
//	messages and slices, put together      [Trace.Messages], [Trace.Slices]
//	work, span, the critical path          [Analyze]
//	for ui.perfetto.dev                    [Trace.WriteChrome]
//
// The package knows nothing of runtimes, and imports none.
//
// [freerun.Runtime.StartTrace]: https://pkg.go.dev/github.com/freerun-go/freerun#Runtime.StartTrace
package recording
