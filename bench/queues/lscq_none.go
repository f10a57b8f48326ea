//go:build !(amd64 || arm64) || race

package queues

import (
	"errors"

	"github.com/freerun-go/freerun/programs"
)

const hasLSCQ = false

var errNoLSCQ = errors.New("lscq builds for amd64 and arm64 only, and not under the race detector")

// lscqVariants has lscq by its name alone, so that rows of it can be read: it fits no values.
var lscqVariants = []programs.Variant{{
	Name: "lscq", Kind: programs.Rival, Doc: lscqDoc,
	Fits: func(programs.Values) bool { return false },
	Run:  func(programs.Config) (programs.Result, error) { return programs.Result{}, errNoLSCQ },
}}
