package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/freerun-go/freerun/bench/commandline"
	"github.com/freerun-go/freerun/cmd/freerun/internal/cooperate"
	"github.com/freerun-go/freerun/cmd/freerun/internal/goruntime"
	"github.com/freerun-go/freerun/internal/sys/blockhook"
)

// aboutChecks is the common part of the help of build, run and test.
const aboutChecks = `
It takes what the go command takes: flags, packages, arguments. The packages of the main module, or of the
workspace, that are named or imported are compiled with checks: at the head of every turn of a loop, and before
every goto backward, where an *activity.Activity is in reach, the activity gives up its processor if it has
used up its quantum. So a loop shares its processor although it yields nowhere.
In reach is the first parameter of that type, or a local variable that gets its value from one, from a field,
a type assertion or activity.Of; function literals have what the function around them has. In all code, also
without checks, in other modules and in the standard library, Go's runtime preempts the activity after a
millisecond. Where it cannot, on wasm and with a Go that is not known, functions have checks at their heads.

A function with the line //freerun:uncooperative in its doc comment is not interrupted, nor is what it
calls. Errors, panics and debuggers name lines of your files, which are not touched. docs/cooperation.md has
the details.

Exit status: that of the go command; 1 if its packages cannot be rewritten.`

// newGoCommand returns a subcommand that runs the go command of that name, on code with checks.
func newGoCommand(verb, use, short, example string) *cobra.Command {
	return &cobra.Command{
		Use:                verb + " " + use,
		Short:              short,
		Long:               short + ", as `go " + verb + "` does.\n" + aboutChecks,
		Example:            example,
		DisableFlagParsing: true,
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) > 0 && slices.Contains([]string{"-h", "-help", "--help"}, args[0]) {
				return c.Help()
			}
			return runGo(c, parseGoLine(verb, args))
		},
	}
}

// runGo rewrites the packages to be compiled, and runs the go command on the result.
func runGo(c *cobra.Command, l goLine) (err error) {
	if l.foreign {
		return goCommand(c, l.words(l.overlay))
	}
	dir, err := l.folder()
	if err != nil {
		return err
	}
	env, err := cooperate.GoEnv(dir, nil)
	if err != nil {
		return err
	}
	users, err := usersOverlay(&l, dir, env["GOFLAGS"])
	if err != nil {
		return err
	}
	result, err := cooperate.Rewrite(cooperate.Request{
		Dir: dir, GoEnv: env, Flags: l.list, Patterns: l.patterns, Tests: l.verb == "test", Overlay: users, Keep: cached("rewritten"),
		Preempted: isPreempted(env),
		Below:     func(r *cooperate.Result) error { return addGo(c, r, env, users) },
	})
	if err != nil {
		return err
	}
	if l.covered && !result.Empty() {
		fmt.Fprintln(c.ErrOrStderr(), "freerun: packages whose coverage is measured have no checks, and //freerun:uncooperative means nothing in them: the go command reads their files where they are")
	}
	overlay := l.overlay
	if result.IsWritten() {
		folder, err := os.MkdirTemp("", "freerun-"+l.verb+"-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(folder)
		if overlay, err = result.Write(folder, users); err != nil {
			return err
		}
	}
	if err := goCommand(c, l.words(overlay)); err != nil {
		return err
	}
	// The go command has accepted these packages, so the rewriter should have.
	if len(result.Skipped) > 0 {
		return fmt.Errorf("compiled without checks: %w", errors.Join(result.Skipped...))
	}
	return nil
}

// cached returns a folder of that name for what is kept between commands, or "" if there is none.
func cached(name string) string {
	folder, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(folder, "freerun", name)
}

// overlays is the name of the folder for what `freerun overlay` keeps.
const overlays = "overlays"

// usersOverlay reads the overlay that the user's command line or environment names.
func usersOverlay(l *goLine, dir, goflags string) (map[string]string, error) {
	if l.overlay == "" {
		for _, word := range splitQuoted(goflags) {
			if name, value, _ := strings.Cut(strings.TrimLeft(word, "-"), "="); name == "overlay" {
				l.overlay = value
			}
		}
	}
	if l.overlay == "" {
		return nil, nil
	}
	users, err := cooperate.ReadOverlay(cooperate.InFolder(dir, l.overlay), dir)
	if err != nil {
		return nil, commandline.Usagef("-overlay is %q, and must be a JSON file as `go help build` describes it: %v", l.overlay, err)
	}
	if goruntime.Without(users); len(users) == 0 { // of `freerun overlay`
		l.overlay, users = "", nil
	}
	return users, nil
}

// goCommand runs the go command to its end, on this command's terminal.
func goCommand(c *cobra.Command, words []string) error {
	g := exec.Command("go", words...)
	if len(words) > 0 && words[0] == "test" {
		g.Env = append(os.Environ(), blockhook.TestCommand+"=1")
	}
	g.Stdin, g.Stdout, g.Stderr = c.InOrStdin(), c.OutOrStdout(), c.ErrOrStderr()
	return carryOut(g)
}

// carryOut runs a command to its end, and passes the signals of this process on to it. An exit
// status other than 0 becomes a [commandline.StatusError].
func carryOut(g *exec.Cmd) error {
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGQUIT, syscall.SIGHUP)
	defer signal.Stop(signals)
	if err := g.Start(); err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- g.Wait() }()
	for {
		select {
		case s := <-signals:
			// It fails if the command has ended, and on systems without signals.
			_ = g.Process.Signal(s)
		case err := <-ended:
			var exit *exec.ExitError
			if errors.As(err, &exit) {
				return statusOf(exit)
			}
			return err
		}
	}
}

// statusOf returns the error with the exit status of a command that has written its own error. For
// a command that a signal ended, the status is that of a shell.
func statusOf(exit *exec.ExitError) error {
	if s, ok := exit.Sys().(syscall.WaitStatus); ok && s.Signaled() {
		return &commandline.StatusError{Status: 128 + int(s.Signal())}
	}
	return &commandline.StatusError{Status: exit.ExitCode()}
}
