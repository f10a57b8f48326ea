package main

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// ledgers is how many units there are under chaos.
const ledgers = 100

// scenario is a way to have units on three machines, of which one is killed.
type scenario struct {
	name     string
	promises string
	server   bool // it needs a server of NATS
	ports    int  // how many each process needs
	node     func(p place) (*member, error)
}

// member is one of the machines.
type member struct {
	self string // its name, once it has one
	// hold has the units be on this machine; nil where the machines have agreed on that.
	hold func() error
	// find finds the units that are on a machine, to call them.
	find func(owner string) (*book, error)
	stop func()
}

// book is the units that are called. Any goroutine may.
type book struct {
	// note has the unit have the identity once more. It fails if there is no answer in time.
	note func(unit int, id string, most time.Duration) error
	// read returns what it has.
	read func(unit int) (ids []string, err error)
}

var scenarios = []scenario{volatileLedgers, goaktLedgers, protoLedgers, loggedLedgers}

// scene returns the scenario of a name.
func scene(name string) (scenario, error) {
	i := slices.IndexFunc(scenarios, func(s scenario) bool { return s.name == name })
	if i < 0 {
		return scenario{}, fmt.Errorf("there is no scenario %q; there are %s", name, strings.Join(scenes(), ", "))
	}
	return scenarios[i], nil
}

func scenes() (all []string) {
	for _, s := range scenarios {
		all = append(all, s.name)
	}
	return all
}

// list and unlist are the identities of a unit as a text.
func list(ids []string) string { return strings.Join(ids, ",") }

func unlist(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(text, ",")
}
