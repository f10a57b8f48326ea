// Command freerun-bench carries out `freerun bench` and `freerun simulate`. It is a command of its
// own because it links the other libraries that programs are compared with, and those that plot.
// The command freerun, which serves, records and compiles, has none of these. It hands over the
// command lines that begin with bench or simulate, and finds freerun-bench by itself.
package main

import (
	"context"
	"os"
)

func main() {
	os.Exit(run(context.Background(), os.Args[1:], os.Stdout, os.Stderr))
}
