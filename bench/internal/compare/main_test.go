package main

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestRefusals: command lines that cannot be carried out are refused before anything is built.
func TestRefusals(t *testing.T) {
	for _, c := range []struct {
		args   []string
		status int
		says   string
	}{
		{nil, 2, "there is no base"},
		{[]string{"-base", ""}, 2, "there is no base"},
		{[]string{"-base", "HEAD", "-pairs", "5"}, 2, "at least 6"},
		{[]string{"-base", "HEAD", "-pairs", "1001"}, 2, "at most 1000"},
		{[]string{"-base", "HEAD", "-processors", "1,zwei"}, 2, `"zwei" is no number of processors`},
		{[]string{"-base", "HEAD", "-run", "("}, 2, "-run"},
		{[]string{"-base", "HEAD", "-run", "^nonsense$"}, 2, "there are fib, pingpong, fanin, submit, skynet, bank, ddb, switch, create"},
		{[]string{"-base", "HEAD", "fib"}, 2, "left over"},
		{[]string{"-cooperate", "-base", "HEAD"}, 2, "leave -base out"},
		{[]string{"-cooperate", "-run", "^fib$"}, 2, "there are create, switch, lock, matrix"},
		{[]string{"-nonsense"}, 2, "nonsense"},
	} {
		var out, errs bytes.Buffer
		if status := run(context.Background(), c.args, &out, &errs); status != c.status || !strings.Contains(errs.String(), c.says) || out.Len() > 0 {
			t.Errorf("%q: status %d, %q, %q", c.args, status, errs.String(), out.String())
		}
	}
}

func TestParse(t *testing.T) {
	var errs bytes.Buffer
	o, err := parse([]string{"-base", "HEAD", "-run", "fib|ddb", "-pairs", "30", "-processors", "2"}, &errs)
	if err != nil || o.pairs != 30 || len(o.processors) != 1 || o.processors[0] != 2 || names(o.subjects) != "fib, ddb" {
		t.Errorf("%+v, %v", o, err)
	}
}
