// Package std measures the standard library, in an activity beside another one that yields:
// compiled by freerun, the first one is preempted each millisecond.
package std

import (
	"bytes"
	"compress/flate"
	"container/heap"
	"container/list"
	_ "embed"
	"encoding/base64"
	"encoding/binary"
	"encoding/csv"
	"encoding/gob"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"go/format"
	"go/parser"
	"go/token"
	"html"
	"image"
	"image/png"
	"io"
	"maps"
	"math/big"
	"math/rand/v2"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"text/template"
	"unicode"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/activity"
)

type order struct {
	ID    int
	Owner string
	Lines []orderLine
	Notes map[string]string
}

type orderLine struct {
	Item  string
	Price float64
	Count int
}

func newOrder() order {
	o := order{ID: 7, Owner: "somebody \"else\"", Notes: map[string]string{"a": "b", "c": "d"}}
	for i := range 50 {
		o.Lines = append(o.Lines, orderLine{fmt.Sprint("item ", i), float64(i) * 1.25, i})
	}
	return o
}

// source is this file.
//
//go:embed std_test.go
var source []byte

func random(n int) []int {
	r := rand.New(rand.NewPCG(1, 2))
	all := make([]int, n)
	for i := range all {
		all[i] = r.IntN(n)
	}
	return all
}

type ints []int

func (h ints) Len() int           { return len(h) }
func (h ints) Less(i, j int) bool { return h[i] < h[j] }
func (h ints) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *ints) Push(x any)        { *h = append(*h, x.(int)) }
func (h *ints) Pop() any {
	last := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return last
}

var sink any

