//go:build explore

package pin

import "github.com/freerun-go/freerun/internal/model"

// Exclusive is true: a model thread has a processor of its own.
const Exclusive = true

// Pin returns the number of the model thread.
func Pin() int { return model.Index() }

// Unpin does nothing.
func Unpin() {}

// Rendezvous does nothing.
func Rendezvous() {}
