//go:build !unix

package httpview

// cpuSeconds returns 0, which the page takes for not known.
func cpuSeconds() float64 { return 0 }
