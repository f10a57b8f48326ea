package durable

import (
	"strings"
	"testing"

	"github.com/freerun-go/freerun/programs"
)

// TestWith: a variant is carried out by the function of its name, and by no other one.
func TestWith(t *testing.T) {
	own := With(map[string]Run{"bbolt": func(programs.Config) (programs.Result, error) {
		return programs.Result{Operations: 1, Checksum: Checksum}, nil
	}})
	for _, p := range []*programs.Program{Program, own} {
		values, err := p.Values(true, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range p.Variants {
			_, err := p.Run(v, programs.Config{Processors: 1, Values: values})
			if has := p == own && v.Name == "bbolt"; has && err != nil || !has && (err == nil || !strings.Contains(err.Error(), "carried out by freerun-durable alone")) {
				t.Errorf("%s: %v", v.Name, err)
			}
		}
	}
}

// TestPoints: each point has all parameters but the size, and DBOS has no reads.
func TestPoints(t *testing.T) {
	for _, point := range Program.Points {
		if len(point) != len(Program.Params)-1 {
			t.Errorf("%v leaves a parameter open", point)
		}
		values, err := Program.Values(false, point)
		if err != nil {
			t.Error(err)
		}
		for _, v := range Program.Variants {
			if fits := v.Fits == nil || v.Fits(values); fits == (v.Name == "dbos" && point[Reads] == 1) {
				t.Errorf("%s fits %v: %v", v.Name, point, fits)
			}
		}
	}
}
