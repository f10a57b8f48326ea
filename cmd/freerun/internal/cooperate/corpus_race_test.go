//go:build race

package cooperate

// oneOf says of how many packages one is taken for the tests of whole libraries: few, since one
// goroutine rewrites a package, and each takes ten times as long.
const oneOf = 10
