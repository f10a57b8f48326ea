//go:build !wasm

package filestore

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"os"

	bolt "go.etcd.io/bbolt"
)

// The layout of bbolt's pages, of version 2 of its format. Numbers are in the byte order of the
// machine.
const (
	pageHeader  = 16 // id 8, flags 2, count 2, overflow 4
	elementSize = 16 // branch: pos 4, ksize 4, page 8; leaf: flags 4, pos 4, ksize 4, vsize 4

	branchPage   = 0x01
	leafPage     = 0x02
	freelistPage = 0x10
	bucketLeaf   = 0x01

	metaMagic   = 0xED0CDAED
	metaVersion = 2
	metaEnd     = pageHeader + 64

	firstPage = 2 // after the meta pages
	nullPage  = ^uint64(0)
)

var order = binary.NativeEndian

// meta is a meta page. The checksum is its last field.
type meta struct {
	pageSize             uint32
	root, freelist, high uint64
	txid                 uint64
}

// readMeta reads a meta page; b begins with its header.
func readMeta(b []byte) (m meta, ok bool) {
	b = b[pageHeader:metaEnd]
	hash := fnv.New64a()
	hash.Write(b[:56])
	m = meta{order.Uint32(b[8:]), order.Uint64(b[16:]), order.Uint64(b[32:]), order.Uint64(b[40:]), order.Uint64(b[48:])}
	ok = order.Uint32(b) == metaMagic && order.Uint32(b[4:]) == metaVersion && order.Uint64(b[56:]) == hash.Sum64()
	return m, ok
}

// checkFile checks the structure of a file, which it locks against writers meanwhile.
func checkFile(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return openError(path, err)
	}
	if info.Size() == 0 {
		return lost("%s is empty: restore a backup", path)
	}
	// This lock is shared. It keeps writers away until the check is over. A writer that has the
	// store between the check and our own opening leaves a sound file.
	db, file, err := openBolt(path, 0, bolt.Options{ReadOnly: true})
	if err != nil {
		return err
	}
	if err = check(file, info.Size()); err != nil {
		err = lost("%s is damaged: restore a backup: %w", path, err)
	}
	return errors.Join(err, db.Close())
}

// check checks the structure of a file of size bytes.
//
// Each transaction writes one of the two meta pages; bbolt goes back to the other, and so to the
// transaction before, if that page is damaged. To us it is damage: what counts of a meta page lies
// within a sector, which a disk writes whole.
func check(r io.ReaderAt, size int64) error {
	var first [metaEnd]byte
	if _, err := r.ReadAt(first[:], 0); err != nil {
		return err
	}
	m, ok := readMeta(first[:])
	if !ok {
		return errors.New("meta page 0 is damaged")
	}
	var second [metaEnd]byte
	if _, err := r.ReadAt(second[:], int64(m.pageSize)); err != nil {
		return err
	}
	m1, ok := readMeta(second[:])
	if !ok || m1.pageSize != m.pageSize {
		return errors.New("meta page 1 is damaged")
	}
	if m1.txid > m.txid {
		m = m1
	}
	if m.high > uint64(size)/uint64(m.pageSize) {
		return fmt.Errorf("it has %d bytes, and should have %d pages of %d", size, m.high, m.pageSize)
	}
	c := &checker{r: r, pageSize: uint64(m.pageSize), high: m.high, used: make([]uint64, m.high/64+1)}
	if err := c.freelist(m.freelist); err != nil {
		return err
	}
	return c.tree(m.root, 0, true, nil, nil)
}

// checker goes through a file's pages.
type checker struct {
	r              io.ReaderAt
	pageSize, high uint64
	used           []uint64 // a bit for each page that is free, or was reached
	pages          [][]byte // a buffer for each level of the tree
}

// use notes that pages are used, or free, and fails if they are already.
func (c *checker) use(id, n uint64) error {
	if id < firstPage || id >= c.high || n > c.high-id {
		return fmt.Errorf("page %d, with %d after it, lies outside", id, n-1)
	}
	for p := id; p < id+n; p++ {
		if c.used[p/64]&(1<<(p%64)) != 0 {
			return fmt.Errorf("page %d is used twice, or free and used", p)
		}
		c.used[p/64] |= 1 << (p % 64)
	}
	return nil
}

// page reads a page, and those that belong to it, into the buffer of a level.
func (c *checker) page(id uint64, level int) ([]byte, error) {
	for len(c.pages) <= level {
		c.pages = append(c.pages, make([]byte, c.pageSize))
	}
	if id < firstPage || id >= c.high {
		return nil, fmt.Errorf("page %d lies outside", id)
	}
	b := c.pages[level][:c.pageSize]
	if _, err := c.r.ReadAt(b, int64(id*c.pageSize)); err != nil {
		return nil, err
	}
	if order.Uint64(b) != id {
		return nil, fmt.Errorf("page %d is not what it should be", id)
	}
	n := 1 + uint64(order.Uint32(b[12:]))
	if err := c.use(id, n); err != nil {
		return nil, err
	}
	if n > 1 {
		b = make([]byte, n*c.pageSize)
		c.pages[level] = b
		if _, err := c.r.ReadAt(b, int64(id*c.pageSize)); err != nil {
			return nil, err
		}
	}
	return b, nil
}

