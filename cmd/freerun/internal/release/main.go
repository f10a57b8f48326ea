// Command release makes a release of all modules of this repository: one version for all of them.
//
//	go run ./cmd/freerun/internal/release -version v0.2.0 -proxy DIR [-commit]
//
// With -proxy it writes a module proxy into a folder, of the files as they are. With -commit it
// also makes the commit and the tags of the release.
//
// The modules of go.work require each other by version. No go.mod replaces a module: the workspace
// does so for its developers. A release sets the version in every go.mod and in go.work, and adds
// the checksums of the modules to the go.sum of the modules that require them. It tags the commit
// once for each module, as Go requires: v0.2.0, ddb/v0.2.0 and so on.
//
// A folder that was written with -proxy serves the go command as it is:
//
//	export GOPROXY=file://DIR,https://proxy.golang.org GONOSUMDB='github.com/freerun-go/*'
//	go install github.com/freerun-go/freerun/cmd/freerun@v0.2.0
//
// Without -commit nothing in the repository changes. With -commit the working tree must be clean.
// Nothing is pushed.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
)

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

// run carries out one command line and returns the exit status.
func run(args []string, out, errs io.Writer) int {
	flags := flag.NewFlagSet("release", flag.ContinueOnError)
	flags.SetOutput(errs)
	version := flags.String("version", "", "the version of the release, like v0.2.0")
	proxy := flags.String("proxy", "", "the folder for the module proxy; made if it is missing")
	commit := flags.Bool("commit", false, "commit the new versions and tag the commit, once for each module")
	root := flags.String("root", ".", "the root of the repository")
	if flags.Parse(args) != nil {
		return 2
	}
	if flags.NArg() > 0 || *version == "" || *proxy == "" && !*commit {
		fmt.Fprintln(errs, "release: give -version and -proxy, -commit, or both, and no other arguments")
		return 2
	}
	if err := release(*root, *version, *proxy, *commit, out); err != nil {
		fmt.Fprintln(errs, "release:", err)
		return 1
	}
	return 0
}

// release does what the flags request, and reports it on out.
func release(root, version, proxy string, commit bool, out io.Writer) error {
	r, err := read(root, version)
	if err != nil {
		return err
	}
	if commit {
		// Before anything is written, so that a refusal leaves no trace.
		if err := r.mayCommit(); err != nil {
			return err
		}
	}
	if err := r.sum(); err != nil {
		return err
	}
	if proxy != "" {
		if err := r.writeProxy(proxy); err != nil {
			return err
		}
		fmt.Fprintf(out, "%d modules of %s are in %s\n", len(r.modules), version, proxy)
	}
	if commit {
		tags, err := r.commit()
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "committed, with the tags %v; push both\n", tags)
	}
	return nil
}
