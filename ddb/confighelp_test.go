package ddb

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

// TestConfigHelpNamesAll holds that CONFIG HELP names all parameters that CONFIG SET can change,
// and no others.
func TestConfigHelpNamesAll(t *testing.T) {
	_, addr := serve(t, Config{})
	help := dial(t, addr).do("CONFIG", "HELP")
	_, after, found := strings.Cut(help, "<directive> to <value>: ")
	list, _, ended := strings.Cut(after, ".")
	if !found || !ended {
		t.Fatalf("CONFIG HELP has no list of parameters: %s", help)
	}
	if named, all := strings.Split(list, ", "), slices.Sorted(maps.Keys(parameters)); !slices.Equal(named, all) {
		t.Errorf("CONFIG HELP names %q, CONFIG SET has %q", named, all)
	}
}
