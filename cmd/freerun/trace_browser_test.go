//go:build !wasip1

package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/freerun-go/freerun/cmd/freerun/internal/browsertest"
)

// TestTracePage records the database and opens its page. The page shows the output of the command,
// and the properties of every run of that program.
func TestTracePage(t *testing.T) {
	file := filepath.Join(t.TempDir(), "ddb.html")
	// The size is so large that the critical path has requests even if the system delays an early
	// message for long.
	out, errs, status := freerun(t, "trace", "ddb", "--size", "2000", "--processors", "2", "-o", file)
	if status != 0 || errs != "" {
		t.Fatalf("exit status %d, wrote %q and %q", status, out, errs)
	}
	page := browsertest.OpenFile(t, file)
	page.Until(`window.timeline?.painted > 0`)
	text := func(id string) string {
		return browsertest.Eval[string](page, `document.getElementById("`+id+`").innerText`)
	}
	for id, before := range map[string]string{"work": "work ", "span": "span "} {
		if !strings.Contains(out, before+text(id)) {
			t.Errorf("the page says %s%s, and the command %s", before, text(id), out)
		}
	}
	if text("work") == "0 ns" || text("span") == "0 ns" {
		t.Errorf("work %s, span %s", text("work"), text("span"))
	}
	for _, condition := range []string{
		`timeline.layout.lanes.filter(l => l.kind == "processor").length == 2`,
		`timeline.model.processors.some(p => p.runs > 500)`,
		`timeline.model.traffic.length == 32`,
		`timeline.model.unitName(timeline.model.traffic[0]).startsWith("ddb.table #")`,
		`timeline.model.path.begin.length > 1`,
	} {
		if !browsertest.Eval[bool](page, condition) {
			t.Errorf("not so: %s", condition)
		}
	}
	// Close up, around a message of the critical path that another message has sent.
	chosen := browsertest.Eval[int](page, `(() => {
		const { path, slices, first, messages } = timeline.model, n = path.message.length;
		const some = [...path.message].map((m, i) => [m, Math.abs(i - n / 2)]).filter(([m]) => first[m] > 0 && messages.sender[m] > 0);
		const m = some.sort((a, b) => a[1] - b[1])[0][0], i = first[m] - 1;
		timeline.goTo(m);
		timeline.view.show(slices.begin[i] - 90000, slices.begin[i] + 160000);
		return m;
	})()`)
	page.Until(`timeline.view.to - timeline.view.from < 260000 && !document.getElementById("details").hidden`)
	if told := text("details"); chosen == 0 || !strings.Contains(told, "sent by") || !strings.Contains(told, "on the critical path") {
		t.Errorf("of message %d the page tells %q", chosen, told)
	}
	browsertest.Eval[any](page, `new Promise(drawn => requestAnimationFrame(() => requestAnimationFrame(drawn)))`)
	page.Screenshot("timeline")
	page.Resize(400, 800)
	page.Until(`timeline.view.width <= 400`)
	page.FitsItsWidth()
}
