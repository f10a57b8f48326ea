// Package cluster makes units durable: their state outlives the process, through a kill -9 and the
// loss of power, with the operations that they have ([Durable]). Their store is a file of one
// process ([Local]), or servers that several machines share (package nats below this one). Machines
// that share a store may share units that are in memory, too ([Volatile]).
//
// The command github.com/freerun-go/freerun/cluster/cmd/inspect shows what is in a store.
package cluster
