package loops

import (
	"iter"

	"github.com/freerun-go/freerun/activity"
)

func loops(a *activity.Activity, c chan int, m map[int]int, seq iter.Seq2[int, int]) {
	for {
		println()
		break
	}
	for len(c) > 0 { println() }
	for /* a comment */ range 3 { // and another one
		println()
	}
	for i := range 3 {
		println(i)
	}
	for v := range c {
		if v > 1 {
			continue
		}
		println(v)
	}
	for k, v := range m {
		println(k, v)
	}
	for k, v := range seq {
		println(k, v)
	}
	for i, r := range "text" {
		println(i, r)
	}
outer:
	for i := 0; i < 10; i++ {
		for j := 0; ; j++ {
			switch {
			case j > i:
				continue outer
			case j > 5:
				break outer
			}
			select {
			case <-c:
				continue
			default:
			}
		}
	}
}

func jumps(a *activity.Activity, n int) int {
again:
	n--
	if n > 7 { goto again }
	if n > 5 {
		goto end
	}
	switch n {
	case 1:
	inner:
		println()
		if n > 2 {
			goto inner
		}
	}
end:
	return n
}

func byThemselves(a, other *activity.Activity, n int) {
	for range n {
		println()
		a.Check(3)
	}
	for range n {
		a.Yield()
		if n > 7 {
			continue
		}
		println()
	}
	for range n { // the call may be left out
		if n > 7 {
			continue
		}
		a.Check(3)
	}
	for range n {
		if n > 7 {
			a.Check(3)
		}
		println()
	}
	for range n {
		other.Check(3)
	}
}
