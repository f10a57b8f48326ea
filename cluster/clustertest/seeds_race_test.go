//go:build race || freerun_portable || go1.27

package clustertest

// ourSeeds is the number of schedules of the tests of package cluster. In each, one goroutine runs
// at a time, so that the race detector learns little from more of them, and what the portable build
// has of its own runs in few.
const ourSeeds = 6

// ourMachines is the number of schedules of the tests of several machines.
const ourMachines = 1
