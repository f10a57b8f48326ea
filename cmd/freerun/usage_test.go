package main

import (
	"strings"
	"testing"

	"github.com/freerun-go/freerun/bench/commandline/commandtest"
)

// TestBadCommandLines: a wrong command line yields one line that says what is wrong and what would
// be right, nothing else, and status 2.
func TestBadCommandLines(t *testing.T) {
	for line, says := range map[string]string{
		"bnech":                            `unknown command "bnech": did you mean "bench"?`,
		"completion zzz":                   `unknown shell "zzz": `,
		"completion bsh":                   `unknown shell "bsh": did you mean "bash"? there are bash, fish, powershell, zsh`,
		"completion bash now":              `takes no arguments`,
		"serve now":                        `takes no arguments, only flags: "now" is too much`,
		"serve --addr 6379":                `--addr is "6379", and must be HOST:PORT such as`,
		"serve --addr :port":               `its port must be a number from 0 to 65535`,
		"serve --addr :65536":              `its port must be a number from 0 to 65535`,
		"serve --http 7070":                `--http is "7070", and must be HOST:PORT such as 127.0.0.1:7070 or :7070`,
		"serve --http :70700":              `--http is ":70700", and its port must be a number from 0 to 65535`,
		"serve --public":                   `--public is about the live page, and needs --http`,
		"serve --shards 0":                 `--shards is 0, and must be from 1`,
		"serve --processors -1":            `--processors is -1, and must be from 1`,
		"serve --grace soon":               `--grace is "soon", and must be a duration such as`,
		"serve --grace -1s":                `--grace is -1s, and must not be negative`,
		"serve --values disk":              `--values is "disk", and must be heap or offheap`,
		"serve --maxmemory 1.5gb":          `--maxmemory is "1.5gb", and must be a whole number of bytes, perhaps with a unit, such as 1073741824, 100mb or 1gb`,
		"serve --maxmemory -1":             `--maxmemory is "-1", and must be`,
		"serve --maxmemory-policy lru":     `--maxmemory-policy is "lru", and must be noeviction, allkeys-lru or volatile-ttl`,
		"serve --maxmemory-samples 0":      `--maxmemory-samples is 0, and must be from 1`,
		"serve --protected-mode maybe":     `--protected-mode is "maybe", and must be yes or no`,
		"serve --maxmemory-clients 5%":     `--maxmemory-clients is "5%", and must be a whole number of bytes`,
		"serve --client-output-limit much": `--client-output-limit is "much", and must be a whole number of bytes`,
		"version please":                   `takes no arguments`,
		"overlay ./...":                    `takes no arguments`,
	} {
		commandtest.Refuses(t, binary, line, says)
	}
}

func TestHelp(t *testing.T) {
	for _, args := range [][]string{{}, {"--help"}, {"bench", "--help"}, {"serve", "--help"}, {"trace", "--help"}, {"version", "--help"}, {"overlay", "--help"}, {"build", "--help"}, {"run", "-h"}, {"test", "-help"}, {"help", "build"}} {
		out, errs, status := freerun(t, args...)
		if status != 0 || errs != "" {
			t.Errorf("freerun %v: exit status %d, standard error %q", args, status, errs)
		}
		if !strings.Contains(out, "Examples:\n  freerun ") || !strings.Contains(out, "Usage:\n") {
			t.Errorf("freerun %v: no usage or no examples in\n%s", args, out)
		}
	}
	out, _, _ := freerun(t, "bench", "--help")
	for _, word := range []string{
		"fib:", "goroutines", "--hot 50", "electricity that the power plant can store (or --c)", "--accounts 1000", "--rivals", "--processors N", "--json", "--runs N", "the server answers by Tell",
	} {
		if !strings.Contains(out, word) {
			t.Errorf("freerun bench --help does not mention %s", word)
		}
	}
}

// TestHelpOfWhatIsCompiledAndServed: the help has the words that a user looks for.
func TestHelpOfWhatIsCompiledAndServed(t *testing.T) {
	for _, verb := range []string{"build", "run", "test"} {
		out, _, _ := freerun(t, "help", verb)
		for _, word := range []string{"`go " + verb + "`", "//freerun:uncooperative", "activity.Of", "Exit status"} {
			if !strings.Contains(out, word) {
				t.Errorf("freerun help %s does not mention %s", verb, word)
			}
		}
	}
	for _, word := range []string{
		"--shards N", "--processors N", "--grace DURATION", "--http HOST:PORT", "--public", "--values PLACE", "--maxmemory BYTES", "--maxmemory-policy POLICY", "--maxmemory-samples N",
		"--requirepass PASSWORD", "--protected-mode yes or no", "--maxmemory-clients BYTES", "--client-output-limit BYTES",
	} {
		if out, _, _ := freerun(t, "serve", "--help"); !strings.Contains(out, word) {
			t.Errorf("freerun serve --help does not mention %s", word)
		}
	}
}

func TestCompletion(t *testing.T) {
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		out, _, status := freerun(t, "completion", shell)
		if status != 0 || !strings.Contains(out, "freerun") {
			t.Errorf("freerun completion %s: exit status %d, %d bytes", shell, status, len(out))
		}
	}
	for _, c := range []struct {
		args []string
		want []string
		not  string
	}{
		{[]string{""}, []string{"bench", "build", "run", "test", "serve", "version"}, "fib"},
		{[]string{"bench", ""}, []string{"fib", "ddb", "pingpong", "fanin", "cas"}, "serve"},
		{[]string{"bench", "fib", ""}, []string{"ddb", "pingpong", "fanin", "cas"}, "fib"},
		{[]string{"bench", "--variants", ""}, []string{"serial", "futures", "goroutines", "channels", "mutex"}, "fib"},
		{[]string{"bench", "--set", ""}, []string{"fib.work=", "ddb.hot="}, "fib.size="},
	} {
		out, _, status := freerun(t, append([]string{"__complete"}, c.args...)...)
		var offered []string
		for line := range strings.Lines(out) {
			word, _, _ := strings.Cut(strings.TrimSpace(line), "\t")
			offered = append(offered, word)
		}
		list := " " + strings.Join(offered, " ") + " "
		for _, word := range c.want {
			if !strings.Contains(list, " "+word+" ") {
				t.Errorf("completing %q: %s is not offered in%s", c.args, word, list)
			}
		}
		if status != 0 || strings.Contains(list, " "+c.not+" ") {
			t.Errorf("completing %q: exit status %d, offered%s", c.args, status, list)
		}
	}
}
