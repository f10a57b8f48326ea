//go:build !race

package cooperate

// oneOf says of how many packages one is taken for the tests of whole libraries.
const oneOf = 1
