package main

import (
	"bufio"
	"fmt"
	"os"
	"path"
	"strings"
)

// A Span is a run of lines of a file that a test reached.
type Span struct{ First, Last int }

// Reached holds the spans of each file, by its import path and its base name.
type Reached map[string][]Span

// touches reports whether a test reached a line of the mutation.
func (r Reached) touches(m Mutation) bool {
	for _, s := range r[m.Path+"/"+path.Base(m.File)] {
		if s.First <= m.Last && m.Line <= s.Last {
			return true
		}
	}
	return false
}

// readProfile reads a coverage profile: the spans that were reached.
func readProfile(file string) (Reached, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	reached := Reached{}
	for s := bufio.NewScanner(f); s.Scan(); {
		name, place, found := strings.Cut(s.Text(), ":")
		if !found || name == "mode" {
			continue
		}
		var first, last, column, statements, count int
		if _, err := fmt.Sscanf(place, "%d.%d,%d.%d %d %d", &first, &column, &last, &column, &statements, &count); err != nil {
			return nil, fmt.Errorf("%s: %q: %w", file, s.Text(), err)
		}
		if count > 0 {
			reached[name] = append(reached[name], Span{first, last})
		}
	}
	return reached, nil
}
