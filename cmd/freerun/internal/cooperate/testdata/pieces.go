package pieces

import (
	"math"

	"github.com/freerun-go/freerun/activity"
)

type matrix struct {
	n    int
	rows [][]float64
}

func multiply(a *activity.Activity, x, y, z *matrix) {
	for i := 0; i < x.n; i++ {
		for j := range x.n {
			sum := 0.0
			for k := 0; k < x.n; k++ {
				sum += x.rows[i][k] * y.rows[k][j]
			}
			z.rows[i][j] = sum
		}
	}
}

func ranges(a *activity.Activity, n uint8, values []float64, array [100]int, pointer *[100]int) (sum float64) {
	for i, v := range values {
		sum += v * float64(i)
	}
	for _, v := range values {
		if v < 0 {
			continue
		}
		switch {
		case v > 10:
			break
		default:
			sum += math.Sqrt(v)
		}
	}
	for i := range values { values[i] *= sum }
	for range values {
		sum++
	}
	for i := range n {
		sum += float64(i)
	}
	for range 1000 {
		sum *= 2
	}
	for i := range array {
		sum += float64(array[i])
	}
	for i := range pointer {
		sum += float64(pointer[i])
	}
	for k := int16(-5); k < int16(n)-1; k++ {
		sum++
	}
	for k := uint64(5); k < 1e6; k++ {
		sum++
	}
	for k := 1; // a loop head on several lines
	k < len(values)-1;
	k++ {
		sum += values[k]
	}
	return sum
}

func generic[T ~int | ~float64](a *activity.Activity, values []T) (sum T) {
	for _, v := range values {
		sum += v
	}
	return sum
}

type any2 interface{ ~int | ~string }

type index int

// whole has loops that are checked in each turn, for one reason each.
func whole[T any2](a *activity.Activity, n int, values []float64, m map[int]int, texts []string, general []T, c chan int) int {
	var text string
	var zero T
	for k := 0; k < n; k++ { // a way out
		if values[k] < 0 {
			return k
		}
	}
	for _, v := range values { // a way out
		if v < 0 {
			break
		}
	}
	for k := 0; k < n; k++ { // the bound changes
		n--
	}
	for k := 0; k < n; k++ { // the counter changes
		k++
	}
	for k := 0; k < cap(c); k++ { // the bound is not known not to change
		values[k] = 0
	}
	for k := n; k > 0; k-- { // downward
		values[k] = 0
	}
	for k := 0; k < n; k += 2 { // other steps
		values[k] = 0
	}
	for k := index(0); k < 5; k++ { // a type with a name of its own
		values[k] = 0
	}
	for k := 0; k < n; k++ { // a map
		values[k] = float64(m[k])
	}
	for k := 0; k < n; k++ { // a channel
		c <- k
	}
	for k := 0; k < n; k++ { // a call
		values[k] = math.Float64frombits(uint64(len(append(values, 1))))
	}
	for _, t := range texts { // texts
		text += t
	}
	for _, t := range texts { // texts
		if t == text {
			n++
		}
	}
	for _, v := range general { // perhaps texts
		zero += v
	}
	for k := 0; k < n; k++ { // an address
		p := &values[k]
		*p = 1
	}
	p := &n
	for k := 0; k < n; k++ { // a write through a pointer
		*p = 1
	}
	for k := range *p {
		defer println(k)
	}
named:
	for k := 0; k < n; k++ { // a label
		if values[k] > 0 {
			continue named
		}
	}
	min := 5
	for k := 0; k < n; k++ { // another min
		values[k] = float64(min)
	}
	for k := 0; k < n; k++ { // a loop inside
		for {
			n += k
		}
	}
	return n
}
