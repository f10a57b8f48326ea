//go:build !gc || !(amd64 || arm64) || freerun_portable || go1.27

package goid

// KnowsCreators says whether this build can tell.
const KnowsCreators = false

// Number returns 0: no more is read from a stack trace than what ID needs.
func Number() uint64 { return 0 }

// Creator returns 0: it is not known here.
func Creator() uint64 { return 0 }
