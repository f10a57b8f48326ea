package main

import "path"

// subject is a module with tests, and which of its packages are tested.
type subject struct {
	module, version string
	folders         []string
	only, skip      string            // which tests run, and which do not, regular expressions
	known           map[string]string // why a test does not end as it does under go test
}

var subjects = []subject{
	{module: "github.com/google/btree", version: "v1.1.3", folders: []string{"."}},
	{module: "github.com/google/uuid", version: "v1.6.0", folders: []string{"."}},
	{module: "golang.org/x/sync", version: "v0.19.0", folders: []string{"errgroup", "semaphore", "singleflight", "syncmap"}},
	{module: "golang.org/x/time", version: "v0.14.0", folders: []string{"rate"}},
	{module: "github.com/hashicorp/golang-lru/v2", version: "v2.0.7", folders: []string{".", "expirable", "simplelru"}},
	{module: "github.com/sourcegraph/conc", version: "v0.3.0", folders: []string{".", "pool", "stream", "iter", "panics"}},
	{module: "github.com/panjf2000/ants/v2", version: "v2.11.3", folders: []string{"."}, skip: "WaitToGetWorker"},
	{module: "github.com/gammazero/workerpool", version: "v1.1.3", folders: []string{"."}},
	{module: "github.com/gofrs/flock", version: "v0.13.0", folders: []string{"."}},
	{module: "github.com/fsnotify/fsnotify", version: "v1.9.0", folders: []string{"."}},
	{module: "github.com/creack/pty", version: "v1.1.24", folders: []string{"."}},
	{module: "github.com/spf13/cobra", version: "v1.10.2", folders: []string{"."}},
	{module: "gopkg.in/yaml.v3", version: "v3.0.1", folders: []string{"."}},
	{module: "go.uber.org/zap", version: "v1.27.1", folders: []string{".", "buffer", "zapcore", "zapio"}, known: map[string]string{
		"TestLoggerAddCaller":          "what has called the test is in package testing",
		"TestLoggerAddCallerFunction":  "the name of a function that has the test's body",
		"TestSugarAddCaller":           "what has called the test is in package testing",
		"TestStacktraceWithCallerSkip": "the whole stack of the test",
	}},
	{module: "github.com/hashicorp/yamux", version: "v0.1.2", folders: []string{"."}, known: map[string]string{
		"TestHalfCloseSessionShutdown": "data and the end of a connection race; by go 55 of 100 fail",
		"TestOpenStreamTimeout":        "waits 25 ms; by go 3 of 100 fail",
	}},
	{module: "github.com/gorilla/websocket", version: "v1.5.3", folders: []string{"."}},
	{module: "github.com/coder/websocket", version: "v1.8.14", folders: []string{"."}},
	{module: "golang.org/x/net", version: "v0.48.0", folders: []string{"http2", "netutil", "websocket"}, known: map[string]string{
		"TestTransportFailureErrorForHTTP1Response": "the answer must not be there before the request is written; by go 82 of 3,000 fail",
	}},
	{module: "github.com/miekg/dns", version: "v1.1.68", folders: []string{"."}},
	{module: "github.com/valyala/fasthttp", version: "v1.68.0", folders: []string{".", "fasthttputil"}, known: map[string]string{
		"TestAllocationClient": "counts allocations of the whole program",
	}},
	{module: "github.com/klauspost/compress", version: "v1.18.7", folders: []string{"fse", "huff0", "s2", "zstd"}},
	{module: "go.etcd.io/bbolt", version: "v1.4.3", folders: []string{".", "internal/freelist"}},
	{module: "github.com/jackc/puddle/v2", version: "v2.2.2", folders: []string{"."}},
	{module: "github.com/alitto/pond/v2", version: "v2.6.0", folders: []string{"."}},
	{module: "github.com/rogpeppe/go-internal", version: "v1.14.1", folders: []string{"lockedfile", "par", "cache", "testscript"}},
	{module: "golang.org/x/crypto", version: "v0.46.0", folders: []string{"ssh", "ssh/agent"}},
	// In C. One test has 10,000 queries, beside ten goroutines with others: it had not ended after
	// 75 s, in place of 4.
	{module: "github.com/mattn/go-sqlite3", version: "v1.14.32", folders: []string{"."}},
	{
		module: "github.com/nats-io/nats.go", version: "v1.48.0", folders: []string{"test"},
		only: "^Test(Conn|Pub|Sub|Queue|Flush|Request|Async|Close|Drain|Header|Simple|Selective)", skip: "Cluster|Reconnect",
	},
}

// path names the package.
func (s subject) path(folder string) string { return path.Join(s.module, folder) }

// reason returns why a test is known not to end as it does under go test, empty if it is not known.
func (s subject) reason(test string) string {
	for {
		if why, found := s.known[test]; found {
			return why
		}
		above := path.Dir(test)
		if above == "." {
			return ""
		}
		test = above
	}
}
