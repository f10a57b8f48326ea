// Package cluster makes units durable: their state outlives the process, through a kill -9 and the
// loss of power, with the operations that they have.
//
// The command github.com/freerun-go/freerun/cluster/cmd/inspect shows what is in a store.
package cluster
