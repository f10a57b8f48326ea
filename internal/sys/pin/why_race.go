//go:build race && !explore

package pin

const why = "with -race"
