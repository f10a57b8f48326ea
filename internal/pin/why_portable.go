//go:build freerun_portable && !race && !explore

package pin

const why = "with the tag freerun_portable"
