package exempt_test

import (
	"testing"

	"github.com/freerun-go/freerun/internal/exempt"
)

func TestHas(t *testing.T) {
	if exempt.Any() || exempt.Has("p.f") {
		t.Error("nothing was noted")
	}
	exempt.Note("p.f", "p.(*list[...]).sort")
	exempt.Note("main.g")
	for name, want := range map[string]bool{
		"p.f": true, "p.f.func1": true, "p.f[...]": true, "p.f-range1": true, "p.(*list[...]).sort": true, "p.(*list[...]).sort.func2": true, "main.g": true,
		"p.fs": false, "p.": false, "q.p.f": false, "p.(*list[...]).sorted": false, "": false,
	} {
		if exempt.Has(name) != want {
			t.Errorf("%s: it is not %v", name, want)
		}
	}
}
