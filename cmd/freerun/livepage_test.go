//go:build !wasip1

package main

import (
	"errors"
	"fmt"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	runtime "github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/cmd/freerun/internal/browsertest"
	"github.com/freerun-go/freerun/httpview"
	"github.com/freerun-go/freerun/internal/figures"
)

var lostOnPage = runtime.Op("lostOnPage", func(*runtime.Context, *int, int) (int, error) {
	return 0, errors.New("<i>nobody</i> is here")
})

// TestLivePageOfStillUnits has a browser show the units that are suspended, and the messages that
// were lost, with names that are HTML; and then that the units go on.
func TestLivePageOfStillUnits(t *testing.T) {
	rt := runtime.New()
	defer rt.Close()
	c := rt.Context()
	p := runtime.NewPromise[int](c)
	var last runtime.Future[int]
	for i := range 40 { // more than are shown
		u := runtime.NewUnit(rt, 0, runtime.UnitName(fmt.Sprintf("<b>vault</b> %d", i)))
		last = runtime.Suspend(c, u, p.Future())
	}
	lostOnPage.Tell(c, runtime.NewUnit(rt, 0, runtime.UnitName("desk")), 1)
	server := httptest.NewServer(httpview.Handler(rt))
	defer server.Close()
	page := browsertest.Open(t, server.URL+"/")
	const suspended = `document.querySelector("#suspended").innerText`
	page.Until(suspended + `.includes("<b>vault</b> ") && ` + suspended + `.includes("and 8 more")`)
	if n := browsertest.Eval[int](page, `document.querySelectorAll("#suspended code").length`); n != 32 {
		t.Errorf("%d suspended units are shown, want 32", n)
	}
	const losses = `document.querySelector("#losses").innerText`
	page.Until(losses + `.includes("on desk") && ` + losses + `.includes("<i>nobody</i> is here")`)
	page.Resize(400, 900)
	page.FitsItsWidth()
	page.Screenshot("live-suspended")

	p.Resolve(1, nil)
	if _, err := last.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	page.Until(suspended + ` == "none"`)
}

// Figures of a module of these tests.
var (
	pageDeeds = figures.Declare(figures.Figure{Name: "page.deeds_done", Unit: "{deed}", Help: "Deeds <b>done</b>.", Grows: true})
	pageHaste = figures.Declare(figures.Figure{Name: "page.haste", Unit: "s", Help: "Time of the last deed."})
	pageFile  = figures.Declare(figures.Figure{Name: "page.file", Unit: "By", Help: "Size."})
	pageDoers = figures.Declare(figures.Figure{Name: "page.doers", Unit: "{doer}", Help: "Doers.", Label: "kind"})
)

// TestLivePageOfModules has a browser show the figures of what works for a runtime, counters per
// second, too; and no such section before and after.
func TestLivePageOfModules(t *testing.T) {
	rt := runtime.New()
	defer rt.Close()
	server := httptest.NewServer(httpview.Handler(rt))
	defer server.Close()
	page := browsertest.Open(t, server.URL+"/")
	const hidden = `document.querySelector("#modules").hidden`
	page.Until(`document.querySelector("#state").dataset.state == "live" && ` + hidden)
	var done atomic.Int64
	hide := figures.Show(rt, func() []figures.Value {
		return []figures.Value{
			{Of: pageDeeds, Value: float64(done.Add(1000))},
			{Of: pageHaste, Value: 0.00025},
			{Of: pageFile, Value: 3 << 20},
			{Of: pageDoers, Label: "<i>account</i>", Value: 12},
		}
	})
	const cells = `Array.from(document.querySelectorAll("#modules tbody tr"), r => Array.from(r.cells, c => c.textContent).join("|").replaceAll("\u202f", " ")).join("\n")`
	page.Until(`!` + hidden + ` && /k\|[1-9]/.test(` + cells + `)`) // the second frame knows a rate
	got := browsertest.Eval[string](page, cells)
	for _, want := range []string{"page deeds done |", "|Deeds <b>done</b>.", "page haste |250 µs||", "page file |3.00 MiB||", "page doers <i>account</i>|12||"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing in\n%s", want, got)
		}
	}
	page.FitsItsWidth()
	page.Screenshot("live-modules")
	page.Resize(400, 900)
	page.FitsItsWidth()
	hide()
	page.Until(hidden)
}

// Kinds of these tests.
var (
	pageAccounts = runtime.NewKind[string, int]("<b>account</b>", func(*runtime.Context, string) (int, error) { return 0, nil }, runtime.MaxActive(100))
	pagePay      = runtime.Op("pagePay", func(_ *runtime.Context, a *int, n int) (int, error) {
		*a += n
		return *a, nil
	})
)

// TestLivePageOfKinds has a browser show the kinds of a runtime, with their busiest keys, as names
// that are HTML; and no such section before one was used.
func TestLivePageOfKinds(t *testing.T) {
	rt := runtime.New()
	defer rt.Close()
	server := httptest.NewServer(httpview.Handler(rt, httpview.Title("bank")))
	defer server.Close()
	page := browsertest.Open(t, server.URL+"/")
	const hidden = `document.querySelector("#kinds").hidden`
	page.Until(`document.querySelector("#state").dataset.state == "live" && ` + hidden)
	pay := func(key string, n int) {
		for range n {
			if err := pagePay.Tell(rt.Context(), pageAccounts.At(rt.Context(), key), 1); err != nil {
				t.Fatal(err)
			}
		}
		if err := rt.Quiesce(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	pay("bob", 100)
	pay("<i>ada</i>", 500)
	for i := range 30 {
		pay(fmt.Sprintf("customer-%02d", i), 30-i)
	}
	const cells = `Array.from(document.querySelectorAll("#kinds tbody tr"), r => Array.from(r.cells, c => c.textContent).join("|")).join("\n")`
	const keys = `Array.from(document.querySelectorAll("#kinds .hot code"), c => c.textContent).join(" ")`
	page.Until(`!` + hidden + ` && ` + cells + `.startsWith("freerun.<b>account</b>|32|")`)
	if got, want := browsertest.Eval[string](page, keys), "<i>ada</i> bob customer-00 customer-01 customer-02 customer-03 customer-04 customer-05"; got != want {
		t.Errorf("the busiest keys are %q, want %q", got, want)
	}
	pay("bob", 5000)
	page.Until(keys + `.startsWith("bob ")`)
	page.FitsItsWidth()
	page.Screenshot("live-kinds")
	page.Resize(400, 900)
	page.FitsItsWidth()
	page.Screenshot("live-kinds-narrow")
}
