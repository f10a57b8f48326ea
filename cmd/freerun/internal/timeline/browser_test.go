//go:build !wasip1

package timeline

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp/kb"
	"go.uber.org/goleak"

	"github.com/freerun-go/freerun/cmd/freerun/internal/browsertest"
	"github.com/freerun-go/freerun/recording"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// written writes the page of a recording into a file and returns the file's name.
func written(t testing.TB, rec *recording.Trace, a *recording.Analysis) string {
	t.Helper()
	var page bytes.Buffer
	if err := Write(&page, rec, a); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "t.html")
	if err := os.WriteFile(name, page.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	return name
}

// open opens the page and waits until it has drawn, or has said why it cannot.
func open(t testing.TB, name string, options ...browsertest.Option) *browsertest.Page {
	t.Helper()
	p := browsertest.OpenFile(t, name, options...)
	p.Until(`window.timeline?.painted > 0 || !document.getElementById("broken").hidden`)
	return p
}

type point struct{ X, Y float64 }

// holds fails the test if a text of the page lacks one of the words.
func holds(t *testing.T, p *browsertest.Page, element string, words ...string) {
	t.Helper()
	text := browsertest.Eval[string](p, `document.querySelector("`+element+`").innerText`)
	for _, word := range words {
		if !strings.Contains(text, word) {
			t.Errorf("%s shows %q, want %q in it", element, text, word)
		}
	}
}

// TestKnown: the page of a small recording shows all of its content.
func TestKnown(t *testing.T) {
	rec, a := known()
	p := open(t, written(t, rec, a))
	holds(t, p, "header", "known", "2 processors", "3 messages", "7 events lost", "12.0 µs", "7.40 µs", "1.62", "1.41 measured", "0.90 – 1.62 predicted")
	lanes := browsertest.Eval[string](p, `timeline.layout.lanes.map(l => l.name).join(", ")`)
	if want := "critical path, outside, P0, P1, units by traffic: 2 of 2, desk, known.table #2"; lanes != want {
		t.Errorf("lanes %s; want %s", lanes, want)
	}
	at := func(script string) point { return browsertest.Eval[point](p, script) }

	stolen := at(`timeline.place(6000, 1)`)
	p.Hover(stolen.X, stolen.Y)
	p.Until(`!document.getElementById("tooltip").hidden`)
	holds(t, p, "#tooltip", "known.count", "critical path", "#3", "6.00 µs on P1", "600 ns from send to run", "known.start #1 on P0")
	for place, words := range map[string][]string{
		`timeline.place(2700, 1)`:    {"searching", "400 ns on P1"},
		`timeline.place(8000, 0)`:    {"parked", "2.80 µs on P0"},
		`timeline.place(3000, 0, 2)`: {"known.table #2", "1 deep"},
	} {
		there := at(place)
		p.Hover(there.X, there.Y)
		p.Until(`document.getElementById("tooltip").innerText.includes("` + words[0] + `")`)
		holds(t, p, "#tooltip", words...)
	}

	p.Click(stolen.X, stolen.Y)
	p.Until(`!document.getElementById("details").hidden`)
	holds(t, p, "#details", "known.count", "sent by known.start #1")
	p.Press("s") // to the sender
	p.Until(`document.getElementById("details").innerText.includes("sent known.count #2 known.count #3")`)
	p.Press("/")
	p.Until(`document.activeElement.id == "query"`)
	browsertest.Eval[any](p, `document.activeElement.select()`)
	p.Press("coun")
	holds(t, p, "#hits", "2 matches")
	p.Press(kb.Enter + kb.Enter)
	holds(t, p, "#hits", "2 of 2")
	holds(t, p, "#details", "message #2")
	p.Press(kb.Escape + "+")
	p.Until(`timeline.view.to - timeline.view.from < 9000`)
	before := browsertest.Eval[float64](p, `timeline.view.from`)
	p.Drag(700, stolen.Y, 500, stolen.Y) // to the left, so that later events come into view
	if after := browsertest.Eval[float64](p, `timeline.view.from`); after <= before {
		t.Errorf("dragging to the left moved the view from %v to %v", before, after)
	}
	p.Press("0")
	p.Until(`timeline.view.to - timeline.view.from >= 10000`)
	scale := browsertest.Eval[point](p, `(() => { const b = document.getElementById("ruler").getBoundingClientRect(); return { x: timeline.view.x(5000), y: b.top + 10 } })()`)
	p.Drag(scale.X, scale.Y, scale.X+200, scale.Y) // over a part of the scale, which is shown then
	p.Until(`timeline.view.to - timeline.view.from < 5000`)
	if from := browsertest.Eval[float64](p, `timeline.view.from`); from < 4900 || from > 5100 {
		t.Errorf("the stretch that is shown begins at %v, want 5000", from)
	}
	p.FitsItsWidth()
}

