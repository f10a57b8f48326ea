//go:build !wasm

// Command copy carries all that a program keeps from one store of durable units to another one,
// which it makes: from a folder to servers of NATS, back, or between servers, also with another
// number of partitions. The program must not run. Type `copy -help`.
package main

import (
	"os"

	"github.com/freerun-go/freerun/cluster/nats/internal/copier"
)

func main() { os.Exit(copier.Run(os.Args[1:], os.Stdout, os.Stderr)) }
