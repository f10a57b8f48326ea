// Command freerun serves freerun's database, records its programs, and compiles programs whose
// activities share processors by themselves. Another command, bench/freerun-bench, measures the
// programs beside their rivals; this one hands over to it. Type `freerun --help`.
package main

import (
	"context"
	"os"
)

func main() {
	os.Exit(run(context.Background(), os.Args[1:], os.Stdout, os.Stderr))
}
