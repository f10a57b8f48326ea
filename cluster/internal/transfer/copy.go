//go:build !wasm

package transfer

import (
	"errors"
	"fmt"

	"github.com/freerun-go/freerun/cluster/internal/engine"
)

// Sketch:     all is read twice. First it is counted, and the target asked whether it has a place
//             for each thing: if not, nothing is made
//             then the target is made, and filled; and only when all is in it, and nobody has had
//             one of the stores meanwhile, it is one that a program opens

// Source is a store that is read.
type Source interface {
	// Names returns, by names that a program has had for its kinds, those that they have here.
	Names() map[string]string
	// Each calls each with all that is kept, until it returns an error, which Each returns: units
	// and outcomes, then failures, then what is under way, in its order. It may be called again.
	Each(each func(Item) error) error
}

// Target is a store that is made.
type Target interface {
	// Takes returns why it has no place for an item; nil if it has.
	Takes(i Item) error
	// Fill makes the store with what each puts into it, and calls whole before a program can open
	// it. If one of them fails, there is no store.
	Fill(names map[string]string, each func(put func(Item) error) error, whole func() error) error
}

// Counts says how much there is.
type Counts struct {
	Units    map[string]int `json:"units"` // by their kinds
	Sent     int            `json:"sent"`
	Failures int            `json:"failures"`
	Timers   int            `json:"timers"`
	Outcomes int            `json:"outcomes"` // of operations with an identity
}

func (c *Counts) add(i Item) {
	switch {
	case i.Unit != nil:
		c.Units[i.Unit.Kind]++
		c.Timers += len(i.Unit.timers)
	case i.Outcome != nil:
		c.Outcomes++
	case i.Failure != nil:
		c.Failures++
	default:
		c.Sent++
	}
}

// All returns how many items there are.
func (c *Counts) All() int {
	n := c.Sent + c.Failures + c.Outcomes
	for _, units := range c.Units {
		n += units
	}
	return n
}

// Copy copies all of a source. progress is told how many of all items are copied; still is called
// before the copy becomes a store, and returns why it is not to be one.
func Copy(from Source, to Target, progress func(copied, all int), still func() error) (Counts, error) {
	all := Counts{Units: map[string]int{}}
	refused, first := 0, error(nil)
	err := from.Each(func(i Item) error {
		all.add(i)
		if err := to.Takes(i); err != nil {
			if refused++; first == nil {
				first = fmt.Errorf("%v: %w", i, err)
			}
		}
		return nil
	})
	if err != nil {
		return all, err
	}
	if first != nil {
		return all, fmt.Errorf("%d of %d entries cannot be copied, and nothing was; the first: %w", refused, all.All(), first)
	}
	copied := Counts{Units: map[string]int{}}
	err = to.Fill(from.Names(), func(put func(Item) error) error {
		return from.Each(func(i Item) error {
			if err := put(i); err != nil {
				return fmt.Errorf("%v: %w", i, err)
			}
			copied.add(i)
			progress(copied.All(), all.All())
			return nil
		})
	}, func() error {
		if copied.All() != all.All() {
			return fmt.Errorf("%w: there were %d entries, and then %d", ErrChanged, all.All(), copied.All())
		}
		return still()
	})
	return all, err
}

// Errors of copies.
var (
	// ErrChanged says that a program has used a store while it was copied.
	ErrChanged = errors.New("a program has used the store meanwhile")
	// ErrNoPlace says that another store has no place for something.
	ErrNoPlace = errors.New("the other store has no place for it")
)

// lost is an error of something that cannot be read.
func lost(what string, err error) error {
	if errors.Is(err, engine.ErrStateLost) {
		return fmt.Errorf("%s: %w", what, err)
	}
	return fmt.Errorf("%w: %s: %w", engine.ErrStateLost, what, err)
}
