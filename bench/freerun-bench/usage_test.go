package main

import (
	"strings"
	"testing"

	"github.com/freerun-go/freerun/bench/commandline/commandtest"

	"github.com/freerun-go/freerun/bench/catalogue"
)

// TestBadCommandLines: a wrong command line yields one line that says what is wrong and what would
// be right, nothing else, and status 2.
func TestBadCommandLines(t *testing.T) {
	for line, says := range map[string]string{
		"bench fbi":                           `unknown program "fbi": did you mean "fib"? there are fib, ddb, create, switch, lock, matrix, city, eratosthenes, mandelbrot, news, producer, tokenring, pingpong, fanin, submit`,
		"bench fib --variants futurs":         `did you mean "futures"? there are serial, join, join-closures, futures, lazy, goroutines`,
		"bench fib --size 99":                 `size is 99, and must be from 10 to 45`,
		"bench fib --size big":                `--size is "big", and must be a whole number such as 30, or PROGRAM=NUMBER such as fib=30`,
		"bench --size fib":                    `--size is "fib", and must be a whole number`,
		"bench --size fib=big":                `--size is "fib=big", and must be a whole number`,
		"bench bank --accounts 1":             `bank: accounts is 1, and must be from 2 to`,
		"bench bank --accounts many":          `--accounts is "many", and must be a whole number`,
		"bench city --n 1":                    `city: size is 1, and must be from 10 to`,
		"bench city --k many":                 `--k is "many", and must be a whole number`,
		"bench city news --k 5":               `"k" means something else for every program: write city.k=5`,
		"bench fib --c 8":                     `unknown parameter "c": there are size, work`,
		"bench fib --accounts 8":              `unknown parameter "accounts": there are size, work`,
		"bench --work ddb=8":                  `unknown parameter "work"`,
		"bench fib --size 0":                  `fib: size is 0, and must be from 10`,
		"bench ddb --size 1":                  `ddb: size is 1, and must be from 10`,
		"bench -processors 1":                 `unknown flag "-processors": did you mean "--processors"?`,
		"bench fib -runs=3":                   `unknown flag "-runs": did you mean "--runs"?`,
		"bench -x":                            `unknown flag "-x": there are --accounts, --batch, --blocks, --buffer, --callers`,
		"bench city -k 3":                     `unknown flag "-k": did you mean "--k"?`,
		"bench --size 10":                     `write fib.size=10`,
		"bench fib --processors two":          `--processors is "two", and must be whole numbers such as 1 or 1,2`,
		"bench fib --processors 0":            `must be from 1 to 1024`,
		"bench --json --details":              `leave out --details`,
		"bench all fbi":                       `unknown program "fbi": did you mean "fib"?`,
		"bench fib --runs 0":                  `--runs is 0, and must be at least 1`,
		"bench fib --runs many":               `--runs is "many", and must be a whole number`,
		"bench fib --runs":                    `--runs needs a value: a whole number`,
		"bench fib --size":                    `--size needs a value: one word, or several`,
		"bench fib --jsno":                    `unknown flag "--jsno": did you mean "--json"?`,
		"bench fib --set work":                `write it as work=NUMBER`,
		"bench fib --cpuprofile /nowhere/cpu": `--cpuprofile: open /nowhere/cpu`,
		"simulate":                            `which program? for example freerun simulate fib`,
		"simulate fbi":                        `unknown program "fbi": did you mean "fib"?`,
		"simulate fanin":                      `fanin cannot be simulated`,
		"simulate fib --variants join":        `fib/join cannot be simulated by the first model (--model 2 can); of fib can be: futures, lazy`,
		"simulate fib --processors some":      `--processors is "some", and must be whole numbers`,
		"simulate fib --processors 2000":      `must be from 1 to 1024`,
		"simulate fib --size 99":              `size is 99, and must be from 10 to 45`,
		"simulate fib --calibration /none/f":  `the calibration: open /none/f: no such file or directory`,
	} {
		commandtest.Refuses(t, binary, line, says)
	}
}

// TestEveryVariantIsExplained: the help explains every variant, because a name alone does not tell
// what is measured.
func TestEveryVariantIsExplained(t *testing.T) {
	out, _, _ := freerun(t, "bench", "--help")
	for _, p := range catalogue.WithRivals() {
		for _, v := range p.Variants {
			if v.Doc == "" || !strings.Contains(out, v.Name+" ") || !strings.Contains(out, v.Doc) {
				t.Errorf("freerun bench --help does not say what %s/%s is", p.Name, v.Name)
			}
		}
	}
}
