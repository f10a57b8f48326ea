//go:build gc && !freerun_portable && !go1.27

package sched

// throughHostBuilt is empty: this build may switch directly.
const throughHostBuilt = ""
