package archtest

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
)

// A Ratchet is a table of what is allowed for now: how often each thing may occur. It only shrinks.
type Ratchet map[string]int

// ReadRatchet reads a table: a line for each thing, its count and its name with a blank between. Lines that begin with
// # are comments.
func ReadRatchet(file string) (Ratchet, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	r, number := Ratchet{}, 0
	for line := range strings.Lines(string(text)) {
		number++
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		count, name, found := strings.Cut(line, " ")
		n, err := strconv.Atoi(count)
		if !found || err != nil || n <= 0 {
			return nil, fmt.Errorf("%s:%d: a line has a count above 0, a blank and a name, not %q", file, number, line)
		}
		if _, twice := r[name]; twice {
			return nil, fmt.Errorf("%s:%d: %s is in the table twice", file, number, name)
		}
		r[name] = n
	}
	return r, nil
}

// Compare returns a sentence for each name whose count is not the one that the table has.
func (r Ratchet) Compare(now Ratchet) (problems []string) {
	names := map[string]bool{}
	for name := range r {
		names[name] = true
	}
	for name := range now {
		names[name] = true
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		switch allowed, has := r[name], now[name]; {
		case has > allowed:
			problems = append(problems, fmt.Sprintf("%s: %d, allowed are %d", name, has, allowed))
		case has < allowed:
			problems = append(problems, fmt.Sprintf("%s: %d are left, and the table still allows %d: draw it again with -update", name, has, allowed))
		}
	}
	return problems
}

// Redraw writes the table that holds now, with the head that the file has. It refuses a greater sum than the old one,
// so that what moves from one name to another is no obstacle, and what is new is one.
func (r Ratchet) Redraw(file string, now Ratchet) error {
	if before, after := r.sum(), now.sum(); after > before {
		return fmt.Errorf("%s: it would rise from %d to %d; it only shrinks", file, before, after)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var out strings.Builder
	for line := range strings.Lines(string(text)) {
		if !strings.HasPrefix(line, "#") {
			break
		}
		out.WriteString(line)
	}
	for _, name := range slices.Sorted(maps.Keys(now)) {
		fmt.Fprintf(&out, "%d %s\n", now[name], name)
	}
	return os.WriteFile(file, []byte(out.String()), 0o644)
}

func (r Ratchet) sum() int {
	sum := 0
	for _, n := range r {
		sum += n
	}
	return sum
}
