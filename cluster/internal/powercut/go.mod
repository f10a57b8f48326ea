module github.com/freerun-go/freerun/cluster/internal/powercut

go 1.26.0

require (
	github.com/freerun-go/freerun v0.1.0
	github.com/freerun-go/freerun/cluster v0.1.0
	github.com/hanwen/go-fuse/v2 v2.12.1
)

require (
	github.com/anishathalye/porcupine v1.3.1 // indirect
	go.etcd.io/bbolt v1.5.0 // indirect
	go.uber.org/goleak v1.3.0 // indirect
	golang.org/x/sys v0.45.0 // indirect
)
