//go:build !explore

package hazard

import "runtime"

// exact forbids the shortcut of Screen.
const exact = false

// expected returns the number of records to begin with.
func expected() int { return runtime.GOMAXPROCS(0) }
