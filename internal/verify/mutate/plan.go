package main

import (
	"cmp"
	"regexp"
	"slices"
)

// choose returns up to count of the mutations, those whose key matches pattern: in rounds, in which
// each operator gets its turns, in an order that the seed decides. Changes that do not compile are
// left out.
func choose(all []Mutation, count int, seed uint64, pattern *regexp.Regexp, compiles func(Mutation) bool) []Mutation {
	queues := map[string][]Mutation{}
	for _, m := range all {
		if pattern == nil || pattern.MatchString(m.Key()) {
			queues[m.Operator] = append(queues[m.Operator], m)
		}
	}
	for _, q := range queues {
		slices.SortFunc(q, func(a, b Mutation) int { return cmp.Compare(a.order(seed), b.order(seed)) })
	}
	var chosen []Mutation
	for left := true; left && len(chosen) < count; {
		left = false
		for _, o := range operators {
			for turn := 0; turn < o.turns && len(chosen) < count; {
				q := queues[o.name]
				if len(q) == 0 {
					break
				}
				left = true
				queues[o.name] = q[1:]
				if compiles(q[0]) {
					chosen = append(chosen, q[0])
					turn++
				}
			}
		}
	}
	return chosen
}

// share returns how many mutations each room gets of count, if it has as many: the rooms get equal
// parts, and the others get the part that one room cannot use.
func share(count int, have []int) []int {
	parts := make([]int, len(have))
	for left := count; left > 0; {
		gave := false
		for i := range parts {
			if left > 0 && parts[i] < have[i] {
				parts[i]++
				left--
				gave = true
			}
		}
		if !gave {
			break
		}
	}
	return parts
}
