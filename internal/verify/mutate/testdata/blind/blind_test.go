package blind

import "testing"

func TestOpens(t *testing.T) {
	var g Gate
	if g.IsOpen() {
		t.Fatal("open from the start")
	}
	g.Open()
	g.Wait()
	if !g.IsOpen() {
		t.Fatal("shut after Open")
	}
}

// TestCounts is blind: it looks at the count and expects nothing of it.
func TestCounts(t *testing.T) {
	var g Gate
	g.Open()
	t.Log(g.Opened())
}
