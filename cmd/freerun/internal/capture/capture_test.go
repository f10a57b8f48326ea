package capture_test

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/freerun-go/freerun/bench"
	"github.com/freerun-go/freerun/cmd/freerun/internal/capture"
	"github.com/freerun-go/freerun/programs"
	"github.com/freerun-go/freerun/programs/catalogue"
	"github.com/freerun-go/freerun/recording"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// plan returns a plan that runs variants of a program with the capture.
func plan(t *testing.T, c *capture.Capture, program string, variants ...string) *bench.Plan {
	t.Helper()
	p, err := bench.NewPlan(catalogue.Programs(), bench.Request{
		Programs: []string{program}, Variants: variants, Processors: []int{1}, Runs: 1, Params: []string{"size=100"}, Runner: c.Run,
	})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestCapture records the first of two variants, from its first message to its last, and does not
// run the other.
func TestCapture(t *testing.T) {
	var out bytes.Buffer
	c := capture.New(&out, 1<<30, 0)
	recorded, interrupted, err := c.Plan(t.Context(), plan(t, c, "submit", "tell", "futures"))
	if !recorded || interrupted || err != nil {
		t.Fatalf("recorded %t, interrupted %t, error %v", recorded, interrupted, err)
	}
	if want := "submit/tell size=100"; c.Title() != want {
		t.Errorf("the title is %q, want %q", c.Title(), want)
	}
	rec, err := recording.Read(&out)
	if err != nil {
		t.Fatal(err)
	}
	if rec.Sent != 100 {
		t.Errorf("%d messages, want those of one variant: 100", rec.Sent)
	}
}

// TestNothingToRecord: a program without a runtime is reported.
func TestNothingToRecord(t *testing.T) {
	var out bytes.Buffer
	c := capture.New(&out, 1<<30, 0)
	recorded, _, err := c.Plan(t.Context(), plan(t, c, "cas", "backoff"))
	if recorded || err == nil || !strings.Contains(err.Error(), "cas/backoff size=100") {
		t.Errorf("recorded %t, error %v", recorded, err)
	}
	if out.Len() > 0 {
		t.Errorf("%d bytes are written", out.Len())
	}
}

// TestWrongResult: the error of the program is reported, and the recording is there all the same.
func TestWrongResult(t *testing.T) {
	var out bytes.Buffer
	c := capture.New(&out, 1<<30, 0)
	p := plan(t, c, "submit", "tell")
	for _, program := range catalogue.Programs() {
		if program.Name == "submit" {
			wrong := *program
			wrong.Expected = func(programs.Values) string { return "nothing" }
			var err error
			p, err = bench.NewPlan([]*programs.Program{&wrong}, bench.Request{Programs: []string{"submit"}, Variants: []string{"tell"}, Processors: []int{1}, Runs: 1, Params: []string{"size=100"}, Runner: c.Run})
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	recorded, _, err := c.Plan(context.Background(), p)
	if !recorded || err == nil || !strings.Contains(err.Error(), "wrong result") {
		t.Errorf("recorded %t, error %v", recorded, err)
	}
}
