package ddb_test

import (
	"context"
	"fmt"

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
