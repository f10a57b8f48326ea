//go:build !wasip1

package main

import (
	"errors"
	"fmt"
	"net/http/httptest"
	"testing"

	runtime "github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/cmd/freerun/internal/browsertest"
	"github.com/freerun-go/freerun/httpview"
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
