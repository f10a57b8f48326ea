package archtest

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
)

// A Ratchet is a table of allowed exceptions: how often each may occur. It only shrinks.
type Ratchet map[string]int

// ReadRatchet reads a table: a line for each name, with its count, a blank and the name. Lines that
// begin with # are comments.
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

// Compare returns a sentence for each name whose count differs from the table's.
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

// Redraw writes a table with the counts of now, below the head of the old table. It refuses a sum
// that is greater than the old one: a count may move from one name to another, but the sum must not
// rise.
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

// A Tally is a number that may not grow, with the reasons of its rises.
type Tally struct {
	Base  int
	Rises []Rise
}

// A Rise is an addition to a Tally, with its reason.
type Rise struct {
	By     int
	Reason string
}

// Allowed returns the number that the base and the rises add up to.
func (t Tally) Allowed() int {
	n := t.Base
	for _, r := range t.Rises {
		n += r.By
	}
	return n
}

// ReadTally reads a file with a number in its first line, and a line for each rise: +3, a blank and
// the reason. Lines that begin with # are comments.
func ReadTally(file string) (Tally, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return Tally{}, err
	}
	var t Tally
	number, first := 0, true
	for line := range strings.Lines(string(text)) {
		number++
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		count, reason, _ := strings.Cut(line, " ")
		n, err := strconv.Atoi(count)
		switch {
		case err != nil || n <= 0:
			return Tally{}, fmt.Errorf("%s:%d: a line begins with a number above 0: %q", file, number, line)
		case first:
			t.Base, first = n, false
		case !strings.HasPrefix(line, "+") || strings.TrimSpace(reason) == "":
			return Tally{}, fmt.Errorf("%s:%d: a rise is + and a number, a blank and the reason: %q", file, number, line)
		default:
			t.Rises = append(t.Rises, Rise{n, reason})
		}
	}
	if first {
		return Tally{}, fmt.Errorf("%s has no number", file)
	}
	return t, nil
}

// Lower writes the base that makes the Tally equal now. It refuses to raise the Tally: a rise needs
// a line with a reason.
func (t Tally) Lower(file string, now int) error {
	base := t.Base + now - t.Allowed()
	if base > t.Base {
		return fmt.Errorf("%s: %d are more than the %d allowed; add a line +%d with the reason, or show less", file, now, t.Allowed(), now-t.Allowed())
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	lines := strings.Split(string(text), "\n")
	for i, line := range lines {
		if line != "" && !strings.HasPrefix(line, "#") {
			lines[i] = strconv.Itoa(base)
			break
		}
	}
	return os.WriteFile(file, []byte(strings.Join(lines, "\n")), 0o644)
}
