package otelfreerun_test

import (
	"testing"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"github.com/freerun-go/freerun/internal/figures"
	"github.com/freerun-go/freerun/otelfreerun"
)

// Figures of a module of these tests.
var (
	deeds = figures.Declare(figures.Figure{Name: "testing.deeds", Unit: "{deed}", Help: "Deeds done.", Grows: true})
	doers = figures.Declare(figures.Figure{Name: "testing.doers", Unit: "{doer}", Help: "Doers.", Label: "kind"})
)

// TestObserveModules: the figures of what works for a runtime are observed, as long as it works.
func TestObserveModules(t *testing.T) {
	rt := start(t)
	reader := metric.NewManualReader()
	provider := metric.NewMeterProvider(metric.WithReader(reader))
	defer provider.Shutdown(t.Context())
	registration, err := otelfreerun.Observe(rt, provider.Meter("test"), attribute.String("shop", "ada"))
	if err != nil {
		t.Fatal(err)
	}
	defer registration.Unregister()
	hide := figures.Show(rt, func() []figures.Value { // after the registration
		return []figures.Value{{Of: deeds, Value: 7}, {Of: doers, Label: "a", Value: 1.5}, {Of: doers, Label: "b", Value: 2}}
	})
	look := func() map[string]float64 {
		var all metricdata.ResourceMetrics
		if err := reader.Collect(t.Context(), &all); err != nil {
			t.Fatal(err)
		}
		values := map[string]float64{}
		for _, m := range all.ScopeMetrics[0].Metrics {
			var points []metricdata.DataPoint[float64]
			switch data := m.Data.(type) {
			case metricdata.Sum[float64]:
				points = data.DataPoints
				if !data.IsMonotonic || m.Name != "freerun.testing.deeds" || m.Unit != "{deed}" || m.Description != "Deeds done." {
					t.Errorf("%+v", m)
				}
			case metricdata.Gauge[float64]:
				points = data.DataPoints
			}
			for _, p := range points {
				if shop, _ := p.Attributes.Value("shop"); shop.AsString() != "ada" {
					t.Errorf("%s has the attributes %v", m.Name, p.Attributes.ToSlice())
				}
				kind, _ := p.Attributes.Value("freerun.kind")
				values[m.Name+kind.AsString()] = p.Value
			}
		}
		return values
	}
	if got := look(); len(got) != 3 || got["freerun.testing.deeds"] != 7 || got["freerun.testing.doersa"] != 1.5 || got["freerun.testing.doersb"] != 2 {
		t.Errorf("%v", got)
	}
	hide()
	if got := look(); len(got) != 0 {
		t.Errorf("they outlive the module's work: %v", got)
	}
}
