//go:build !wasip1

package browsertest_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/freerun-go/freerun/cmd/freerun/internal/browsertest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestPage opens a page that shows its width, its theme and the typed text.
func TestPage(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(`<!doctype html><link rel="icon" href="data:,"><body style="margin:0"><input autofocus style="width:100px;height:30px"><p id="wide">.</p>
			<script>const dark = matchMedia("(prefers-color-scheme: dark)").matches; console.log("not a complaint")</script>`))
	}))
	defer server.Close()
	page := browsertest.Open(t, server.URL, browsertest.Width(400), browsertest.Dark())
	if got := browsertest.Eval[int](page, `innerWidth`); got != 400 {
		t.Errorf("the window is %d wide, want 400", got)
	}
	if !browsertest.Eval[bool](page, `dark`) {
		t.Error("the browser does not prefer dark")
	}
	page.Click(50, 15)
	page.Press("seven")
	page.Until(`document.querySelector("input").value == "seven"`)
	if got := browsertest.Eval[string](page, `Promise.resolve("later")`); got != "later" {
		t.Errorf("the promise gives %q, want later", got)
	}
	page.FitsItsWidth()
	if complaints := page.Complaints(); len(complaints) > 0 {
		t.Errorf("complaints %q of a page without any", complaints)
	}
}

// TestHeard: an error that the page has written is a complaint at once, and one that is excused is
// none.
func TestHeard(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(`<!doctype html><link rel="icon" href="data:,">`))
	}))
	defer server.Close()
	page := browsertest.Open(t, server.URL)
	for i := range 100 {
		browsertest.Eval[bool](page, `console.error("heard"), true`)
		if complaints := page.Complaints(); len(complaints) != 1 {
			t.Fatalf("%d: complaints %q, want one", i, complaints)
		}
	}
	page.Excuse("known")
	browsertest.Eval[bool](page, `console.error("a known error"), console.error("another"), true`)
	if complaints := page.Complaints(); len(complaints) != 1 || !strings.Contains(complaints[0], "another") {
		t.Errorf("complaints %q, want one", complaints)
	}
}

// TestComplaints: errors on the console, exceptions and unhandled rejections are noticed, and so is
// a page that is too wide.
func TestComplaints(t *testing.T) {
	file := filepath.Join(t.TempDir(), "bad.html")
	err := os.WriteFile(file, []byte(`<!doctype html><p id="wide" style="width:900px">.</p>
		<script>console.error("first"); Promise.reject(new Error("second")); setTimeout(() => { document.title = "done"; throw new Error("third") })</script>`), 0o644)
	if err != nil {
		t.Fatal(err)
	}
	page := browsertest.OpenFile(t, file, browsertest.Width(400))
	page.Until(`document.title == "done"`)
	if got := browsertest.Eval[int](page, `new Promise(r => setTimeout(() => r(1), 50))`); got != 1 {
		t.Errorf("the promise gives %d, want 1", got)
	}
	all := strings.Join(page.Complaints(), "\n")
	for _, want := range []string{"first", "second", "third"} {
		if !strings.Contains(all, want) {
			t.Errorf("no %s in the complaints: %s", want, all)
		}
	}
	if wide := browsertest.Eval[int](page, `document.documentElement.scrollWidth`); wide <= 400 {
		t.Errorf("the page is %d wide, so FitsItsWidth could not find anything", wide)
	}
}
