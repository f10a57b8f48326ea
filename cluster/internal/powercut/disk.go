package powercut

import (
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
)

// sector is how many bytes a disk writes as a whole.
const sector = 512

// Disk is the content of a file system: what programs see of it, and what is durable. Any goroutine
// may call the methods.
type Disk struct {
	// Ignores has a sync do nothing, of a file or of a folder: a disk that lies. It is set before
	// the disk is mounted, and may be nil.
	Ignores func(folder bool) bool
	// Journaled has a sync make the names in all folders durable, as file systems with a journal do
	// (ext4, XFS). It is set before the disk is mounted.
	Journaled bool
	// OnSync is called at each sync: before it, and after it. The process that syncs waits for it.
	// It is set before the disk is mounted, and may be nil.
	OnSync func(after bool)
	// OnSay is called with what a program writes to the file [Said]; the program waits for it. It
	// is set before the disk is mounted.
	OnSay func(line string)

	mu     sync.Mutex
	root   *inode
	serial uint64
}

// inode is a file or a folder. Its disk's mu guards it.
type inode struct {
	number uint64
	folder bool
	links  int

	data, durable []byte           // of a file
	written       map[int][][]byte // contents of sectors since the last sync
	sizes         []int            // since the last sync

	entries, synced map[string]*inode   // of a folder
	changed         map[string][]*inode // what names stood for since the last sync; nil for nothing
}

// NewDisk returns a disk that has what an image has, all of it durable.
func NewDisk(from *Image) *Disk {
	d := &Disk{}
	d.root = d.newInode(true)
	if from != nil {
		d.fill(d.root, from)
	}
	return d
}

func (d *Disk) newInode(folder bool) *inode {
	d.serial++
	return &inode{
		number: d.serial, folder: folder, written: map[int][][]byte{},
		entries: map[string]*inode{}, synced: map[string]*inode{}, changed: map[string][]*inode{},
	}
}

func (d *Disk) fill(to *inode, from *Image) {
	to.data, to.durable = slices.Clone(from.data), slices.Clone(from.data)
	for _, name := range slices.Sorted(maps.Keys(from.entries)) {
		n := d.newInode(from.entries[name].folder)
		d.fill(n, from.entries[name])
		n.links = 1
		to.entries[name], to.synced[name] = n, n
	}
}

// write writes to a file.
func (n *inode) write(p []byte, at int) {
	if end := at + len(p); end > len(n.data) {
		n.resize(end)
	}
	copy(n.data[at:], p)
	n.touch(at, at+len(p))
}

// resize gives a file another size. What it gains is zero.
func (n *inode) resize(size int) {
	if size < len(n.data) {
		clear(n.data[size:])
		n.touch(size, len(n.data))
		n.data = n.data[:size]
	} else {
		n.data = append(n.data, make([]byte, size-len(n.data))...)
	}
	n.sizes = append(n.sizes, size)
}

// touch notes that bytes of a file have changed.
func (n *inode) touch(from, to int) {
	for s := from / sector; s*sector < to; s++ {
		content := make([]byte, sector)
		copy(content, n.data[s*sector:])
		n.written[s] = append(n.written[s], content)
	}
}

// bind has a name of a folder stand for an inode, or for nothing.
func (n *inode) bind(name string, to *inode) {
	if old := n.entries[name]; old != nil {
		old.links--
	}
	if to != nil {
		to.links++
		n.entries[name] = to
	} else {
		delete(n.entries, name)
	}
	n.changed[name] = append(n.changed[name], to)
}

// sync makes all of an inode durable.
func (n *inode) sync() {
	n.durable = resized(n.durable, len(n.data))
	for s := range n.written {
		if s*sector < len(n.data) {
			copy(n.durable[s*sector:], n.data[s*sector:min(len(n.data), (s+1)*sector)])
		}
	}
	n.sizes = nil
	clear(n.written)
	n.synced = maps.Clone(n.entries)
	clear(n.changed)
}

// resized is data with another length; what it gains is zero.
func resized(data []byte, size int) []byte {
	if size <= len(data) {
		clear(data[size:])
		return data[:size]
	}
	return append(data, make([]byte, size-len(data))...)
}

// syncOf syncs an inode for a program, and has the test look before it and after it.
func (d *Disk) syncOf(n *inode) {
	look := func(after bool) {
		if d.OnSync != nil {
			d.OnSync(after)
		}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	look(false)
	if d.Ignores == nil || !d.Ignores(n.folder) {
		n.sync()
		if d.Journaled {
			d.root.syncNames()
		}
	}
	look(true)
}

// syncNames makes the names in a folder durable, and in those within.
func (n *inode) syncNames() {
	if len(n.changed) > 0 {
		n.synced = maps.Clone(n.entries)
		clear(n.changed)
	}
	for _, in := range n.entries {
		if in.folder {
			in.syncNames()
		}
	}
}

// Survivors chooses what a loss of power leaves of what was not synced.
type Survivors struct {
	// Share is the share of unsynced changes that survive: 0 has none of them, 1 all, and what lies
	// between some, each on its own.
	Share float64
	// Random chooses which ones. It may be nil if Share is 0 or 1.
	Random *rand.Rand
}

// choose returns which of n versions survives, from 0, the durable one, to the newest, n-1.
func (s Survivors) choose(n int) int {
	switch {
	case s.Share <= 0:
		return 0
	case s.Share >= 1:
		return n - 1
	case n == 1 || s.Random.Float64() >= s.Share:
		return 0
	}
	return 1 + s.Random.IntN(n-1)
}

// Lose returns what the machine finds if the power fails now. No program must use the disk.
func (d *Disk) Lose(s Survivors) *Image {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.Cut(s)
}

// Cut is as Lose, in the middle of a sync. It is called by OnSync alone.
func (d *Disk) Cut(s Survivors) *Image {
	return d.root.cut(s, map[*inode]*Image{})
}

func (n *inode) cut(s Survivors, done map[*inode]*Image) *Image {
	if i := done[n]; i != nil {
		return i
	}
	i := &Image{folder: n.folder, entries: map[string]*Image{}}
	done[n] = i
	size := len(n.durable)
	if c := s.choose(1 + len(n.sizes)); c > 0 {
		size = n.sizes[c-1]
	}
	i.data = resized(slices.Clone(n.durable), size)
	for _, number := range slices.Sorted(maps.Keys(n.written)) {
		versions := n.written[number]
		if c := s.choose(1 + len(versions)); c > 0 && number*sector < size {
			copy(i.data[number*sector:], versions[c-1])
		}
	}
	entries := maps.Clone(n.synced)
	for _, name := range slices.Sorted(maps.Keys(n.changed)) {
		versions := n.changed[name]
		if c := s.choose(1 + len(versions)); c > 0 {
			entries[name] = versions[c-1]
		}
	}
	for _, name := range slices.Sorted(maps.Keys(entries)) {
		if entries[name] != nil {
			i.entries[name] = entries[name].cut(s, done)
		}
	}
	return i
}