// TestNarrow: in a window of 400 pixels everything is there and nothing stands out, light and dark.
func TestNarrow(t *testing.T) {
	rec, a := random(20_000, 4, 24)
	p := open(t, written(t, rec, a), browsertest.Width(400), browsertest.Dark())
	p.FitsItsWidth()
	if browsertest.Eval[bool](p, `!timeline.theme.dark`) {
		t.Error("the page is light where dark ones are preferred")
	}
	p.Press("t?")
	p.Until(`!timeline.theme.dark && !document.getElementById("keys").hidden`)
	p.FitsItsWidth()
	p.Press("?.")
	p.Until(`timeline.chosen >= 0`)
	p.FitsItsWidth()
	p.Screenshot("timeline-400")
	if low := browsertest.Eval[float64](p, `document.getElementById("scroll").clientHeight`); low < 100 {
		t.Errorf("%v pixels are left for the lanes", low)
	}
}

// TestMany draws a recording of many events at every size, and of fewer in short tests. It logs how
// long a million events take to open.
func TestMany(t *testing.T) {
	events := 1_000_000
	if testing.Short() {
		events = 100_000
	}
	rec, a := random(events, 8, 200)
	begin := time.Now()
	name := written(t, rec, a)
	size, err := os.Stat(name)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d events: written in %v, %d bytes", events, time.Since(begin).Round(time.Millisecond), size.Size())
	p := open(t, name)
	t.Logf("drawn %.0f ms after the page was asked for; a frame takes %.1f ms",
		browsertest.Eval[float64](p, `timeline.drawn`), browsertest.Eval[float64](p, `(() => { const t = performance.now(); for (let i = 0; i < 5; i++) timeline.paint(); return (performance.now() - t) / 5 })()`))
	if n := browsertest.Eval[int](p, `timeline.model.meta.messages`); n != rec.Sent {
		t.Errorf("the page has %d messages, want %d", n, rec.Sent)
	}
	if n := browsertest.Eval[int](p, `document.querySelectorAll("*").length`); n > 300 {
		t.Errorf("the page is made of %d elements: some are made for each event", n)
	}
	for range 20 {
		p.Press("+")
	}
	p.Until(`timeline.view.to - timeline.view.from < timeline.model.end / 1000`)
	p.Screenshot("timeline-near")
}

// TestEmpty: the page of an empty recording says that it is empty.
func TestEmpty(t *testing.T) {
	p := open(t, written(t, &recording.Trace{Processors: 1, Operations: []string{""}, Units: make([]recording.Unit, 1)}, &recording.Analysis{Processors: 1}), browsertest.Width(400))
	holds(t, p, "header", "recording", "1 processor", "0 messages")
	p.Press(".+0,c/")
	p.FitsItsWidth()
	if lanes := browsertest.Eval[int](p, `timeline.layout.lanes.length`); lanes != 1 {
		t.Errorf("%d lanes, want that of the processor", lanes)
	}
}

// TestBroken: a page that was cut off says so.
func TestBroken(t *testing.T) {
	rec, a := known()
	name := written(t, rec, a)
	page, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, page[:len(page)-100], 0o644); err != nil {
		t.Fatal(err)
	}
	p := open(t, name)
	holds(t, p, "#broken", "cannot be drawn")
	if len(p.Complaints()) == 0 {
		t.Error("nothing about it on the console")
	}
}
