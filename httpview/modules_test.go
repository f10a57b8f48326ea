package httpview

import (
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/freerun-go/freerun/internal/figures"
)

// Figures of a module of these tests.
var (
	deeds = figures.Declare(figures.Figure{Name: "testing.deeds", Unit: "{deed}", Help: "Deeds done.", Grows: true})
	haste = figures.Declare(figures.Figure{Name: "testing.haste", Unit: "s", Help: "Time of the last deed."})
	doers = figures.Declare(figures.Figure{Name: "testing.doers", Unit: "{doer}", Help: "Doers.", Label: "kind"})
)

// TestModules: what works for a runtime has its figures in the frame, in the order of their
// declaration, and in the metrics, as long as it works, and in no other runtime's.
func TestModules(t *testing.T) {
	rt, other := start(t), start(t)
	h := Handler(rt) // before the module joins
	if f := frameOf(t, get(t, h, "/live.json").Body.Bytes()); len(f.Modules) != 0 {
		t.Errorf("%+v", f.Modules)
	}
	hide := figures.Show(rt, func() []figures.Value {
		return []figures.Value{{Of: doers, Label: "b", Value: 2}, {Of: doers, Label: "a", Value: 1}, {Of: haste, Value: 0.25}, {Of: deeds, Value: 7}}
	})
	got := newView(rt, "test").see(sample{}).Modules
	want := []moduleFigure{
		{"testing.deeds", "", "Deeds done.", "{deed}", true, 7},
		{"testing.haste", "", "Time of the last deed.", "s", false, 0.25},
		{"testing.doers", "a", "Doers.", "{doer}", false, 1},
		{"testing.doers", "b", "Doers.", "{doer}", false, 2},
	}
	if len(got) != len(want) {
		t.Fatalf("%+v", got)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("%+v, want %+v", got[i], want[i])
		}
	}
	const metrics = `# HELP freerun_testing_deeds_total Deeds done.
# TYPE freerun_testing_deeds_total counter
freerun_testing_deeds_total 7
# HELP freerun_testing_doers Doers.
# TYPE freerun_testing_doers gauge
freerun_testing_doers{kind="a"} 1
freerun_testing_doers{kind="b"} 2
# HELP freerun_testing_haste_seconds Time of the last deed.
# TYPE freerun_testing_haste_seconds gauge
freerun_testing_haste_seconds 0.25
`
	c := NewCollector(rt)
	if err := testutil.CollectAndCompare(c, strings.NewReader(metrics), "freerun_testing_deeds_total", "freerun_testing_doers", "freerun_testing_haste_seconds"); err != nil {
		t.Error(err)
	}
	if problems, err := testutil.CollectAndLint(c); err != nil || len(problems) > 0 {
		t.Errorf("%v: %v", problems, err)
	}
	if body := get(t, h, "/metrics").Body.String(); !strings.Contains(body, "\nfreerun_testing_deeds_total 7\n") {
		t.Errorf("the handler's metrics lack the module's:\n%s", body)
	}
	if n := testutil.CollectAndCount(NewCollector(other), "freerun_testing_deeds_total"); n != 0 {
		t.Error("another runtime has them, too")
	}
	hide()
	if n := testutil.CollectAndCount(c, "freerun_testing_deeds_total"); n != 0 {
		t.Error("they outlive the module's work")
	}
}
