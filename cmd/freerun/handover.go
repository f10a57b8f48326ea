package main

import (
	"debug/buildinfo"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/mod/semver"
)

// bench and simulate link rivals and plots, which this command does not. So the command
// freerun-bench carries them out: this command finds freerun-bench, and becomes it. The places, in
// this order:
//
//   - the clone that this command was compiled in, so that `go run ./cmd/freerun bench` and every
//     binary of a working tree measure the code of that tree;
//   - the folder of this command and PATH, for a freerun-bench of the same version;
//   - the clone around the working folder.
//
// In a clone the go command builds freerun-bench, which takes a fraction of a second if nothing has
// changed.

const (
	repository   = "github.com/freerun-go/freerun"
	benchFolder  = "bench/freerun-bench" // below the root of a clone
	benchPackage = repository + "/" + benchFolder
)

// handedOver names the subcommands that freerun-bench carries out.
var handedOver = []string{"bench", "simulate"}

// newHandedOver returns a subcommand that freerun-bench carries out.
func newHandedOver(name, use, short string) *cobra.Command {
	return &cobra.Command{
		Use:                name + " " + use,
		Short:              short,
		DisableFlagParsing: true,
		RunE:               func(_ *cobra.Command, args []string) error { return handOver(append([]string{name}, args...)) },
	}
}

// isAbout reports whether a command line asks for the help of a subcommand that is handed over, or
// for the completion of its arguments.
func isAbout(args []string) bool {
	switch {
	case len(args) > 1 && args[0] == "help",
		len(args) > 2 && args[0] == cobra.ShellCompRequestCmd,
		len(args) > 2 && args[0] == cobra.ShellCompNoDescRequestCmd:
		return slices.Contains(handedOver, args[1])
	}
	return false
}

// handOver runs freerun-bench with the arguments. Where the system allows it, this process becomes
// freerun-bench, and handOver returns only on an error.
func handOver(args []string) error {
	command, err := findBench()
	if err != nil {
		return err
	}
	return become(command, args)
}

// findBench returns the file of freerun-bench.
func findBench() (string, error) {
	info, _ := debug.ReadBuildInfo()
	if info == nil {
		info = new(debug.BuildInfo)
	}
	if root, ok := ownClone(); ok {
		return buildBench(root, info)
	}
	command, others := installedBench(info.Main.Version)
	if command != "" {
		return command, nil
	}
	if root, ok := cloneAround("."); ok {
		return buildBench(root, info)
	}
	return "", missing(info.Main.Version, others)
}

// missing returns the error for a freerun-bench that was not found, which says how to get one.
// others describes commands that were found and do not fit.
func missing(version string, others []string) error {
	text := "bench and simulate are in a command of their own, freerun-bench, which is not installed"
	if len(others) > 0 {
		text = fmt.Sprintf("this is freerun %s, but %s", version, strings.Join(others, ", "))
	}
	// A build of a tree has no version that the go command can install.
	if !semver.IsValid(version) || strings.HasSuffix(version, "+dirty") {
		version = "latest"
	}
	return fmt.Errorf("%s: go install %s@%s, or run freerun in a clone of https://%s",
		text, benchPackage, version, repository)
}

// installedBench returns the freerun-bench of that version in the folder of this command or in
// PATH, or "". others describes commands of that name that do not fit.
func installedBench(version string) (command string, others []string) {
	var candidates []string
	if self, err := os.Executable(); err == nil {
		candidates = append(candidates, filepath.Join(filepath.Dir(self), executable("freerun-bench")))
	}
	if found, err := exec.LookPath("freerun-bench"); err == nil {
		candidates = append(candidates, found)
	}
	for _, file := range slices.Compact(candidates) {
		info, err := buildinfo.ReadFile(file)
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil || info.Path != benchPackage:
			others = append(others, file+" is another command")
		case info.Main.Version != version:
			others = append(others, file+" is "+info.Main.Version)
		default:
			return file, nil
		}
	}
	return "", others
}

// executable returns the file name of a command on this system.
func executable(name string) string {
	if runtime.GOOS == "windows" {
		return name + ".exe"
	}
	return name
}
