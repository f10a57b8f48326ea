package cooperate

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"strings"
)

// GoEnv returns what `go env` says in a folder, in an environment, which is that of this process if
// it is nil; except for GOGCCFLAGS, which is new each time.
func GoEnv(dir string, environ []string) (map[string]string, error) {
	g := exec.Command("go", "env", "-json")
	g.Dir, g.Env = dir, environ
	text, err := g.Output()
	var exit *exec.ExitError
	var path *fs.PathError
	switch {
	case errors.As(err, &exit) && len(exit.Stderr) > 0:
		return nil, errors.New(strings.TrimSpace(string(exit.Stderr)))
	case errors.As(err, &path) && path.Path == dir:
		return nil, err
	case err != nil:
		return nil, fmt.Errorf("there is no go command that works: %w; install Go, or put it into PATH", err)
	}
	var env map[string]string
	if err := json.Unmarshal(text, &env); err != nil {
		return nil, fmt.Errorf("go env: %w", err)
	}
	delete(env, "GOGCCFLAGS")
	return env, nil
}
