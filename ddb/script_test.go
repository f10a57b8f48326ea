package ddb

import (
	"os"
	"strconv"
	"strings"
	"testing"
)

// readLines returns the lines of a file without comments and empty ones.
func readLines(t testing.TB, name string) []string {
	t.Helper()
	content, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for line := range strings.Lines(string(content)) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			lines = append(lines, line)
		}
	}
	return lines
}

// splitWords splits at spaces. A word that begins with a double quote is a Go string; {300xa}
// stands for 300 times a.
func splitWords(line string) ([]string, error) {
	var words []string
	for line = strings.TrimLeft(line, " "); line != ""; line = strings.TrimLeft(line, " ") {
		if line[0] == '"' {
			quoted, err := strconv.QuotedPrefix(line)
			if err != nil {
				return nil, err
			}
			word, err := strconv.Unquote(quoted)
			if err != nil {
				return nil, err
			}
			words, line = append(words, word), line[len(quoted):]
			continue
		}
		word, rest, _ := strings.Cut(line, " ")
		if count, unit, ok := strings.Cut(strings.Trim(word, "{}"), "x"); ok && word[0] == '{' {
			n, err := strconv.Atoi(count)
			if err != nil {
				return nil, err
			}
			word = strings.Repeat(unit, n)
		}
		words, line = append(words, word), rest
	}
	return words, nil
}
