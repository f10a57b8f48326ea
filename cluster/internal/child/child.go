// Package child starts a test binary as another process, which the test can kill.
package child

import (
	"context"
	"os"
	"os/exec"
	"testing"

	"go.uber.org/goleak"
)

// variable names the role of a process.
const variable = "FREERUN_CHILD"

var roles = map[string]func(){}

// Role declares what a process of this role runs. It ends with 0 when run returns. Call it before
// [Main]: in an init function.
func Role(name string, run func()) { roles[name] = run }

// Main is the TestMain of a package with roles: it runs the role of the process, or the tests,
// which must leave no goroutine, but those of a store of files that a server of NATS makes while it
// ends, which the server forgets (nats-server 2.15): of a block, of the state, and of the clock of
// all stores.
func Main(m *testing.M) {
	if name := os.Getenv(variable); name != "" {
		roles[name]()
		os.Exit(0)
	}
	const server = "github.com/nats-io/nats-server/v2/server"
	goleak.VerifyTestMain(m, goleak.IgnoreTopFunction(server+".(*msgBlock).flushLoop"),
		goleak.IgnoreTopFunction(server+".(*fileStore).flushStreamStateLoop"),
		goleak.IgnoreTopFunction(server+"/ats.Register.func1"))
}

// Command is a process of a role, with more variables of its environment. Its errors go to those of
// this process, and it is killed when ctx ends.
func Command(ctx context.Context, role string, variables ...string) *exec.Cmd {
	c := exec.CommandContext(ctx, os.Args[0])
	c.Env = append(append(os.Environ(), variables...), variable+"="+role)
	c.Stderr = os.Stderr
	return c
}
