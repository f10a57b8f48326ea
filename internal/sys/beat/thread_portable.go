//go:build !(gc && linux && (amd64 || arm64) && !freerun_portable && !go1.27)

package beat

// InTime is false: the beats of this build come from a goroutine, and late beside busy processors.
func InTime() bool { return false }

// start has the goroutine beat. The caller has brought left from 0 to most.
func start() { go beatHere() }
