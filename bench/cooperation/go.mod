module github.com/freerun-go/freerun/bench/cooperation

go 1.26.0

require (
	github.com/freerun-go/freerun v0.1.0
	github.com/google/btree v1.1.3
	github.com/klauspost/compress v1.18.7
)

replace github.com/freerun-go/freerun => ../..
