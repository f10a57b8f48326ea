package httpview

import (
	"cmp"
	"slices"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/internal/figures"
)

// moduleFigure is a figure of a module that works for the runtime, as a store of durable units
// does.
type moduleFigure struct {
	Name  string  `json:"name"` // "durable.commits"
	Label string  `json:"label"`
	Help  string  `json:"help"`
	Unit  string  `json:"unit"`  // "s", "By" for bytes, or what is counted
	Grows bool    `json:"grows"` // whether it counts from the beginning on
	Value float64 `json:"value"`
}

// moduleFigures returns the figures of the modules that work for a runtime, those of a name by
// their labels.
func moduleFigures(rt *freerun.Runtime) (all []moduleFigure) {
	order := map[*figures.Figure]int{}
	for i, f := range figures.Declared() {
		order[f] = i
	}
	values := figures.Of(rt)
	slices.SortStableFunc(values, func(a, b figures.Value) int {
		return cmp.Or(cmp.Compare(order[a.Of], order[b.Of]), cmp.Compare(a.Label, b.Label))
	})
	for _, v := range values {
		all = append(all, moduleFigure{v.Of.Name, v.Label, v.Of.Help, v.Of.Unit, v.Of.Grows, v.Value})
	}
	return all
}

// describeModules makes the descriptions of all figures that modules of this program have declared.
func describeModules() map[*figures.Figure]*prometheus.Desc {
	all := map[*figures.Figure]*prometheus.Desc{}
	for _, f := range figures.Declared() {
		var labels []string
		if f.Label != "" {
			labels = append(labels, f.Label)
		}
		all[f] = describe(f.Metric(), f.Help, labels...)
	}
	return all
}

// collectModules hands out the figures of the modules.
func (c collector) collectModules(to chan<- prometheus.Metric) {
	for _, v := range figures.Of(c.rt) {
		kind := prometheus.GaugeValue
		if v.Of.Grows {
			kind = prometheus.CounterValue
		}
		var labels []string
		if v.Of.Label != "" {
			labels = append(labels, v.Label)
		}
		to <- prometheus.MustNewConstMetric(c.modules[v.Of], kind, v.Value, labels...)
	}
}
