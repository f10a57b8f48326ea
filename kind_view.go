package freerun

import (
	"cmp"
	"slices"

	"github.com/freerun-go/freerun/internal/kindview"
)

// What pages show of the kinds of a runtime: internal/kindview.

func init() {
	kindview.Provide(func(rt any, busiest int) []kindview.Kind { return rt.(*Runtime).kindsInUse(busiest) })
}

// mostLookedAt is up to how many active units of a kind are looked at for the busiest ones: a page
// asks once a second.
const mostLookedAt = 10_000

func (rt *Runtime) kindsInUse(busiest int) (all []kindview.Kind) {
	homes := rt.homes.Load()
	if homes == nil {
		return nil
	}
	for _, h := range *homes {
		if h == nil {
			continue
		}
		k := kindview.Kind{
			Name: h.kind.declared.name, Active: int(h.active.Load()), Most: h.settings.most,
			Activations: h.stats.activations.Load(), Failures: h.stats.failures.Load(),
			Passivations: h.stats.passivations.Load(), Evictions: h.stats.evictions.Load(),
		}
		if k.Active <= mostLookedAt {
			for _, u := range hottest(h.actives(), busiest) {
				_, _, key := u.titles()
				k.Busiest = append(k.Busiest, kindview.Key{Text: key, Operations: u.operations.Load()})
			}
		}
		all = append(all, k)
	}
	slices.SortFunc(all, func(a, b kindview.Kind) int { return cmp.Compare(a.Name, b.Name) })
	return all
}
