package activity

import (
	"slices"
	"testing"
)

// TestReaches holds that code of the user counts as such only below the root, and where nothing is
// in its way.
func TestReaches(t *testing.T) {
	never := func(string) bool { return false }
	const here = own + "/activity.reachesFrom"
	if reachesFrom(here, never, false) {
		t.Error("in the root itself the user's code runs")
	}
	if !reachesFrom(here, never, true) {
		t.Error("below the root the user's code does not run")
	}
	if reachesFrom(here, func(function string) bool { return function == own+"/activity.reachesFrom.func1" }, true) {
		t.Error("an obstacle is none")
	}
	if reachesFrom(here+"Elsewhere", never, true) {
		t.Error("a function is found that is not there")
	}
}

//go:noinline
func reachesFrom(root string, isObstacle func(string) bool, below bool) (found bool) {
	look := func() { found, _ = reaches(root, callersAbove(-1), isObstacle) }
	if !below {
		look()
		return found
	}
	slices.SortFunc([]int{2, 1}, func(a, b int) int { look(); return a - b })
	return found
}

// TestCountQuantum holds that an activity yields at each preemption after those that it may pass,
// however many those are.
func TestCountQuantum(t *testing.T) {
	for _, quanta := range []uint8{1, 2, 20, 255} {
		st, a := &stack{}, &Activity{quanta: quanta}
		for n := 1; n < 600; n++ {
			if got, want := st.countQuantum(a), n >= int(quanta); got != want {
				t.Errorf("%d quanta: preemption %d has it yield: %t", quanta, n, got)
			}
		}
	}
}
