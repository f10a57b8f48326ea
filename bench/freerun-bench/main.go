// Command freerun-bench carries out `freerun bench` and `freerun simulate`. It is a command of its
// own because it links the other libraries that programs are compared with. The command freerun,
// which serves, records and compiles, has none of these. It hands over the command lines that begin
// with bench or simulate, and finds freerun-bench by itself. In the same way freerun-bench finds
// freerun-draw, which draws a report: it measures in processes of this command, whose heap should
// be small before a program begins.
package main

import (
	"context"
	"os"
)

func main() {
	os.Exit(run(context.Background(), os.Args[1:], os.Stdout, os.Stderr))
}
