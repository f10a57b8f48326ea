//go:build explore

package hazard

// exact is true: Screen must not use its shortcut. Addresses differ between executions, which must
// be equal.
const exact = true

// expected returns the number of records to begin with, which is 1: Enter adds further ones as they
// are needed.
func expected() int { return 1 }