// freelist checks the list of free pages.
func (c *checker) freelist(id uint64) error {
	if id == nullPage {
		return errors.New("there is no list of free pages")
	}
	b, err := c.page(id, 0)
	if err != nil {
		return err
	}
	if order.Uint16(b[8:]) != freelistPage {
		return fmt.Errorf("page %d is no list of free pages", id)
	}
	count := uint64(order.Uint16(b[10:]))
	list := b[pageHeader:]
	if count == 0xFFFF { // the list begins with its length
		count = order.Uint64(list)
		list = list[8:]
	}
	if count > uint64(len(list)/8) {
		return fmt.Errorf("the list of free pages in page %d is cut off", id)
	}
	for i := range count {
		if err := c.use(order.Uint64(list[8*i:]), 1); err != nil {
			return fmt.Errorf("the list of free pages: %w", err)
		}
	}
	return nil
}

// tree checks the pages under one. Their keys are from low on, below high; nil is no bound. buckets
// says that the leaves have buckets, and no values.
func (c *checker) tree(id uint64, level int, buckets bool, low, high []byte) error {
	b, err := c.page(id, level)
	if err != nil {
		return err
	}
	if err := c.elements(b, level, buckets, low, high); err != nil {
		return fmt.Errorf("page %d: %w", id, err)
	}
	return nil
}

// elements checks those of a page, and what is under them.
func (c *checker) elements(b []byte, level int, buckets bool, low, high []byte) error {
	flags, count := order.Uint16(b[8:]), int(order.Uint16(b[10:]))
	if flags != branchPage && flags != leafPage {
		return fmt.Errorf("of type %#x", flags)
	}
	if pageHeader+count*elementSize > len(b) || flags == branchPage && count == 0 {
		return fmt.Errorf("it cannot have %d elements", count)
	}
	var last []byte
	for i := range count {
		key, value, err := element(b, i, flags, buckets)
		if err != nil {
			return err
		}
		if i > 0 && bytes.Compare(last, key) >= 0 || low != nil && bytes.Compare(key, low) < 0 || high != nil && bytes.Compare(key, high) >= 0 {
			return fmt.Errorf("key %q is out of order", key)
		}
		last = key
		switch {
		case flags == branchPage:
			next := high
			if i+1 < count {
				if next, _, err = element(b, i+1, flags, buckets); err != nil {
					return err
				}
			}
			if err := c.tree(order.Uint64(value), level+1, buckets, key, next); err != nil {
				return err
			}
		case buckets:
			if err := c.bucket(value, level+1); err != nil {
				return fmt.Errorf("bucket %q: %w", key, err)
			}
		}
	}
	return nil
}

// element is the key of an element, and its value, or the number of a page below.
func element(b []byte, i int, flags uint16, buckets bool) (key, value []byte, err error) {
	start := pageHeader + i*elementSize
	e := b[start : start+elementSize]
	var pos, ksize, vsize uint64
	if flags == branchPage {
		pos, ksize, value = uint64(order.Uint32(e)), uint64(order.Uint32(e[4:])), e[8:]
	} else {
		if (order.Uint32(e) == bucketLeaf) != buckets || order.Uint32(e)&^bucketLeaf != 0 {
			return nil, nil, fmt.Errorf("element %d is of type %#x", i, order.Uint32(e))
		}
		pos, ksize, vsize = uint64(order.Uint32(e[4:])), uint64(order.Uint32(e[8:])), uint64(order.Uint32(e[12:]))
	}
	pos += uint64(start)
	if ksize == 0 || pos < pageHeader || pos+ksize+vsize > uint64(len(b)) {
		return nil, nil, fmt.Errorf("element %d lies outside", i)
	}
	if flags == leafPage {
		value = b[pos+ksize : pos+ksize+vsize]
	}
	return b[pos : pos+ksize], value, nil
}

// bucket checks what is under the header of a bucket: a tree, or a small page after the header.
func (c *checker) bucket(header []byte, level int) error {
	if len(header) < 16 {
		return errors.New("its header is cut off")
	}
	if root := order.Uint64(header); root != 0 {
		return c.tree(root, level, false, nil, nil)
	}
	if len(header) < 16+pageHeader {
		return errors.New("its page is cut off")
	}
	if order.Uint16(header[16+8:]) != leafPage {
		return errors.New("its page is no leaf")
	}
	return c.elements(header[16:], level, false, nil, nil)
}
