package city

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/freerun-go/freerun/programs"
	"github.com/freerun-go/freerun/programs/programtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestVariants(t *testing.T) {
	for _, v := range []programs.Values{
		{programs.Size: 1, paramUnits: 1, paramStore: 1},
		{programs.Size: 3, paramUnits: 500, paramStore: 1},
		{programs.Size: 200, paramUnits: 10, paramStore: 100},
		{programs.Size: 50, paramUnits: 10, paramStore: 1000},
	} {
		for name, r := range programtest.Run(t, Program, v) {
			if want := 2 * uint64(v[programs.Size]*v[paramUnits]); r.Operations != want {
				t.Errorf("%s: %d units, want %d", name, r.Operations, want)
			}
		}
	}
}

// TestChecksumSeesWhoGetsTooMuch has one task do everything: rightly, and wrongly in three ways.
func TestChecksumSeesWhoGetsTooMuch(t *testing.T) {
	v := programs.Values{programs.Size: 4, paramUnits: 3, paramStore: 1}
	for name, wrong := range map[string]func(*city){
		"":            func(*city) {},
		"unequal":     func(c *city) { c.homes[1].electricity++; c.homes[2].electricity-- },
		"unmade":      func(c *city) { c.produced--; c.river.left.Add(1) },
		"too thirsty": func(c *city) { c.river.take() },
	} {
		c := newCity(v)
		for i := range c.homes {
			for range c.units {
				c.produce()
				c.consume(&c.homes[i])
			}
		}
		wrong(c)
		if (c.checksum() == Program.Expected(v)) != (name == "") {
			t.Errorf("%q: %s", name, c.checksum())
		}
	}
}
