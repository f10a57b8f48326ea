package gc

import "math/bits"

// word is the state of eight objects that lie side by side in a chunk. It is one machine word, so
// that each transition is one compare-and-swap:
//
//	bit 63      closed: the chunk is about to lose its memory, or has lost it
//	bits 24–62  the cycle that the colours belong to; in a closed word, the version of the chunk
//	            that closed it
//	bits 16–23  high bit of the colour, of each object
//	bits 8–15   low bit of the colour
//	bits 0–7    whether the object is allocated, or reserved by an allocator
//
// The colours of an object in cycle k (in a word of an earlier cycle every object is white):
//
//	white 00  not found yet
//	grey  01  found; its fields are still to be scanned
//	black 10  found; its fields have been scanned
//	born  11  allocated in this cycle; its fields need no scan
//
// In one cycle a colour changes from white to grey, from grey to black, from white to black (an
// object that refers to nothing), or from white to born, and in no other way. An object that is
// allocated in cycle k is born in k.
//
// So no word of a cycle returns to a value that it had with a white allocated object in it: a
// compare-and-swap that frees white objects cannot succeed late. And the number of grey and black
// objects ([word.found]) never falls, which verify.go relies on.
type word uint64

const (
	perWord = 8 // objects

	allocShift  = 0
	lowShift    = 8
	highShift   = 16
	cycleShift  = 24
	closedBit   = word(1) << 63
	cycleMask   = 1<<39 - 1
	wholeOctet  = 0xFF
	colourField = word(wholeOctet)<<lowShift | word(wholeOctet)<<highShift
)

func (w word) closed() bool { return w&closedBit != 0 }

// cycle returns the cycle of the colours, or the version of a closed word.
func (w word) cycle() uint64 { return uint64(w>>cycleShift) & cycleMask }

func (w word) allocated() uint8 { return uint8(w >> allocShift) }

func (w word) low() uint8 { return uint8(w >> lowShift) }

func (w word) high() uint8 { return uint8(w >> highShift) }

// in returns the open word as cycle k sees it: objects that were coloured in an earlier cycle are
// white.
func (w word) in(k uint64) word {
	if w.closed() {
		return word(k) << cycleShift
	}
	if w.cycle() < k {
		return word(k)<<cycleShift | word(w.allocated())
	}
	return w
}

// grey returns the objects that are grey in cycle k.
func (w word) grey(k uint64) uint8 {
	if w.closed() || w.cycle() != k {
		return 0
	}
	return w.low() &^ w.high()
}

// found returns the number of objects that are grey or black in cycle k.
func (w word) found(k uint64) int {
	if w.closed() || w.cycle() != k {
		return 0
	}
	return bits.OnesCount8(w.low() ^ w.high())
}

// painted makes the object at bit grey in cycle k, or black if it is a leaf. It reports whether the
// object was white and allocated, and the word not of a later cycle; otherwise the word is
// unchanged.
func (w word) painted(k uint64, bit uint8, leaf bool) (word, bool) {
	if w.closed() || w.cycle() > k || w.allocated()&bit == 0 {
		return w, false
	}
	w = w.in(k)
	if (w.low()|w.high())&bit != 0 {
		return w, false
	}
	if leaf {
		return w | word(bit)<<highShift, true
	}
	return w | word(bit)<<lowShift, true
}

// blackened makes the object at bit black if it is grey in cycle k, and reports whether it was.
func (w word) blackened(k uint64, bit uint8) (word, bool) {
	if w.grey(k)&bit == 0 {
		return w, false
	}
	return w&^(word(bit)<<lowShift) | word(bit)<<highShift, true
}

// reserved returns the word with the objects of mask allocated and born, in cycle k or in the
// word's own cycle if that is later.
func (w word) reserved(k uint64, mask uint8) word {
	w = w.in(k)
	return w | word(mask)<<allocShift | word(mask)<<lowShift | word(mask)<<highShift
}

// coloured returns the word with the white objects of mask born in cycle k.
func (w word) coloured(k uint64, mask uint8) word {
	if w.closed() || w.cycle() > k {
		return w
	}
	w = w.in(k)
	mask &^= w.low() | w.high()
	return w | word(mask)<<lowShift | word(mask)<<highShift
}

// swept returns the word without the objects that are white in cycle k, except those of keep.
func (w word) swept(k uint64, keep uint8) word {
	if w.closed() || w.cycle() > k {
		return w
	}
	seen := w.in(k)
	dead := w.allocated() &^ (seen.low() | seen.high() | keep)
	if dead == 0 {
		return w
	}
	return seen &^ word(dead)
}

// closing returns the word closed by a chunk of version v. It reports false if an object is
// allocated in it.
func (w word) closing(v uint64) (word, bool) {
	if w.allocated() != 0 {
		return w, false
	}
	return closedBit | word(v&cycleMask)<<cycleShift, true
}
