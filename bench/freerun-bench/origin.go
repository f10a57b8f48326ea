package main

import (
	"bufio"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"github.com/freerun-go/freerun/bench"
)

// revision names the source of the build if the build says so (-ldflags "-X main.revision=…"). Go
// records the revision only in a repository's main worktree, and not if it is told to leave it out.
var revision string

// origin says where the rows of this process are from.
func origin(args []string) bench.Origin {
	return bench.Origin{
		Machine: machine(),
		System:  runtime.GOOS + "/" + runtime.GOARCH,
		Go:      runtime.Version(),
		Commit:  commit(debug.ReadBuildInfo()),
		Command: strings.Join(append([]string{"freerun"}, args...), " "),
		Date:    time.Now().UTC().Format(time.DateOnly),
	}
}

// commit returns the revision of the build, or "" if it is unknown.
func commit(info *debug.BuildInfo, known bool) string {
	if revision != "" || !known {
		return revision
	}
	noted, modified := "", ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			noted = s.Value[:min(12, len(s.Value))]
		case s.Key == "vcs.modified" && s.Value == "true":
			modified = "-modified"
		}
	}
	if noted == "" {
		return ""
	}
	return noted + modified
}

// machine describes the processors and the memory, as far as the system tells.
func machine() string {
	text := fmt.Sprintf("%d processors", runtime.NumCPU())
	if model := field("/proc/cpuinfo", "model name"); model != "" {
		text = fmt.Sprintf("%d × %s", runtime.NumCPU(), model)
	}
	kilobytes, _, _ := strings.Cut(field("/proc/meminfo", "MemTotal"), " ")
	if n, err := strconv.Atoi(kilobytes); err == nil {
		text += fmt.Sprintf(", %d GiB", (n+1<<19)>>20)
	}
	return text
}

// field returns the first value of that name in a file of names and values, or "" if there is none.
func field(file, name string) string {
	f, err := os.Open(file)
	if err != nil {
		return ""
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if key, value, ok := strings.Cut(lines.Text(), ":"); ok && strings.TrimSpace(key) == name {
			return strings.TrimSpace(value)
		}
	}
	return ""
}
