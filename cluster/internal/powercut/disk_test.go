package powercut

import (
	"bytes"
	"math/rand/v2"
	"testing"
)

// TestCut has what a loss of power may leave of a file and of a folder.
func TestCut(t *testing.T) {
	d := NewDisk(nil)
	file := d.newInode(false)
	d.root.bind("a", file)
	file.write(bytes.Repeat([]byte{1}, 3*sector), 0)
	none, all := Survivors{}, Survivors{Share: 1}
	if d.Cut(none).At("a") != nil || len(d.Cut(all).At("a").data) != 3*sector {
		t.Error("before any sync")
	}
	file.sync()
	if d.Cut(none).At("a") != nil {
		t.Error("the sync of a file has made its name durable")
	}
	d.root.sync()
	file.write(bytes.Repeat([]byte{2}, sector), sector)
	file.write([]byte{3}, sector)
	d.root.bind("a", nil)
	d.root.bind("b", file)
	if i := d.Cut(none); i.At("b") != nil || !bytes.Equal(i.At("a").data, bytes.Repeat([]byte{1}, 3*sector)) {
		t.Error("what was not synced has survived")
	}
	if i := d.Cut(all); i.At("a") != nil || i.At("b").data[sector] != 3 || i.At("b").data[sector+1] != 2 {
		t.Error("what was written has not survived")
	}
	file.resize(2 * sector)
	file.resize(4 * sector)
	names, contents, sizes := map[[2]bool]bool{}, map[[2]byte]bool{}, map[int]bool{}
	for seed := range uint64(200) {
		i := d.Cut(Survivors{Share: 0.5, Random: rand.New(rand.NewPCG(seed, 0))})
		names[[2]bool{i.At("a") != nil, i.At("b") != nil}] = true
		for _, name := range []string{"a", "b"} {
			if f := i.At(name); f != nil {
				sizes[len(f.data)] = true
				contents[[2]byte{f.data[sector], f.data[2*sector-1]}] = true
				if f.data[0] != 1 || len(f.data) == 4*sector && f.data[3*sector] != 0 {
					t.Errorf("seed %d: it has what was never written", seed)
				}
			}
		}
	}
	if len(names) != 4 || len(contents) != 3 || len(sizes) != 3 {
		t.Errorf("names %v, contents %v, sizes %v", names, contents, sizes)
	}
	d.root.sync()
	file.sync()
	if i := d.Cut(none); i.At("a") != nil || len(i.At("b").data) != 4*sector || i.At("b").data[sector] != 3 {
		t.Error("what was synced has not survived")
	}
	if i := NewDisk(d.Cut(none)).Cut(none); i.At("b").data[sector] != 3 {
		t.Error("a disk that begins with an image does not have it")
	}
}
