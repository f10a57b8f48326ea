//go:build !wasm

// Command inspect shows what is in a store of durable units, without the program's types. It opens
// the store for reading only, and repairs nothing. Type `inspect -help`.
package main

import (
	"os"

	"github.com/freerun-go/freerun/cluster/internal/inspect"
)

func main() { os.Exit(inspect.Run(os.Args[1:], os.Stdout, os.Stderr, nil)) }
