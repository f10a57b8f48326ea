package freerun_test

import (
	"fmt"
	"strings"

	"github.com/freerun-go/freerun"
)

type shelf struct{ Books int }

var (
	_ = freerun.Op("library.shelve", func(_ *freerun.Context, s *shelf, books int) (int, error) {
		s.Books += books
		return s.Books, nil
	})
	_ = freerun.NewKind("library.shelves", func(*freerun.Context, string) (shelf, error) { return shelf{}, nil })
)

// What a program has declared, with the types: a page for people, or a check at its start.
func ExampleOperations() {
	for o := range freerun.Operations() {
		if _, name, ours := strings.Cut(o.Name, "library."); ours {
			fmt.Printf("%s %s on %v: %v -> %v\n", o.Constructor, name, o.States, o.Arg, o.Result)
		}
	}
	// Output:
	// Op shelve on [freerun_test.shelf]: int -> int
	// NewKind shelves on [freerun_test.shelf]: string -> <nil>
}
