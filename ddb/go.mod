module github.com/freerun-go/freerun/ddb

go 1.26

require (
	github.com/freerun-go/freerun v0.1.0
	github.com/redis/go-redis/v9 v9.17.2
	github.com/tidwall/redcon v1.6.2
	go.uber.org/goleak v1.3.0
)

require (
	github.com/cespare/xxhash/v2 v2.3.0 // indirect
	github.com/dgryski/go-rendezvous v0.0.0-20200823014737-9f7001d12a5f // indirect
	github.com/tidwall/btree v1.1.0 // indirect
	github.com/tidwall/match v1.1.1 // indirect
)
