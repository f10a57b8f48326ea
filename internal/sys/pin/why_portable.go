//go:build (!gc || freerun_portable || go1.27) && !race && !explore

package pin

const why = "without what only tested versions of the gc compiler have, or with the tag freerun_portable"