// measured are the benchmarks. Each does its work once.
var measured = map[string]func() func(){
	"json.Marshal": func() func() {
		o := newOrder()
		return func() { sink, _ = json.Marshal(o) }
	},
	"json.Unmarshal": func() func() {
		text, _ := json.Marshal(newOrder())
		return func() {
			var o order
			if err := json.Unmarshal(text, &o); err != nil {
				panic(err)
			}
		}
	},
	"xml.Unmarshal": func() func() {
		text, err := xml.Marshal(newOrder().Lines)
		if err != nil {
			panic(err)
		}
		text = append(append([]byte("<all>"), text...), "</all>"...)
		return func() {
			var all struct {
				Lines []orderLine `xml:"orderLine"`
			}
			if err := xml.Unmarshal(text, &all); err != nil || len(all.Lines) != 50 {
				panic(fmt.Sprint(err, len(all.Lines)))
			}
		}
	},
	"gob": func() func() {
		o := newOrder()
		return func() {
			var b bytes.Buffer
			var back order
			if err := gob.NewEncoder(&b).Encode(o); err != nil {
				panic(err)
			}
			if err := gob.NewDecoder(&b).Decode(&back); err != nil {
				panic(err)
			}
		}
	},
	"csv": func() func() {
		text := strings.Repeat("one,two,\"three, four\",5\n", 200)
		return func() { sink, _ = csv.NewReader(strings.NewReader(text)).ReadAll() }
	},
	"base64": func() func() {
		return func() {
			text := base64.StdEncoding.EncodeToString(source)
			sink, _ = base64.StdEncoding.DecodeString(text)
		}
	},
	"binary.Write": func() func() {
		all := random(1000)
		return func() {
			var b []byte
			for _, n := range all {
				b = binary.AppendUvarint(b, uint64(n))
			}
			sink = b
		}
	},
	"regexp": func() func() {
		x := regexp.MustCompile(`func \((\w+) \*?(\w+)\) ([A-Z]\w*)\(([^)]*)\)`)
		return func() { sink = x.FindAllSubmatch(source, -1) }
	},
	"regexp.Compile": func() func() {
		return func() { sink = regexp.MustCompile(`^(?:(\d{1,3})\.){3}(\d{1,3})(?::(\d+))?/([a-z]+|[A-Z]{2,5})*$`) }
	},
	"sort.Slice": func() func() {
		all := random(10_000)
		own := make([]int, len(all))
		return func() {
			copy(own, all)
			sort.Slice(own, func(i, j int) bool { return own[i] < own[j] })
		}
	},
	"slices.Sort": func() func() {
		all := random(10_000)
		own := make([]int, len(all))
		return func() {
			copy(own, all)
			slices.Sort(own)
		}
	},
	"heap": func() func() {
		all := random(2000)
		return func() {
			var h ints
			for _, n := range all {
				heap.Push(&h, n)
			}
			for h.Len() > 0 {
				heap.Pop(&h)
			}
		}
	},
	"list": func() func() {
		return func() {
			l := list.New()
			for i := range 1000 {
				l.PushBack(i)
			}
			for e := l.Front(); e != nil; e = e.Next() {
				sink = e
			}
		}
	},
	"flate": func() func() {
		return func() {
			var b bytes.Buffer
			w, _ := flate.NewWriter(&b, 6)
			w.Write(source)
			w.Close()
			io.Copy(io.Discard, flate.NewReader(&b))
		}
	},
	"big.Mul": func() func() {
		x := new(big.Int).Exp(big.NewInt(3), big.NewInt(20_000), nil)
		y := new(big.Int).Exp(big.NewInt(7), big.NewInt(15_000), nil)
		return func() { sink = new(big.Int).Mul(x, y) }
	},
	"big.String": func() func() {
		x := new(big.Int).Exp(big.NewInt(3), big.NewInt(5_000), nil)
		return func() { sink = x.String() }
	},
	"png": func() func() {
		m := image.NewRGBA(image.Rect(0, 0, 100, 100))
		for i := range m.Pix {
			m.Pix[i] = byte(i * i)
		}
		return func() {
			var b bytes.Buffer
			if err := png.Encode(&b, m); err != nil {
				panic(err)
			}
			sink, _ = png.Decode(&b)
		}
	},
	"parser": func() func() {
		return func() { sink, _ = parser.ParseFile(token.NewFileSet(), "", source, parser.ParseComments) }
	},
	"format": func() func() {
		return func() { sink, _ = format.Source(source) }
	},
	"template": func() func() {
		t := template.Must(template.New("").Parse(`{{range .Lines}}{{.Item | printf "%q"}}: {{.Price}} × {{.Count}}{{if gt .Count 10}}!{{end}}
{{end}}`))
		o := newOrder()
		return func() {
			if err := t.Execute(io.Discard, o); err != nil {
				panic(err)
			}
		}
	},
	"html.Escape": func() func() {
		return func() { sink = html.UnescapeString(html.EscapeString(string(source))) }
	},
	"fmt.Sprintf": func() func() {
		o := newOrder()
		return func() { sink = fmt.Sprintf("%+v %v %08.3f %x", o.Lines, o.Notes, 1.5, "abc") }
	},
	"fmt.Sscan": func() func() {
		text := strings.Repeat("17 2.5 word ", 100)
		return func() {
			r := strings.NewReader(text)
			for range 100 {
				var n int
				var f float64
				var s string
				fmt.Fscan(r, &n, &f, &s)
			}
		}
	},
	"strconv": func() func() {
		return func() {
			var b []byte
			for i := range 200 {
				b = strconv.AppendQuote(strconv.AppendFloat(b[:0], float64(i)*1.1, 'g', -1, 64), "quote\n")
				n, _ := strconv.ParseFloat(strconv.Itoa(i), 64)
				sink = n
			}
		}
	},
	"strings.Map": func() func() {
		text := string(source)
		return func() { sink = strings.Map(unicode.ToUpper, text) }
	},
	"strings.Fields": func() func() {
		text := string(source)
		return func() { sink = strings.Fields(text) }
	},
	"strings.Replace": func() func() {
		text := string(source)
		r := strings.NewReplacer("func", "FUNC", "return", "RETURN", "if", "IF")
		return func() { sink = r.Replace(text) }
	},
}

func Benchmark(b *testing.B) {
	for _, name := range slices.Sorted(maps.Keys(measured)) {
		b.Run(name, func(b *testing.B) {
			do := measured[name]()
			rt := freerun.New(freerun.Processors(1))
			defer rt.Close()
			var over atomic.Bool
			activity.Go(rt, func(a *activity.Activity) {
				for !over.Load() {
					a.Yield()
				}
			})
			err := activity.Go(rt, func(*activity.Activity) {
				defer over.Store(true)
				for b.Loop() {
					do()
				}
			}).Wait(b.Context())
			if err != nil {
				b.Error(err)
			}
		})
	}
}

// TestWork runs each benchmark's work once.
func TestWork(t *testing.T) {
	for name, begin := range measured {
		t.Run(name, func(*testing.T) { begin()() })
	}
}
