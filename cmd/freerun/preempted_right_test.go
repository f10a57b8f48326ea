package main

import "testing"

// preemptedWork is a program whose activities do work of many kinds again and again, until each has
// done so for as long as the argument says, and compare what comes out with what came out before.
const preemptedWork = `package main

import (
	"bytes"
	"compress/flate"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"math/big"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/activity"
)

type node struct {
	left, right *node
	value       int
}

func tree(n int) *node {
	if n == 0 {
		return &node{value: 1}
	}
	return &node{tree(n - 1), tree(n - 1), n}
}

func (n *node) sum() int {
	if n == nil {
		return 0
	}
	return n.value + n.left.sum() + n.right.sum()
}

// deep grows the stack, and panics at its end.
func deep(n int, x [16]int) int {
	if n == 0 {
		panic(x[3])
	}
	x[n%16]++
	return deep(n-1, x) + x[0]
}

var (
	text    = strings.Repeat("the quick brown fox jumps over the lazy dog; ", 400)
	pattern = regexp.MustCompile("(q|j)[a-z]+ (b|o)")
	counts  = map[string]int{}
	mu      sync.Mutex
)

var work = map[string]func() any{
	"tree": func() any { return tree(12).sum() },
	"floats": func() any {
		a, b := 0.0, float32(0)
		for i := range 200_000 {
			a += math.Sqrt(float64(i)) * 1.0000001
			b = b*0.5 + float32(i)
		}
		return fmt.Sprint(a, b)
	},
	"hash": func() any { return sha256.Sum256([]byte(text)) },
	"json": func() any {
		var back map[string]any
		made, _ := json.Marshal(map[string]any{"text": text[:2000], "list": []int{1, 2, 3}})
		if err := json.Unmarshal(made, &back); err != nil {
			return err
		}
		return len(fmt.Sprint(back))
	},
	"maps": func() any {
		m := map[string]int{}
		for i := range 5000 {
			m[strconv.Itoa(i%700)] += i
		}
		sum := 0
		for _, key := range slices.Sorted(maps.Keys(m)) {
			sum = sum*31 + m[key]
		}
		return sum
	},
	"regexp": func() any { return len(pattern.FindAllString(text, -1)) },
	"flate": func() any {
		var packed bytes.Buffer
		w, _ := flate.NewWriter(&packed, 6)
		io.WriteString(w, text)
		w.Close()
		back, _ := io.ReadAll(flate.NewReader(&packed))
		return string(back) == text
	},
	"big":   func() any { return new(big.Int).Exp(big.NewInt(3), big.NewInt(3000), nil).String() },
	"panic": func() (x any) {
		defer func() { x = recover() }()
		return deep(5000, [16]int{})
	},
	"lock": func() any {
		mu.Lock()
		defer mu.Unlock()
		counts["n"]++
		before := counts["n"]
		tree(10).sum()
		return counts["n"] - before
	},
	"collect": func() any { runtime.GC(); return nil },
	"channel": func() any {
		c := make(chan int)
		go func() { defer close(c); for i := range 100 { c <- i } }()
		sum := 0
		for i := range c {
			sum += i
		}
		return sum
	},
}

func main() {
	limit, err := time.ParseDuration(os.Args[1])
	if err != nil {
		panic(err)
	}
	want := map[string]any{}
	for name, do := range work {
		want[name] = do()
	}
	rt := freerun.New(freerun.Processors(2))
	defer rt.Close()
	var all []*activity.Activity
	begin := time.Now()
	for range 2 {
		for name, do := range work {
			all = append(all, activity.Go(rt, func(*activity.Activity) {
				for n := 0; n == 0 || time.Since(begin) < limit; n++ {
					if got := do(); got != want[name] {
						panic(fmt.Sprint(name, ": ", got, ", want ", want[name]))
					}
				}
			}))
		}
	}
	for _, a := range all {
		if err := a.Wait(context.Background()); err != nil {
			panic(err)
		}
	}
	fmt.Print("right")
}
`

// TestPreemptedRight: what activities compute is right wherever they are preempted, while the
// collector runs, with and without the race detector.
func TestPreemptedRight(t *testing.T) {
	dir := newModule(t, map[string]string{"main.go": preemptedWork})
	must(t, dir, binary, "build", "-o", "plain", ".")
	must(t, dir, binary, "build", "-race", "-o", "race", ".")
	t.Setenv("GOGC", "20")
	for _, program := range []string{"./plain", "./race"} {
		for range 3 {
			if got := must(t, dir, program, "2s"); got != "right" {
				t.Errorf("%s: %s", program, got)
			}
		}
	}
}
