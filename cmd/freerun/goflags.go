package main

import (
	"slices"
	"strings"
)

// goLine is a command line of the go command, as far as it says what is compiled.
type goLine struct {
	verb     string   // build, run or test
	before   []string // -C and its value, which the go command wants first
	rest     []string // all the others, without -overlay
	dir      string   // of -C
	overlay  string   // of -overlay
	list     []string // the flags that decide what is compiled, in the form in which `go list` takes them too
	patterns []string
	covered  bool // coverage is measured
	foreign  bool // there is a flag that is unknown here: the go command shall say what it is
}

// The flags of the go command that stand alone. The others have a value.
var standAlone = strings.Fields(`a asan artifacts benchmem buildvcs c cover failfast fullpath json linkshared modcacherw msan n race short trimpath v work x`)

// The flags that decide what is compiled, and how.
var selecting = strings.Fields(`asan asmflags buildmode compiler gccgoflags gcflags installsuffix linkshared mod modcacherw modfile msan overlay pgo pkgdir
	race tags toolexec trimpath`)

// The other flags with a value, of the command itself and of tests.
var valued = strings.Fields(`C covermode coverpkg coverprofile debug-actiongraph debug-runtime-trace debug-trace exec ldflags o p vet
	bench benchtime blockprofile blockprofilerate count cpu cpuprofile fuzz fuzzminimizetime fuzztime fuzzcachedir list memprofile memprofilerate
	mutexprofile mutexprofilefraction outputdir parallel run shuffle skip timeout trace testlogfile`)

// parseGoLine takes the arguments of `freerun build`, run or test apart, which are those of the go command.
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
			l.foreign = verb != "test" // what go test does not know is for the test
			l.rest = append(l.rest, args...)
			return l
		}
		l.note(name, value, args[:words])
		args = args[words:]
	}
	return l
}

// takePatterns notes the packages at the head of args, and returns how many words they are.
func (l *goLine) takePatterns(args []string) int {
	n := 0
	for n < len(args) && !(l.verb == "test" && strings.HasPrefix(args[n], "-")) {
		if l.verb == "run" && n > 0 && !strings.HasSuffix(args[n], ".go") {
			break // the arguments of the program
		}
		n++
		if l.verb == "run" && !strings.HasSuffix(args[0], ".go") {
			break
		}
	}
	l.patterns = append(l.patterns, args[:n]...)
	return n
}

// note notes a flag and its value, if it has one.
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

// words returns the arguments for the go command, with an overlay.
func (l *goLine) words(overlay string) []string {
	words := append([]string{l.verb}, l.before...)
	if overlay != "" {
		words = append(words, "-overlay="+overlay)
	}
	return append(words, l.rest...)
}
