module github.com/freerun-go/freerun/cluster

go 1.26.0

require (
	github.com/anishathalye/porcupine v1.3.1
	github.com/freerun-go/freerun v0.1.0
	go.etcd.io/bbolt v1.5.0
	go.uber.org/goleak v1.3.0
)

require golang.org/x/sys v0.45.0 // indirect
