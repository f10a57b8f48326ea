package main

import (
	"fmt"
	"os"
	"strings"
)

// Reasons say why tests let a mutation live, by its key.
type Reasons map[string]string

// readReasons reads a table of reasons. Each entry has four parts, a line each, and a blank line
// behind it:
//
//	queue/owner.go Owner.link cas-denied
//	- the source before
//	+ the source afterwards
//	The reason. It may have several lines.
//
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
		reasons[key] = strings.Join(entry[3:], " ")
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
