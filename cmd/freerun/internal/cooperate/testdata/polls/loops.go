package loops; import "math"

func forever() { for { } }

func oneLine(n int) int { for n > 0 { n = n / 3 }; return n } // the columns behind { are as they were

func pieces(x, y []float64, n int) (sum float64) {
	for i := 0; i < n; i++ {
		sum += x[i] * y[i]
	}
	for i, v := range x {
		sum += math.Sqrt(v * y[i])
	}
	return sum
}

func nested(n int) {
	for i := range n {
		for j := range i {
			println(j)
		}
	}
}

const eight = 8

func short(n int, a [4]int, long [1000]int) (sum int) {
	for i := range 8 {
		sum += i
	}
	for range eight {
		sum++
	}
	for i := 0; i < 16; i++ {
		sum += int(uint8(i))
	}
	for i := 15; i >= 0; i-- {
		sum += i
	}
	for _, v := range a {
		sum += v
	}
	for _, v := range []int{1, 2, 3} {
		sum += v
	}
	for i := range 16 {
		for j := range 8 {
			sum += i * j
		}
	}
	return sum
}

func notShort(n int, long [1000]int, c chan int) (sum int) {
	for i := range 8 {
		println(i)
	}
	for i := range 257 {
		sum += i * i / n
	}
	for i := 0; i < 16; i++ {
		i -= n
	}
	for i := 0; i < 16; i++ {
		p := &i
		*p = 0
	}
	for i := uint8(0); i <= 255; i++ {
		sum = sum*3 + int(i)
	}
	for _, v := range long {
		sum += v
	}
	for range 8 {
		sum += <-c
	}
	for i := range 16 {
		for j := range 100 {
			sum += i * j
		}
	}
	for i := range 16 {
		for range n {
			sum += i
			println()
		}
	}
	return sum
}

func gotos(n int) {
	if n < 0 {
		goto end
	}
again:
	n--
	if n > 0 { goto again }
	func() {
	again:
		goto again
	}()
end:
}

func iterators(seq func(yield func(int) bool), m map[int]int) {
outer:
	for v := range seq {
		for range m {
			if v > 0 {
				continue outer
			}
		}
	}
}

func texts(s, t string, big *[1 << 16]int) (n int) {
	for range 100 {
		if s+t == t+s {
			n++
		}
	}
	for range 100 {
		if s+"a" == "b" {
			n++
		}
	}
	for range 100 {
		other := *big
		n += other[n]
	}
	for range 100 {
		n++
	}
	return n
}
