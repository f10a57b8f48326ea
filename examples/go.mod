module github.com/freerun-go/freerun/examples

go 1.26.0

require (
	github.com/freerun-go/freerun v0.1.0
	github.com/freerun-go/freerun/cluster v0.1.0
	go.uber.org/goleak v1.3.0
)

require (
	go.etcd.io/bbolt v1.5.0 // indirect
	golang.org/x/sys v0.45.0 // indirect
)
