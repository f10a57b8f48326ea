//go:build !gc || !linux || !amd64 || race || freerun_portable || go1.27

package coroswitch

// Written says whether this package was written for this build.
const Written = false

// Switch is of no iter.Pull in this build.
type Switch struct{}

// Of reports false: this build leaves switches to iter.Pull.
func (*Switch) Of(func() (struct{}, bool), uintptr) bool { return false }

// Next is not called where Of reports false.
func (*Switch) Next() func() (struct{}, bool) { panic("coroswitch: this build has no switch") }

// Yield is not called where Of reports false.
func (*Switch) Yield() func(struct{}) bool { panic("coroswitch: this build has no switch") }

// Status reports false: this build leaves switches to iter.Pull.
func Status() (used bool, why string) {
	return false, "it was not written for this build: it knows linux on amd64, without the race detector, and versions of Go that freerun was tested with"
}
