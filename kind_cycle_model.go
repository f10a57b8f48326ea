//go:build explore

package freerun

// Variables here, for the controls of explorations, which leave out one step each.
var (
	looksBehind  = true // N2
	helpersLook  = true // N2
	settlesFirst = true // N3
)
