package cluster_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/cluster"
)

// alarms is a program whose operation fails for good, and one that does not have it any more.
func alarms(dir string, has bool) error {
	rt := freerun.New()
	defer rt.Close()
	kind := freerun.NewKind("alarm", func(*freerun.Context, string) (int, error) { return 0, nil }, cluster.Durable())
	var setAlarm *freerun.Operation[int, struct{}, struct{}]
	if has {
		goesOff := freerun.Op("goesOff", func(*freerun.Context, *int, int) (int, error) { panic("it panics") })
		setAlarm = freerun.Op("setAlarm", func(c *freerun.Context, _ *int, _ struct{}) (struct{}, error) {
			return struct{}{}, cluster.TellAfter(c, 0, "x", goesOff, 7)
		})
	}
	node, err := cluster.Join(rt, cluster.Local(dir, cluster.Create()))
	if err != nil {
		return err
	}
	c := rt.Context()
	if has {
		_, err := setAlarm.Call(c, kind.At(c, "a"), struct{}{})
		for node.Stats().Failures == 0 && err == nil {
			time.Sleep(time.Millisecond)
		}
		return errors.Join(err, node.Close())
	}
	var number uint64
	for f, err := range node.Failures() {
		number = f.Number
		fmt.Println(f.Kind, f.Key, f.Operation, string(f.Arg), err)
	}
	fmt.Println(node.Retry(c, number))
	fmt.Println(node.Drop(c, number))
	for f := range node.Failures() {
		return fmt.Errorf("%+v is there after it was dropped", f)
	}
	return node.Close()
}

// TestFailureOfNone holds that a recorded failure is listed, and can be dropped, of an operation
// that the program does not have any more.
func TestFailureOfNone(t *testing.T) {
	if has := os.Getenv("FREERUN_ALARMS"); has != "" {
		if err := alarms(os.Getenv("FREERUN_DIR"), has == "has"); err != nil {
			t.Fatal(err)
		}
		return
	}
	dir := t.TempDir()
	runs := func(has string) string {
		cmd := exec.Command(os.Args[0], "-test.run=^TestFailureOfNone$")
		cmd.Env = append(os.Environ(), "FREERUN_ALARMS="+has, "FREERUN_DIR="+dir)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", has, err, out)
		}
		return string(out)
	}
	runs("has")
	lines := strings.Split(runs("has none"), "\n")
	for i, want := range []string{"alarm a goesOff 7 <nil>", "with operation goesOff, which this program does not have", "<nil>"} {
		if i >= len(lines) || !strings.Contains(lines[i], want) {
			t.Errorf("%q; want %q", lines, want)
		}
	}
}
