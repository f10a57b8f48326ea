package programs

import (
	"errors"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func sample(checksum string, fail error) *Program {
	return &Program{
		Name: "sample",
		Params: []Param{
			{Name: Size, Default: 10, Quick: 2, Min: 1, Max: 100},
			{Name: "work", Letter: "k", Default: 5, Quick: 0, Min: 0, Max: 7},
		},
		Variants: []Variant{{Name: "serial", Run: func(Config) (Result, error) {
			return Result{Operations: 4, Elapsed: 100, Allocs: 2, Checksum: checksum}, fail
		}}},
		Expected: func(v Values) string { return "due" },
	}
}

func TestRunRefusesAWrongResult(t *testing.T) {
	p := sample("other", nil)
	_, err := p.Run(p.Variants[0], Config{Processors: 1})
	var wrong *WrongResultError
	if !errors.As(err, &wrong) {
		t.Fatalf("error %v, want a *WrongResultError", err)
	}
	if wrong.Got != "other" || wrong.Want != "due" || wrong.Program != "sample" || wrong.Variant != "serial" {
		t.Errorf("wrong fields: %+v", wrong)
	}
}

func TestRunAcceptsARightResult(t *testing.T) {
	p := sample("due", nil)
	r, err := p.Run(p.Variants[0], Config{Processors: 1})
	if err != nil {
		t.Fatal(err)
	}
	if r.NsPerOp() != 25 || r.AllocsPerOp() != 0.5 || r.OpsPerSecond() != 4e7 {
		t.Errorf("per operation %v ns and %v allocations, %v operations a second; want 25, 0.5, 4e7",
			r.NsPerOp(), r.AllocsPerOp(), r.OpsPerSecond())
	}
}

func TestRunKeepsTheCauseOfAFailure(t *testing.T) {
	cause := errors.New("cause")
	p := sample("due", cause)
	_, err := p.Run(p.Variants[0], Config{Processors: 1})
	if !errors.Is(err, cause) || !strings.Contains(err.Error(), "sample/serial") {
		t.Errorf("error %v, want one that names sample/serial and wraps its cause", err)
	}
}

func TestResultWithoutOperations(t *testing.T) {
	if r := (Result{}); r.NsPerOp() != 0 || r.AllocsPerOp() != 0 || r.OpsPerSecond() != 0 {
		t.Errorf("an empty result is not all zero: %v %v %v", r.NsPerOp(), r.AllocsPerOp(), r.OpsPerSecond())
	}
}

func TestValues(t *testing.T) {
	p := sample("due", nil)
	for _, c := range []struct {
		quick      bool
		set        map[string]int
		size, work int
	}{
		{false, nil, 10, 5},
		{true, nil, 2, 0},
		{true, map[string]int{Size: 100, "work": 7}, 100, 7},
		{false, map[string]int{"work": 0}, 10, 0},
	} {
		v, err := p.Values(c.quick, c.set)
		if err != nil {
			t.Errorf("Values(%v, %v): %v", c.quick, c.set, err)
			continue
		}
		if v.Get(Size) != c.size || v.Get("work") != c.work {
			t.Errorf("Values(%v, %v) = %v, want size %d and work %d", c.quick, c.set, v, c.size, c.work)
		}
	}
}

func TestParamByNameOrLetter(t *testing.T) {
	p := sample("due", nil)
	for name, want := range map[string]string{Size: Size, "work": "work", "k": "work", "w": "", "": ""} {
		if param, ok := p.Param(name); ok != (want != "") || param.Name != want {
			t.Errorf("Param(%q) is %q, %v; want %q", name, param.Name, ok, want)
		}
	}
}

func TestValuesRefuses(t *testing.T) {
	p := sample("due", nil)
	for _, c := range []struct {
		set  map[string]int
		says string
	}{
		{map[string]int{Size: 0}, "must be from 1 to 100"},
		{map[string]int{"work": 8}, "must be from 0 to 7"},
		{map[string]int{"wrok": 1}, "it has size, work"},
	} {
		_, err := p.Values(false, c.set)
		var wrong *ParamError
		if !errors.As(err, &wrong) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("Values(%v): error %v, want a *ParamError that says %q", c.set, err, c.says)
		}
	}
}

func TestGetPanicsOnAMisspelling(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic for a parameter that does not exist")
		}
	}()
	Values{Size: 1}.Get("sice")
}

func TestFinishWaitsForEveryPart(t *testing.T) {
	f := NewFinish(3)
	for part := range 3 {
		select {
		case <-f.done:
			t.Fatalf("finished when only %d of 3 parts had ended", part)
		default:
		}
		f.Reached()
	}
	if _, err := f.Wait(); err != nil {
		t.Error(err)
	}
}

func TestFinishKeepsTheFirstFailure(t *testing.T) {
	first := errors.New("first")
	f := NewFinish(1)
	before := time.Now()
	f.Fail(first)
	f.Reached()
	f.Fail(errors.New("second"))
	at, err := f.Wait()
	if err != first {
		t.Errorf("error %v, want the first", err)
	}
	if at.Before(before) {
		t.Error("the noted instant lies before the call")
	}
}

var kept *[64]byte

func TestMeterCountsAllocations(t *testing.T) {
	m := StartMeter()
	for range 1000 {
		kept = new([64]byte)
	}
	if r := m.Stop(1000); r.Allocs < 1000 {
		t.Errorf("%d allocations counted, 1000 made", r.Allocs)
	}
}

func TestKindString(t *testing.T) {
	for k, want := range map[Kind]string{Baseline: "baseline", Freerun: "freerun", PlainGo: "plain Go", 9: "Kind(9)"} {
		if k.String() != want {
			t.Errorf("Kind %d is %q, want %q", int(k), k.String(), want)
		}
	}
}
