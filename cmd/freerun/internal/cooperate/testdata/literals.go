package literals

import "github.com/freerun-go/freerun/activity"

func captured(a *activity.Activity, values []int) {
	visit := func(n int) {
		println(n)
	}
	defer func() { println() }()
	for _, v := range values {
		visit(v)
	}
}

// elsewhere starts a goroutine, where the activity is not.
func elsewhere(a *activity.Activity) {
	go func() {
		for {
			println()
		}
	}()
	go func(a *activity.Activity) { println() }(nil)
}

func own(a *activity.Activity) {
	activity.Go(a, func(b *activity.Activity) {
		for {
			println()
		}
	})
}

// hidden has another variable with the name of the parameter.
func hidden(a *activity.Activity, accounts []string) {
	for _, a := range accounts {
		println(a)
	}
	func(a int) {
		println(a)
	}(1)
	if a := len(accounts); a > 0 { println(a); for { println(a) } }
}

// local has a variable of its own with the value of the parameter.
func local(a *activity.Activity) {
	{
		b := a
		for {
			println(b)
		}
	}
}

//freerun:uncooperative
func exempt(a *activity.Activity) {
	for {
		func() { println() }()
	}
}

// tiny does not grow its stack.
//
//go:nosplit
func tiny(a *activity.Activity) {
	for {
		println()
	}
}
