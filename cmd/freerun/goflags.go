package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// goLine is a command line of the go command, parsed as far as it decides what is compiled.
type goLine struct {
	verb     string   // build, run or test
	before   []string // -C and its value, which must come first
	rest     []string // all other arguments, without -overlay
	dir      string   // the value of -C
	overlay  string   // the value of -overlay
	list     []string // the flags that decide what is compiled, in a form that `go list` takes too
	patterns []string
	covered  bool // whether coverage is measured
	foreign  bool // whether a flag is unknown here: the go command reports it
}

// standAlone are the flags of the go command without a value. All others have a value.
var standAlone = strings.Fields(`a asan artifacts benchmem buildvcs c cover failfast fullpath json linkshared modcacherw msan n race short trimpath v work x`)

// selecting are the flags that decide what is compiled, and how.
var selecting = strings.Fields(`asan asmflags buildmode compiler gccgoflags gcflags installsuffix linkshared mod modcacherw modfile msan overlay pgo pkgdir
	race tags toolexec trimpath`)

// valued are the other flags with a value, of the go command itself and of tests.
var valued = strings.Fields(`C covermode coverpkg coverprofile debug-actiongraph debug-runtime-trace debug-trace exec ldflags o p vet
	bench benchtime blockprofile blockprofilerate count cpu cpuprofile fuzz fuzzminimizetime fuzztime fuzzcachedir list memprofile memprofilerate
	mutexprofile mutexprofilefraction outputdir parallel run shuffle skip timeout trace testlogfile`)

// parseGoLine parses the arguments of `freerun build`, run or test, which are those of the go
// command.
func parseGoLine(verb string, args []string) goLine {
	l := goLine{verb: verb}
	for len(args) > 0 {
		arg := args[0]
		name, value, hasValue := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(arg, "-"), "-"), "=")
		switch {
		case arg == "-" || !strings.HasPrefix(arg, "-"):
			n := l.takePatterns(args)
			l.rest, args = append(l.rest, args[:n]...), args[n:]
			if verb != "test" {
				l.rest = append(l.rest, args...)
				return l
			}
			continue
		case arg == "--" && verb != "test":
			l.rest = append(l.rest, arg)
			l.rest, args = append(l.rest, args[1:]...), args[1:]
			l.takePatterns(args)
			return l
		case verb == "test" && name == "args":
			l.rest = append(l.rest, args...)
			return l
		}
		if verb == "test" {
			name = strings.TrimPrefix(name, "test.")
		}
		words := 1
		switch {
		case slices.Contains(standAlone, name), hasValue:
		case slices.Contains(selecting, name), slices.Contains(valued, name):
			if len(args) > 1 {
				words, value = 2, args[1]
			}
		default:
			l.foreign = verb != "test" // a flag that go test does not know is for the test
			l.rest = append(l.rest, args...)
			return l
		}
		l.note(name, value, args[:words])
		args = args[words:]
	}
	return l
}

// takePatterns adds the packages at the head of args to the patterns, and returns the number of
// their words.
func (l *goLine) takePatterns(args []string) int {
	n := 0
	for n < len(args) && !(l.verb == "test" && strings.HasPrefix(args[n], "-")) {
		if l.verb == "run" && n > 0 && !strings.HasSuffix(args[n], ".go") {
			break // the program's own arguments begin here
		}
		n++
		if l.verb == "run" && !strings.HasSuffix(args[0], ".go") {
			break
		}
	}
	l.patterns = append(l.patterns, args[:n]...)
	return n
}

// note records a flag and its value, if it has one.
func (l *goLine) note(name, value string, words []string) {
	switch {
	case name == "C":
		l.before, l.dir = words, value
		return
	case name == "overlay":
		l.overlay = value
	default:
		l.covered = l.covered || strings.HasPrefix(name, "cover") && value != "false"
		l.rest = append(l.rest, words...)
	}
	if slices.Contains(selecting, name) {
		flag := words[0]
		if len(words) == 2 {
			flag = "-" + name + "=" + value
		}
		l.list = append(l.list, flag)
	}
}

// folder returns the folder in which the go command runs, by the path that it has for the go
// command: that of the shell if it is the shell's, and otherwise one without symbolic links.
func (l *goLine) folder() (string, error) {
	dir, err := filepath.Abs(l.dir)
	if err != nil || l.dir == "" {
		return dir, err
	}
	physical, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return dir, nil // the go command reports what is wrong with it
	}
	if shell, err := os.Getwd(); err == nil && isSame(shell, physical) {
		return shell, nil
	}
	return physical, nil
}

// isSame reports whether two paths lead to the same folder.
func isSame(a, b string) bool {
	x, errX := os.Stat(a)
	y, errY := os.Stat(b)
	return errX == nil && errY == nil && os.SameFile(x, y)
}

// splitQuoted splits a list of flags at spaces, as the go command does with GOFLAGS: a word may be
// in quotes of either sort.
func splitQuoted(text string) (words []string) {
	for {
		text = strings.TrimLeft(text, " \t\r\n")
		if text == "" {
			return words
		}
		end, skip := strings.IndexAny(text, " \t\r\n"), 0
		if quote := text[0]; quote == '\'' || quote == '"' {
			text = text[1:]
			end, skip = strings.IndexByte(text, quote), 1
		}
		if end < 0 {
			return append(words, text)
		}
		words, text = append(words, text[:end]), text[end+skip:]
	}
}

// words returns the arguments for the go command, with an overlay if it is not "".
func (l *goLine) words(overlay string) []string {
	words := append([]string{l.verb}, l.before...)
	if overlay != "" {
		words = append(words, "-overlay="+overlay)
	}
	return append(words, l.rest...)
}
