//go:build !race

package offheap_test

const raceEnabled = false
