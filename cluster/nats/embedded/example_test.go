//go:build !wasm

package embedded_test

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/cluster"
	"github.com/freerun-go/freerun/cluster/nats/embedded"
)

// A program that is its own server: what it has counted is there when it starts again.
func Example() {
	dir, _ := os.MkdirTemp("", "visits")
	defer os.RemoveAll(dir)
	for range 2 { // the second one is another process, as it were
		rt := freerun.New()
		node, err := cluster.Join(rt, embedded.Server("visits", dir, embedded.Create()))
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(add.Call(context.Background(), counters.At(rt.Context(), "home"), 1))
		if err := errors.Join(node.Close(), rt.Shutdown(context.Background())); err != nil {
			fmt.Println(err)
		}
	}
	// Output:
	// 1 <nil>
	// 2 <nil>
}
