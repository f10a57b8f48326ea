//go:build !wasm

package inspect

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// cut is how many characters of a state or an argument are printed without -full.
const cut = 100

// text prints entries for people, under the headings of their parts.
type text struct {
	w       io.Writer
	heading string // the last one
	keys    bool   // no states
	full    bool
}

// print prints an entry.
func (t *text) print(e entry) {
	heading := map[string]string{unit: e.Kind, sent: "under way", failure: "failures", unknown: "neither units nor messages"}[e.Type]
	if e.Type == unit {
		heading = "kind " + shown(e.Kind)
	}
	if heading != t.heading {
		fmt.Fprintf(t.w, "\n%s\n", heading)
		t.heading = heading
	}
	what := e.key()
	if e.Type == sent || e.Type == failure {
		what = strconv.FormatUint(e.Number, 10)
		if e.Operation != "" {
			what += fmt.Sprintf("  %s to %s of kind %s", shown(e.Operation), e.key(), shown(e.Kind))
		}
	}
	switch {
	case e.Error != "":
		fmt.Fprintf(t.w, "  %s  error: %s\n", what, line(e.Error))
	case t.keys:
		fmt.Fprintf(t.w, "  %s\n", what)
	default:
		fmt.Fprintf(t.w, "  %s  %s\n", what, t.value(e))
	}
	for _, due := range e.Timers {
		every := ""
		if due.Every > 0 {
			every = fmt.Sprintf(", every %v", due.Every)
		}
		fmt.Fprintf(t.w, "    timer %s: %s at %s%s\n", shown(due.Name), shown(due.Operation), due.Due.Format(time.RFC3339Nano), every)
	}
	if e.AskedBy != "" {
		fmt.Fprintf(t.w, "    asked by: %s\n", line(e.AskedBy))
	}
	if e.Why != "" {
		fmt.Fprintf(t.w, "    why: %s\n", line(e.Why))
	}
}

// key returns the key of an entry, for people.
func (e *entry) key() string {
	if e.Key == nil {
		return "hex " + e.KeyHex
	}
	return shown(*e.Key)
}

// value returns the state or the argument of an entry: JSON on one line, or hex.
func (t *text) value(e entry) string {
	if e.ValueHex != nil {
		size := hex.DecodedLen(len(*e.ValueHex))
		return "hex " + t.cut(*e.ValueHex, size)
	}
	if e.ValueText != nil {
		return t.cut(line(*e.ValueText), len(*e.ValueText))
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, e.Value); err != nil {
		return "error: " + err.Error() // it was valid when it was read
	}
	return t.cut(escaped(compact.String()), len(e.Value))
}

// cut shortens a text that stands for size bytes.
func (t *text) cut(s string, size int) string {
	if t.full || utf8.RuneCountInString(s) <= cut {
		return s
	}
	end := 0
	for range cut {
		_, n := utf8.DecodeRuneInString(s[end:])
		end += n
	}
	return fmt.Sprintf("%s… (%d bytes)", s[:end], size)
}

// shown returns a name as it is, or quoted if it could be taken for something else.
func shown(name string) string {
	if name == "" || line(name) != name || strings.ContainsAny(name, ` "`) {
		return strconv.Quote(name)
	}
	return name
}

// line returns a text without what would break its line, or speak to the terminal.
func line(s string) string { return escaped(strings.ToValidUTF8(s, "\uFFFD")) }

// escaped escapes what is no printable character as JSON does it within a string.
func escaped(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case strconv.IsPrint(r):
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r > 0xFFFF: // as a pair of surrogates
			r -= 0x10000
			fmt.Fprintf(&b, `\u%04x\u%04x`, 0xD800+r>>10, 0xDC00+r&0x3FF)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}
