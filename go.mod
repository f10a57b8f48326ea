module github.com/freerun-go/freerun

go 1.26

require (
	github.com/anishathalye/porcupine v1.0.2
	go.uber.org/goleak v1.3.0
)
