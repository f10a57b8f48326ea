// Package embedded runs a server of NATS in the process of a program with durable units: one
// machine without any other program, or three and five that share their units. It is a package of
// its own, so that programs whose servers run elsewhere do not link the server.
//
// On one machine [github.com/freerun-go/freerun/cluster.Local] is quicker, and smaller. A server
// alone is for programs whose other processes use it ([Listen]), or that are to become several.
// On WebAssembly the package is empty.
package embedded
