//go:build unix && !linux && !race && !explore

package offheap

const noReserve = 0
