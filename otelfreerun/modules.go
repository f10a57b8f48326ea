package otelfreerun

import (
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/freerun-go/freerun/internal/figures"
)

// makeModules makes the instruments of all figures that modules of this program have declared:
// counters of those that only grow, and gauges of the others.
func (i *instruments) makeModules(meter metric.Meter) (all []metric.Observable, err error) {
	i.modules = map[*figures.Figure]metric.Float64Observable{}
	for _, f := range figures.Declared() {
		name, unit, help := "freerun."+f.Name, metric.WithUnit(f.Unit), metric.WithDescription(f.Help)
		var one metric.Float64Observable
		if f.Grows {
			one, err = meter.Float64ObservableCounter(name, unit, help)
		} else {
			one, err = meter.Float64ObservableGauge(name, unit, help)
		}
		if err != nil {
			return nil, err
		}
		i.modules[f], all = one, append(all, one)
	}
	return all, nil
}

// observeModules observes the figures of the modules that work for the runtime. The attribute that
// tells the values of one apart has the key of its label, as "freerun.kind".
func (i *instruments) observeModules(o metric.Observer, common attribute.Set) {
	for _, v := range figures.Of(i.rt) {
		all := common
		if v.Of.Label != "" {
			all = attribute.NewSet(append(common.ToSlice(), attribute.String("freerun."+v.Of.Label, v.Label))...)
		}
		o.ObserveFloat64(i.modules[v.Of], v.Value, metric.WithAttributeSet(all))
	}
}
