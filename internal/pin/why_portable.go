//go:build (freerun_portable || go1.27) && !race && !explore

package pin

const why = "with the tag freerun_portable, or by a Go that freerun was not tested with"
