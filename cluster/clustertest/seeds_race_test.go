//go:build race

package clustertest

// ourSeeds is the number of schedules of the tests of package cluster. In each one goroutine runs
// at a time, so that the race detector learns little from more of them.
const ourSeeds = 100

// ourMachines is the number of schedules of the tests of several machines.
const ourMachines = 20
