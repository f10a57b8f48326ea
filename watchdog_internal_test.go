package freerun

import "testing"

// TestOperationThatBegins: an observer, such as the watchdog, may find the first operation of a
// context half begun.
func TestOperationThatBegins(t *testing.T) {
	c := &Context{}
	if name := c.operation(); name != "" {
		t.Errorf("before: %q", name)
	}
	c.inside.begin(anOperation)
	if name := c.operation(); name != "" {
		t.Errorf("while it begins: %q", name)
	}
	c.kind.Store(newVtable(vtable{identity: identity{name: "test.begins"}}, nil))
	if name := c.operation(); name != "test.begins" {
		t.Errorf("then: %q", name)
	}
}
