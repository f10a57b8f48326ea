package bench

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/freerun-go/freerun/bench/catalogue"
	"github.com/freerun-go/freerun/programs"
)

// ask has ServeMeasurement carry out one measurement, over a pipe that stays open as a parent keeps
// it open.
func ask(t *testing.T, catalogue []*programs.Program, m measurement) (programs.Result, error) {
	t.Helper()
	in, parent := io.Pipe()
	defer parent.Close()
	go json.NewEncoder(parent).Encode(m)
	var out bytes.Buffer
	if err := ServeMeasurement(catalogue, in, &out); err != nil {
		t.Fatal(err)
	}
	var a answer
	if err := json.Unmarshal(out.Bytes(), &a); err != nil {
		t.Fatal(err)
	}
	return a.outcome()
}

func TestServeMeasurement(t *testing.T) {
	r, err := ask(t, catalogue.WithRivals(), measurement{"fib", "futures", 2, programs.Values{"size": 12, "work": 0}})
	if err != nil || r.Checksum != "144" || r.Operations != 465 || r.Elapsed <= 0 {
		t.Errorf("%+v, %v", r, err)
	}
	if len(r.Figures) != 1 {
		t.Fatalf("figures %+v", r.Figures)
	}
	if messages, ok := r.Figures[0].Value.([]uint64); !ok || len(messages) != 2 || messages[0]+messages[1] == 0 {
		t.Errorf("figure %+v", r.Figures[0])
	}
	if _, err := ask(t, catalogue.WithRivals(), measurement{Program: "fib", Variant: "nonsense"}); err == nil || !strings.Contains(err.Error(), "fib/nonsense") {
		t.Errorf("an unknown variant: %v", err)
	}
}

// TestServeMeasurementTellsWrongResults: a wrong result arrives as a wrong result.
func TestServeMeasurementTellsWrongResults(t *testing.T) {
	liar := &programs.Program{
		Name: "liar", Params: []programs.Param{{Name: programs.Size, Default: 1, Quick: 1, Min: 1, Max: 1}},
		Expected: func(programs.Values) string { return "truth" },
		Variants: []programs.Variant{{Name: "lie", Run: func(programs.Config) (programs.Result, error) {
			return programs.Result{Operations: 1, Checksum: "lie"}, nil
		}}},
	}
	_, err := ask(t, []*programs.Program{liar}, measurement{"liar", "lie", 1, programs.Values{programs.Size: 1}})
	var wrong *programs.WrongResultError
	if !errors.As(err, &wrong) || wrong.Got != "lie" || wrong.Want != "truth" {
		t.Errorf("%v", err)
	}
}

func TestServeMeasurementWithoutOrder(t *testing.T) {
	for _, order := range []string{"", "nonsense\n"} {
		if err := ServeMeasurement(catalogue.WithRivals(), strings.NewReader(order), io.Discard); err == nil {
			t.Errorf("%q: no error", order)
		}
	}
}

func TestIsolatedWithoutAnAnswer(t *testing.T) {
	p := catalogue.WithRivals()[0]
	if _, err := Isolated("/nonexistent/freerun")(t.Context(), p, p.Variants[0], programs.Config{Processors: 1}); err == nil {
		t.Error("no error for a command that does not exist")
	}
}
