package cooperate

import (
	"slices"
	"strings"
)

// leftOut are the packages of the standard library without polls, each with the reason. A path that
// ends in /... stands for all packages below it, too.
var leftOut = []struct{ path, why string }{
	{"runtime", "runs on the system's stack, and below each poll; what it imports, too"},
	{"runtime/...", "observes or stops what runs, with locks of the runtime held"},
	{"internal/runtime/...", "is a part of the runtime"},
	{"internal/coverage/...", "is called by the runtime when a program ends"},
	{"internal/godebug", "is called by the runtime, which holds the locks of its metrics"},
	{"internal/bisect", "is called by internal/godebug, in any state"},
	{"internal/reflectlite", "is below package sync"},
	{"internal/race", "tells the race detector what it is to overlook"},
	{"internal/sync", "has locks that are half taken inside, and counts on its turns"},
	{"sync/...", "as internal/sync; a Pool holds Go's processor"},
	{"internal/synctest", "changes who may run"},
	{"internal/syscall/...", "is a system call each, on Windows with memory that may not move"},
	{"syscall/...", "runs between fork and exec, where nothing else may"},
	{"time", "its timers call it where nothing may wait, and the slow path of a poll reads the clock"},
	{"iter", "switches between coroutines, which polls must not see half done"},
	{"unique", "is called by the collector; each function is short"},
	{"weak", "as unique"},
	{"arena", "hands out memory that the collector does not see yet"},
	{"math", "each function takes a bounded time"},
	{"math/bits", "as math"},
	{"math/cmplx", "as math"},
	{"crypto/internal/...", "the checksum of FIPS 140 covers its code, which takes the same time for all secrets"},
	{"crypto/subtle", "takes the same time for all secrets"},
	{"plugin", "holds what the runtime has locked while it opens a plugin"},
	{"testing/...", "measures and counts what others do"},
}

// isLeftOut reports whether a package of the standard library has no polls by the list.
func isLeftOut(path string) bool {
	for _, l := range leftOut {
		if prefix, all := strings.CutSuffix(l.path, "/..."); path == prefix || all && strings.HasPrefix(path, prefix+"/") {
			return true
		}
	}
	return false
}

// belowRuntime returns the packages that Go's runtime imports, directly or not. imports has the
// imports of all packages of the standard library, by their paths.
func belowRuntime(imports map[string][]string) map[string]bool {
	below := make(map[string]bool)
	next := slices.Clone(imports["runtime"])
	for len(next) > 0 {
		path := next[len(next)-1]
		next = next[:len(next)-1]
		if !below[path] {
			below[path] = true
			next = append(next, imports[path]...)
		}
	}
	return below
}
