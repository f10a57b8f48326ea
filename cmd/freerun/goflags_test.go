package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestGoLine checks how a command line is parsed: the packages, the flags that decide what is
// compiled, and the arguments for the go command.
func TestGoLine(t *testing.T) {
	for line, want := range map[string]string{
		"build":                                 `patterns [] list [] go: build -overlay=O`,
		"build ./... ./x":                       `patterns [./... ./x] list [] go: build -overlay=O ./... ./x`,
		"build -o out -v -tags a,b .":           `patterns [.] list [-tags=a,b] go: build -overlay=O -o out -v -tags a,b .`,
		"build --tags=a -race -trimpath=false ": `patterns [] list [--tags=a -race -trimpath=false] go: build -overlay=O --tags=a -race -trimpath=false`,
		"build -C dir -mod=mod .":               `patterns [.] list [-mod=mod] go: build -C dir -overlay=O -mod=mod .`,
		"build -C=dir .":                        `patterns [.] list [] go: build -C=dir -overlay=O .`,
		"build -overlay u.json .":               `patterns [.] list [-overlay=u.json] go: build -overlay=O .`,
		"build -gcflags -m -- -odd":             `patterns [-odd] list [-gcflags=-m] go: build -overlay=O -gcflags -m -- -odd`,
		"build -wrong .":                        `foreign go: build -overlay=O -wrong .`,
		"build -o":                              `patterns [] list [] go: build -overlay=O -o`,
		"run . -race x.go":                      `patterns [.] list [] go: run -overlay=O . -race x.go`,
		"run -race a.go b.go c d.go":            `patterns [a.go b.go] list [-race] go: run -overlay=O -race a.go b.go c d.go`,
		"run -exec sudo ./x ./...":              `patterns [./x] list [] go: run -overlay=O -exec sudo ./x ./...`,
		"run":                                   `patterns [] list [] go: run -overlay=O`,
		"test -run X ./a ./b -count 2 -race":    `patterns [./a ./b] list [-race] go: test -overlay=O -run X ./a ./b -count 2 -race`,
		"test -v . -args -race ./c":             `patterns [.] list [] go: test -overlay=O -v . -args -race ./c`,
		"test . -mine 5 ./c":                    `patterns [.] list [] go: test -overlay=O . -mine 5 ./c`,
		"test -test.run X -cover":               `patterns [] list [] go: test -overlay=O -test.run X -cover`,
	} {
		words := strings.Fields(line)
		l := parseGoLine(words[0], words[1:])
		got := fmt.Sprintf("patterns %v list %v", l.patterns, l.list)
		if l.foreign {
			got = "foreign"
		}
		got += " go: " + strings.Join(l.words("O"), " ")
		if got != want {
			t.Errorf("freerun %s:\n got %s\nwant %s", line, got, want)
		}
	}
}

func TestSplitQuoted(t *testing.T) {
	for text, want := range map[string][]string{
		"":                                  nil,
		" -a  -tags=x ":                     {"-a", "-tags=x"},
		"'-overlay=/a b.json' -race":        {"-overlay=/a b.json", "-race"},
		"\"-ldflags=-X 'a=b c'\"\t-mod=mod": {"-ldflags=-X 'a=b c'", "-mod=mod"},
		"'-tags=x y":                        {"-tags=x y"},
	} {
		if got := splitQuoted(text); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
