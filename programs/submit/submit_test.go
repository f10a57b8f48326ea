package submit

import (
	"errors"
	"testing"

	"go.uber.org/goleak"

	"github.com/freerun-go/freerun/programs"
	"github.com/freerun-go/freerun/programs/programtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestVariants(t *testing.T) {
	for _, size := range []int{1, 2, 10_000} {
		for name, r := range programtest.Run(t, Program, programs.Values{programs.Size: size}) {
			if r.Operations != uint64(size) {
				t.Errorf("%s: %d operations, want %d", name, r.Operations, size)
			}
		}
	}
}

// pool returns a pool that runs every task this many times, at once, and ends with err.
func pool(times int, err error) Start {
	return func(int) (Pool, error) {
		return Pool{
			Submit: func(task func()) error {
				for range times {
					task()
				}
				return nil
			},
			Wait:  func() error { return nil },
			Close: func() error { return err },
		}, nil
	}
}

// TestFaultyPools simulates pools that lose tasks, or run them twice: the run must fail instead of
// reporting a figure.
func TestFaultyPools(t *testing.T) {
	cfg := programs.Config{Processors: 2, Values: programs.Values{programs.Size: 100}}
	for _, times := range []int{0, 1, 2} {
		_, err := Program.Run(Variant("faulty", programs.Rival, "", pool(times, nil)), cfg)
		var wrong *programs.WrongResultError
		if errors.As(err, &wrong) != (times != 1) {
			t.Errorf("a pool that runs every task %d times: %v", times, err)
		}
	}
}

func TestFailuresAreReported(t *testing.T) {
	cfg := programs.Config{Processors: 1, Values: programs.Values{programs.Size: 10}}
	fault := errors.New("fault")
	for name, start := range map[string]Start{
		"start": func(int) (Pool, error) { return Pool{}, fault },
		"close": pool(1, fault),
		"submit": func(int) (Pool, error) {
			p, err := pool(1, nil)(1)
			p.Submit = func(func()) error { return fault }
			return p, err
		},
		"wait": func(int) (Pool, error) {
			p, err := pool(1, nil)(1)
			p.Wait = func() error { return fault }
			return p, err
		},
	} {
		if _, err := Program.Run(Variant("faulty", programs.Rival, "", start), cfg); !errors.Is(err, fault) {
			t.Errorf("%s: error %v, want the fault", name, err)
		}
	}
}
