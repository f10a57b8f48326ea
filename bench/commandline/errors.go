package commandline

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/freerun-go/freerun/bench"
)

// The exit statuses.
const (
	Well        = 0
	Failed      = 1
	Usage       = 2
	Interrupted = 130 // what a shell reports for a program that an interrupt ended
)

// usageError says in one line what is wrong with the command line, and what would be right.
type usageError struct{ text string }

func (e *usageError) Error() string { return e.text }

// Usagef returns an error whose exit status is [Usage]. The text says in one line what is wrong
// with the command line, and what would be right.
func Usagef(format string, args ...any) error { return &usageError{fmt.Sprintf(format, args...)} }

// StatusError is the exit status of another command, which has already written its error.
type StatusError struct{ Status int }

// Error implements error.
func (e *StatusError) Error() string { return fmt.Sprintf("exit status %d", e.Status) }

// Report writes the error, if any, on one line, and returns its exit status.
func Report(errs io.Writer, err error) int {
	if err == nil {
		return Well
	}
	var foreign *StatusError
	if errors.As(err, &foreign) {
		return foreign.Status
	}
	fmt.Fprintf(errs, "freerun: %s\n", strings.ReplaceAll(err.Error(), "\n", "; "))
	var ours *usageError
	var request *bench.UsageError
	switch {
	case errors.As(err, &ours), errors.As(err, &request):
		return Usage
	case errors.Is(err, bench.ErrInterrupted):
		return Interrupted
	}
	return Failed
}

// UnknownName returns the error for a name that is not among the known ones.
func UnknownName(what, name string, known []string) error {
	hint := ""
	if near, ok := bench.Nearest(name, known); ok {
		hint = fmt.Sprintf("did you mean %q? ", near)
	}
	return Usagef("unknown %s %q: %sthere are %s", what, name, hint, strings.Join(known, ", "))
}

// NoArguments refuses arguments for a command that has none.
func NoArguments(c *cobra.Command, args []string) error {
	if len(args) > 0 {
		return Usagef("%s takes no arguments, only flags: %q is too much", c.CommandPath(), args[0])
	}
	return nil
}

// ExplainFlag turns an error of the flag parser into one that says what is wrong and what would be
// right.
func ExplainFlag(c *cobra.Command, err error) error {
	var value *pflag.InvalidValueError
	if errors.As(err, &value) {
		return Usagef("--%s is %q, and must be %s", value.GetFlag().Name, value.GetValue(), wanted(value.GetFlag().Value.Type()))
	}
	var missing *pflag.ValueRequiredError
	if errors.As(err, &missing) {
		return Usagef("--%s needs a value: %s", missing.GetSpecifiedName(), wanted(missing.GetFlag().Value.Type()))
	}
	var absent *pflag.NotExistError
	if errors.As(err, &absent) {
		var known []string
		word := typed(absent)
		c.Flags().VisitAll(func(f *pflag.Flag) {
			if len(f.Name) > 1 || word == "-"+f.Name { // any letter is near any other: no hint
				known = append(known, "--"+f.Name)
			}
		})
		return UnknownName("flag", word, known)
	}
	return Usagef("%s: see %s --help", err, c.CommandPath())
}

// typed returns an unknown flag as it stands on the command line. Behind a single dash the parser
// takes every letter for a flag, and its error names only the first.
func typed(absent *pflag.NotExistError) string {
	if letters := absent.GetSpecifiedShortnames(); letters != "" {
		word, _, _ := strings.Cut(letters, "=")
		return "-" + word
	}
	return "--" + absent.GetSpecifiedName()
}

// wanted describes the values that a type of flag takes.
func wanted(flagType string) string {
	switch flagType {
	case "int":
		return "a whole number"
	case "duration":
		return "a duration such as 500ms, 10s or 1m"
	case "bool":
		return "true or false"
	case "stringSlice":
		return "one word, or several with commas in between"
	}
	return "a " + flagType
}
