package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// The question is the same for all.
const (
	argument = 112
	inFlight = 64
	units    = 16 * inFlight // so that each of so many goroutines has units of its own
)

// pad is the argument.
var pad = strings.Repeat("x", argument)

// place is where a process of a variant is.
type place struct {
	URL    string // of the server of NATS
	Ports  []int  // of this process
	Others []int  // of the other one
}

// at is an address of this machine.
func at(port int) string { return "127.0.0.1:" + strconv.Itoa(port) }

// variant is a way to call units.
type variant struct {
	name     string
	promises string // what a call that was answered is, and one that was not
	server   bool   // it needs a server of NATS
	ports    int    // how many each process needs
	units    func(p place) (stop func(), err error)
	caller   func(p place) (*caller, error)
}

// caller calls units.
type caller struct {
	// call calls a unit, and returns what it has counted. Any goroutine may.
	call func(unit int) (int64, error)
	// send does not wait, nil where there are no futures. One goroutine calls it.
	send func(unit int) (wait func() (int64, error))
	// total returns what all units have counted, nil for what call returns.
	total func() (int64, error)
	stop  func()
}

// counted returns how many calls had an effect.
func (c *caller) counted() (all int64, err error) {
	if c.total != nil {
		return c.total()
	}
	for unit := range units {
		n, err := c.call(unit)
		if err != nil {
			return 0, err
		}
		all += n - 1
	}
	return all, nil
}

var variants = []variant{volatileUnits, linkedUnits, embeddedUnits, natsRequests, goaktActors, goaktGrains, protoActors, protoGrains, directUnits, loggedUnits, rawPairs}

func names() (all []string) {
	for _, v := range variants {
		all = append(all, v.name)
	}
	return all
}

// find returns the variant of a name.
func find(name string) (variant, error) {
	i := slices.IndexFunc(variants, func(v variant) bool { return v.name == name })
	if i < 0 {
		return variant{}, fmt.Errorf("there is no variant %q; there are %s", name, strings.Join(names(), ", "))
	}
	return variants[i], nil
}

// choose returns the variants of names: all for none.
func choose(only []string) (chosen []variant, err error) {
	if len(only) == 0 {
		return variants, nil
	}
	for _, name := range only {
		v, err := find(name)
		if err != nil {
			return nil, err
		}
		chosen = append(chosen, v)
	}
	return chosen, nil
}
