//go:build go1.27 && !freerun_portable && !race && !explore

package pin

const why = "by a Go that freerun was not tested with"
