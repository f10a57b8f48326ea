//go:build !explore

package freerun

// What the explorer leaves out: kind_cycle_model.go.
const (
	looksBehind  = true // N2
	helpersLook  = true // N2
	settlesFirst = true // N3
)
