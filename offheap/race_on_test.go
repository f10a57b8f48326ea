//go:build race

package offheap_test

const raceEnabled = true
