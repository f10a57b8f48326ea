//go:build !race && !freerun_portable && !go1.27

package clustertest

// ourSeeds is the number of schedules of the tests of package cluster.
const ourSeeds = 200

// ourMachines is the number of schedules of the tests of several machines.
const ourMachines = 50
