package main

import (
	"fmt"
	"os"
	"strings"
)

// Reasons say why tests let a mutation live, by its key. A reason that begins with sameMark says
// that no caller can see a difference, but perhaps in time.
type Reasons map[string]string

const (
	sameMark  = "same: "
	livesMark = "lives: "
)

// same reports whether a reason says that the mutation changes nothing but time.
func (r Reasons) same(key string) bool { return strings.HasPrefix(r[key], sameMark) }

// readReasons reads a table of reasons. Each entry has four parts, a line each, and a blank line
// behind it:
//
//	queue/owner.go Owner.link cas-denied
//	- the source before
//	+ the source afterwards
//	same: The reason. It may have several lines.
//
// A reason begins with "same: " if no caller can see a difference, but perhaps in time, and with
// "lives: " otherwise.
// Lines that begin with # are comments.
func readReasons(file string) (Reasons, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	reasons := Reasons{}
	var entry []string
	finish := func(line int) error {
		defer func() { entry = nil }()
		if len(entry) == 0 {
			return nil
		}
		if len(entry) < 4 || !strings.HasPrefix(entry[1], "- ") || !strings.HasPrefix(entry[2], "+ ") {
			return fmt.Errorf("%s:%d: an entry is the head, a line with -, a line with +, and the reason: %q", file, line, entry)
		}
		key := strings.Join(entry[:3], "\n")
		if reasons[key] != "" {
			return fmt.Errorf("%s:%d: a second reason for %s", file, line, entry[0])
		}
		reason := strings.Join(entry[3:], " ")
		if !strings.HasPrefix(reason, sameMark) && !strings.HasPrefix(reason, livesMark) {
			return fmt.Errorf("%s:%d: a reason begins with %q or %q: %q", file, line, sameMark, livesMark, reason)
		}
		reasons[key] = reason
		return nil
	}
	number := 0
	for line := range strings.Lines(string(text)) {
		number++
		switch line = strings.TrimSpace(line); {
		case strings.HasPrefix(line, "#"):
		case line != "":
			entry = append(entry, line)
		default:
			if err := finish(number); err != nil {
				return nil, err
			}
		}
	}
	return reasons, finish(number)
}
