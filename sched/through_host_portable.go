//go:build !gc || freerun_portable || freerun_newer_go || go1.27

package sched

// throughHostBuilt is why this build switches through the host: the tags freerun_portable and freerun_newer_go ask for it, and nobody has tried yet what a later Go does.
const throughHostBuilt = "it was built so: for another compiler, a newer version of Go than is known, or with the tag freerun_portable"
