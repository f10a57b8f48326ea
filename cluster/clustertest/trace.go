package clustertest

import (
	"fmt"
	"strings"
)

// trace is what has happened in a run, as a sum that tells two runs apart; and as lines, if they
// are asked for.
type trace struct {
	sum   uint64
	keeps bool
	lines []string
}

// begins notes that an operation begins.
func (t *trace) begins(processor int, operation string) {
	t.mix(string('0' + byte(processor)))
	t.mix(operation)
	if t.keeps {
		t.lines = append(t.lines, fmt.Sprintf("processor %d: %s", processor, operation))
	}
}

// event notes something else.
func (t *trace) event(what string, parts ...string) {
	t.mix(what)
	for _, part := range parts {
		t.mix(part)
	}
	if t.keeps {
		t.lines = append(t.lines, fmt.Sprintf("%s %q", what, parts))
	}
}

// mix adds a text to the sum, by FNV-1a.
func (t *trace) mix(text string) {
	for i := range len(text) {
		t.sum = (t.sum ^ uint64(text[i])) * 1099511628211
	}
	t.sum = (t.sum ^ 0x100) * 1099511628211
}

// difference describes where two traces differ that keep their lines.
func (t *trace) difference(from *trace) string {
	for i := range min(len(t.lines), len(from.lines)) {
		if t.lines[i] != from.lines[i] {
			return fmt.Sprintf("event %d is\n\t%s\nin one run, and in the other\n\t%s", i+1, t.lines[i], from.lines[i])
		}
	}
	return fmt.Sprintf("one run has %d events, the other %d; the last that both have is %s", len(t.lines), len(from.lines), strings.Join(t.lines[max(0, min(len(t.lines), len(from.lines))-1):min(len(t.lines), len(from.lines))], ""))
}
