//go:build !wasm

package main

import (
	_ "embed"
	"encoding/json"
	"net/http"

	"github.com/freerun-go/freerun/cluster"
)

//go:embed page.html
var page []byte

// handler serves the page, and what it shows.
func (b *bank) handler(node *cluster.Node) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write(page)
	})
	mux.HandleFunc("GET /processes", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(shown{node.Machines(), node.Stats().Partitions, b.all()})
	})
	return mux
}

// shown is what the page shows.
type shown struct {
	Machines  cluster.Machines // as the process with the server knows them
	Owned     int              // partitions that it has
	Processes []childProcess
}
