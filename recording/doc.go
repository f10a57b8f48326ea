// Package recording models recordings of freerun programs: what each processor did and when, which
// message sent which, and what had to wait for what. A runtime makes a recording
// ([freerun.Runtime.StartTrace] and its relatives). This package has the model, reads the file, and
// draws conclusions.
//
//	what                                   use
//	a recording, all of it                 [Trace]
//	from a file, whole or broken           [Read]
//	messages and slices, put together      [Trace.Messages], [Trace.Slices]
//	work, span, the critical path          [Analyze]
//	for ui.perfetto.dev                    [Trace.WriteChrome]
//
// The package imports no runtime, so a tool that reads recordings needs none. Its functions and
// methods do not wait, except for the reader or writer that they are given. They may be called
// concurrently while no goroutine changes the Trace.
//
// [freerun.Runtime.StartTrace]: https://pkg.go.dev/github.com/freerun-go/freerun#Runtime.StartTrace
package recording
