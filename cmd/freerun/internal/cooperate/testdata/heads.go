package heads

import (
	"context"

	"github.com/freerun-go/freerun/activity"
)

type worker struct {
	a *activity.Activity
	n int
}

func empty(a *activity.Activity) {}

func oneLine(a *activity.Activity, n int) int { return n + 1 } // the columns behind { are as they were

func without(n int) int { return n }

func second(ctx context.Context, a *activity.Activity) {
	ctx.Done() // a call
}

func (w *worker) method(a *activity.Activity) {
	w.n++
}

// The checks use no field; they use a local variable with its value.
func (w *worker) field() {
	for w.n > 0 {
		w.n = w.next()
	}
	a := w.a
	for w.n > 0 {
		w.n = w.next()
	}
	a.Yield()
}

func (w *worker) next() int

// Of two parameters the checks use the first.
func two(a, b *activity.Activity) {
	b.Name()
}

// An activity cannot wait for itself, so the second parameter is the running one.
func join(other, a *activity.Activity) error {
	return other.Wait(a)
}

func nameless(*activity.Activity, int) {
	println()
}

func blank(n int, _ *activity.Activity) {
	println(n)
}

func replaced(a *activity.Activity) {
	a = activity.Go(nil, nil)
	a.Name()
}

func result() (a *activity.Activity) {
	return a
}

func started(a *activity.Activity, n int) {
	child := activity.Go(a, func(*activity.Activity) {
		for n > 0 {
			n = without(n)
		}
	})
	println(child.Name())
	many := []*activity.Activity{child}
	for _, each := range many {
		each.Wait(a)
	}
}

func assertion(ctx context.Context, n int) {
	for n > 0 {
		n = without(n)
	}
	a, ok := ctx.(*activity.Activity)
	for ok && n > 0 {
		n = without(n)
	}
	a.Name()
}

func typeSwitch(ctx context.Context) {
	switch a := ctx.(type) {
	case *activity.Activity:
		for a.Err() == nil {
			println()
		}
	default:
		for a.Err() == nil {
			println()
		}
	}
}

func of(ctx context.Context) {
	var a = activity.Of(ctx)
	for a.Err() == nil {
		println()
	}
}

func generic[T any](a *activity.Activity, values []T, f func(T)) {
	for _, v := range values {
		f(v)
	}
}

type list[T any] struct{ values []T }

func (l *list[T]) each(a *activity.Activity, f func(T)) {
	for _, v := range l.values {
		f(v)
	}
}

var methodValue = (*worker).method

var literal = func(a *activity.Activity) { println() }

type alias = activity.Activity

func byAlias(a *alias) { println() }
