package ddb_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/freerun-go/freerun/ddb"
	"github.com/redis/go-redis/v9"
)

func Example() {
	ctx := context.Background()
	server, err := ddb.New(ddb.Config{Shards: 4})
	if err != nil {
		fmt.Println(err)
		return
	}
	addr, err := server.Listen("127.0.0.1:0")
	if err != nil {
		fmt.Println(err)
		return
	}
	served := make(chan error)
	go func() { served <- server.Serve() }()

	db := redis.NewClient(&redis.Options{Addr: addr.String()})
	fmt.Println(db.Set(ctx, "greeting", "hello", 0).Val())
	fmt.Println(db.Get(ctx, "greeting").Val())
	fmt.Println(db.Close())

	fmt.Println(server.Shutdown(ctx), <-served)
	// Output:
	// OK
	// hello
	// <nil>
	// <nil> <nil>
}

// A server as a cache: with a limit, the keys that were not used for longest make room.
func ExampleServer() {
	server, err := ddb.New(ddb.Config{Shards: 1, MaxMemory: 1 << 20, MaxMemoryPolicy: ddb.AllKeysLRU})
	if err != nil {
		fmt.Println(err)
		return
	}
	addr, err := server.Listen("127.0.0.1:0")
	if err != nil {
		fmt.Println(err)
		return
	}
	served := make(chan error)
	go func() { served <- server.Serve() }()

	ctx := context.Background()
	db := redis.NewClient(&redis.Options{Addr: addr.String()})
	page := strings.Repeat("x", 100_000)
	for n := range 20 { // two megabytes
		if err := db.Set(ctx, fmt.Sprint("page ", n), page, 0).Err(); err != nil {
			fmt.Println(err)
		}
	}
	fmt.Println(db.Close())

	stats := server.Stats()
	fmt.Println(stats.Memory <= stats.MaxMemory, stats.Evicted > 0, stats.Keys+stats.Evicted)
	fmt.Println(server.Shutdown(ctx), <-served)
	// Output:
	// <nil>
	// true true 20
	// <nil> <nil>
}
