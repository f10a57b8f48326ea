package exempt

import "github.com/freerun-go/freerun/activity"

type list[T any] struct{ items []T }

// compact must not be interrupted.
//
//freerun:uncooperative
func compact(a *activity.Activity) {
	for range 3 {
		func() { println() }()
	}
}

//freerun:uncooperative
func (l *list[T]) sort() { println() }

//freerun:uncooperative
func (l list[_]) length() int { return len(l.items) }

//go:nosplit
func quick(a *activity.Activity) { println() }

type plain struct{}

//freerun:uncooperative
func (*plain) do() {}

//freerun:uncooperative
func (plain) be() {}

func ordinary(a *activity.Activity) { println() }
