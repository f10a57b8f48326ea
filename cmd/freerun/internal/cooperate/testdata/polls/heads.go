package heads // with a comment

import (
	"sort"
	"strings"

	"github.com/freerun-go/freerun/activity"
)

func leaf(n int) int { return n + 1 }

func calling(n int) int { return leaf(leaf(n)) + len(strings.ToUpper("x")) + int(int8(n)) }

func recursive(n int) int { return recursive(n-1) + 1 } // the columns behind { are as they were

func even(n int) bool { return n == 0 || odd(n-1) }

func odd(n int) bool { return n != 0 && even(n-1) }

func besideTheCycle(n int) bool { return even(n) }

func parameter(f func()) { f() }

func local() {
	f := leaf
	f(1)
}

func generic[T any](x T) T { return x }

func instantiated() int { return generic[int](1) + generic(2) }

func element(fs []func()) { fs[0]() }

type stringer interface{ String() string }

func dynamic(s stringer) string { return s.String() }

type number int

func (n number) String() string { return n.text() }

func (n number) text() string { return "" }

func (n number) down() {
	if n > 0 {
		(n - 1).down()
	}
}

func conversions(x any) { _, _, _, _ = number(1), (*number)(nil), []byte("x"), (func())(nil) }

// A literal belongs to the cycle of the function around it, if it closes one.
func sorting(x []int) {
	sort.Slice(x, func(i, j int) bool { sorting(x[1:]); return true })
	sort.Slice(x, func(i, j int) bool { return x[i] < x[j] })
}

// Whoever gets a function may call it.
func mentions() { sort.Slice(nil, mentioned) }

func mentioned(i, j int) bool { mentions(); return false }

func called() {
	func() { println() }()
}

//freerun:uncooperative
func exempt(f func()) {
	for { f(); func() { for { f() } }() }
}

//go:nosplit
func nosplit() { for { nosplit() } }

//go:linkname linked

func linked() { for { linked() } }

//go:norace
func norace() { for { norace() } }

func withActivity(a *activity.Activity, f func()) {
	for { f() }
}

func literalWithActivity(f func()) {
	activity.Go(nil, func(a *activity.Activity) {
		for { f() }
	})
	for { f() }
}

var value = func(f func()) { for { f() } }

var call = hook

var hook func()

func throughVariable() { hook() }

func wrapped() { (((leaf)))(1); (hook)() }

func deferred(f func()) { defer leaf(1); go f() }
