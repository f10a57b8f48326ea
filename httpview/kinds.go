package httpview

import (
	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/internal/kindview"
)

// kind is a kind of units that the runtime has used.
type kind struct {
	Name         string `json:"name"`
	Active       int    `json:"active"`
	Most         int    `json:"most"` // 0: no limit
	Activations  uint64 `json:"activations"`
	Failures     uint64 `json:"failures"`
	Passivations uint64 `json:"passivations"`
	Evictions    uint64 `json:"evictions"`
	Busiest      []key  `json:"busiest"`
}

type key struct {
	Text       string `json:"text"`
	Operations uint64 `json:"operations"`
}

// shownKeys is how many of the busiest keys of a kind the page shows.
const shownKeys = 8

func kindsOf(rt *freerun.Runtime) (all []kind) {
	for _, k := range kindview.Of(rt, shownKeys) {
		shown := kind{
			Name: k.Name, Active: k.Active, Most: k.Most,
			Activations: k.Activations, Failures: k.Failures, Passivations: k.Passivations, Evictions: k.Evictions,
		}
		for _, u := range k.Busiest {
			shown.Busiest = append(shown.Busiest, key{shorten(u.Text), u.Operations})
		}
		all = append(all, shown)
	}
	return all
}
