package main

import (
	"slices"
	"strings"
	"testing"
)

// preemptedCalls is a program with two activities on one processor. One calls a function of the
// standard library, of the kind that the first argument names, again and again, until the other has
// run, or for as long as the second argument says. The program reports whether the other has run
// meanwhile. With a third argument it panics in a function that sort.Slice calls.
const preemptedCalls = `package main

import (
	"compress/gzip"
	"context"
	"crypto/subtle"
	"encoding/json"
	"fmt"
	"go/ast"
	"io"
	"math/big"
	"os"
	"regexp"
	"slices"
	"sort"
	"strings"
	"sync/atomic"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/activity"
)

var (
	had     atomic.Bool
	text    = strings.Repeat("a", 1<<16)
	number  = new(big.Int).Exp(big.NewInt(3), big.NewInt(20_000), nil)
	numbers = make([]int, 1<<12)
	lists   any
	tree    ast.Expr = &ast.BasicLit{}
	pattern = regexp.MustCompile("(a|aa)+b")
)

// A node of the tree has the same child twice, so a walk takes as long as one likes, and has no
// loop.
func init() {
	lists = numbers
	for range 20 {
		lists = []any{lists}
	}
	for range 60 {
		tree = &ast.BinaryExpr{X: tree, Y: tree}
	}
}

func less(i, j int) bool {
	if len(os.Args) > 3 {
		panic("less")
	}
	return (i^j)&8 == 0
}

var calls = map[string]func(until func() bool){
	"json":    func(func() bool) { json.NewEncoder(io.Discard).Encode(lists) },
	"regexp":  func(func() bool) { pattern.MatchString(text) },
	"sort":    func(func() bool) { sort.Slice(numbers, less) },
	"slices":  func(func() bool) { slices.SortFunc(slices.Clone(numbers), func(a, b int) int { return a - b }) },
	"gzip":    func(func() bool) { fmt.Fprint(gzip.NewWriter(io.Discard), text) },
	"big":     func(func() bool) { new(big.Int).Mul(number, number).Text(10) },
	"strings": func(func() bool) { strings.Map(func(r rune) rune { return r + 1 }, text) },
	"walk":    func(until func() bool) { ast.Inspect(tree, func(ast.Node) bool { return !until() }) },
	"subtle":  func(func() bool) { subtle.ConstantTimeCompare([]byte(text), []byte(text)) },
}

func again(call func(until func() bool), limit time.Duration) {
	begin := time.Now()
	until := func() bool { return had.Load() || time.Since(begin) > limit }
	for !until() {
		call(until)
	}
}

func main() {
	if len(os.Args) > 3 {
		sort.Slice(numbers, less)
	}
	rt := freerun.New(freerun.Processors(1))
	defer rt.Close()
	limit, err := time.ParseDuration(os.Args[2])
	if err != nil {
		panic(err)
	}
	before := false
	a := activity.Go(rt, func(a *activity.Activity) {
		activity.Go(a, func(*activity.Activity) { had.Store(true) })
		again(calls[os.Args[1]], limit)
		before = had.Load()
	})
	if err := a.Wait(context.Background()); err != nil {
		panic(err)
	}
	fmt.Print(before)
}
`

// TestPreemptedStandard: a long call of the standard library starves another activity on one
// processor. Compiled by freerun, it shares the processor, also where it is a recursion without a
// loop. A stack trace names the same lines of the standard
// library.
func TestPreemptedStandard(t *testing.T) {
	dir := newModule(t, map[string]string{"main.go": preemptedCalls})
	must(t, dir, "go", "build", "-o", "without", ".")
	must(t, dir, binary, "build", "-o", "with", ".")
	must(t, dir, binary, "build", "-race", "-o", "race", ".")
	checkTurns(t, dir, "json regexp sort slices gzip big strings walk subtle", "", "20ms", "./with", "./race")
	places := func(program string) (found []string) {
		_, text, _ := in(t, dir, program, "sort", "20ms", "panic")
		for line := range strings.Lines(text) {
			if name, _, _ := strings.Cut(strings.TrimSpace(line), " +0x"); strings.Contains(name, "/src/sort/") {
				found = append(found, name)
			}
		}
		return found
	}
	if want := places("./without"); len(want) < 2 || !slices.Equal(places("./with"), want) || !slices.Equal(places("./race"), want) {
		t.Errorf("the stack trace has %v and %v, want %v", places("./with"), places("./race"), want)
	}
}
