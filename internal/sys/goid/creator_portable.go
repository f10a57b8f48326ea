//go:build !gc || !(amd64 || arm64) || freerun_portable || go1.27

package goid

// KnowsCreators reports whether this build can find creators.
const KnowsCreators = false

// Number returns 0: this build reads no more of a stack trace than ID needs.
func Number() uint64 { return 0 }

// Creator returns 0: this build does not know creators.
func Creator() uint64 { return 0 }
