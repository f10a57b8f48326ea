package main

import (
	"testing"
)

// costly has the programs whose checks must not cost more than 5 percent, and a sum, whose turns do
// the least work of all.
const costly = `package main

import (
	"context"
	"fmt"
	"os"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/activity"
)

func matrix(a *activity.Activity, n int) float64 {
	x, y, z := square(a, n), square(a, n), square(a, n)
	for range 2 {
		for i := 0; i < n; i++ {
			for j := 0; j < n; j++ {
				sum := 0.0
				for k := 0; k < n; k++ {
					sum += x[i][k] * y[k][j]
				}
				z[i][j] = sum
			}
		}
	}
	return z[n/2][n/3]
}

func square(a *activity.Activity, n int) [][]float64 {
	m := make([][]float64, n)
	for i := range m {
		m[i] = make([]float64, n)
		for j := range m[i] {
			m[i][j] = float64(i ^ j)
		}
	}
	return m
}

// mandelbrot has its inner loop in a function of its own, with a way out of it.
func mandelbrot(a *activity.Activity, n int) (inside int) {
	for y := range n {
		for x := range n {
			if escape(a, 3*float64(x)/float64(n)-2, 2*float64(y)/float64(n)-1, 1000) == 1000 {
				inside++
			}
		}
	}
	return inside
}

func escape(a *activity.Activity, cr, ci float64, most int) int {
	var zr, zi float64
	for i := 0; i < most; i++ {
		rr, ii := zr*zr, zi*zi
		if rr+ii > 4 {
			return i
		}
		zr, zi = rr-ii+cr, 2*zr*zi+ci
	}
	return most
}

// complexes is mandelbrot with complex numbers, and the condition in the head of the loop.
func complexes(a *activity.Activity, n int) (inside int) {
	for y := range n {
		for x := range n {
			c := complex(3*float64(x)/float64(n)-2, 2*float64(y)/float64(n)-1)
			z, i := 0i, 0
			for i < 1000 && real(z)*real(z)+imag(z)*imag(z) <= 4 {
				z = z*z + c
				i++
			}
			if i == 1000 {
				inside++
			}
		}
	}
	return inside
}

func sum(a *activity.Activity, n int) (total int) {
	values := make([]int, n)
	for range 4000 {
		for i, v := range values {
			total += i + v
		}
	}
	return total
}

func main() {
	rt := freerun.New(freerun.Processors(1))
	defer rt.Close()
	a := activity.Go(rt, func(a *activity.Activity) {
		switch os.Args[1] {
		case "matrix":
			fmt.Println(matrix(a, 500))
		case "mandelbrot":
			fmt.Println(mandelbrot(a, 250))
		case "complexes":
			fmt.Println(complexes(a, 250))
		case "sum":
			fmt.Println(sum(a, 50_000))
		}
	})
	a.Wait(context.Background())
}
`

// BenchmarkChecks runs programs with checks and without, each as a process. To compare the cost,
// compare the minima of several runs:
//
//	go test -run '^$' -bench Checks -count 10 ./cmd/freerun
func BenchmarkChecks(b *testing.B) {
	dir := newModule(b, map[string]string{"main.go": costly})
	must(b, dir, "go", "build", "-o", "without", ".")
	must(b, dir, binary, "build", "-o", "with", ".")
	for _, program := range []string{"matrix", "mandelbrot", "complexes", "sum"} {
		for _, variant := range []string{"without", "with"} {
			b.Run(program+"/checks="+variant, func(b *testing.B) {
				for b.Loop() {
					must(b, dir, "./"+variant, program)
				}
			})
		}
	}
}
