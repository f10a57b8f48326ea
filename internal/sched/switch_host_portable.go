//go:build !gc || freerun_portable || go1.27

package sched

// throughHostBuilt is why this build switches through the host: the tag freerun_portable, or a
// compiler or version of Go that freerun was not tested with.
const throughHostBuilt = "it was built so: for another compiler, for a Go that freerun was not tested with, or with the tag freerun_portable"
