// Command freerun measures freerun's programs beside their rivals, serves its database, and
// compiles programs whose activities share processors by themselves. Type `freerun --help`.
package main

import (
	"context"
	"os"
)

func main() {
	os.Exit(run(context.Background(), os.Args[1:], os.Stdout, os.Stderr))
}
