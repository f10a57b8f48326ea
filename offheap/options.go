package offheap

import "fmt"

// Option is an option of [New].
type Option struct{ apply func(*settings) error }

type settings struct {
	smallest int
	names    []string
}

// SmallestBlock makes size, a power of two from 32 to 4096 bytes, the size of the smallest block;
// the default is 32. A program with larger blocks saves bookkeeping: see [New].
func SmallestBlock(size int) Option {
	return Option{func(s *settings) error {
		if size < smallest || size > 4096 || size&(size-1) != 0 {
			return fmt.Errorf("offheap: a smallest block of %d bytes; it must be a power of two from %d to 4096", size, smallest)
		}
		s.smallest = size
		return nil
	}}
}

// Tag says what a block is used for. [Stats] counts live blocks by tag. Tag 0 means no tag.
type Tag uint8

// Tags is the number of tags: every tag is less than it.
const Tags = 64

// TagNames names tags in messages and [Stats]: the first name is that of tag 1, the second that of
// tag 2, and so on.
func TagNames(names ...string) Option {
	return Option{func(s *settings) error {
		if len(names) >= Tags {
			return fmt.Errorf("offheap: %d names of tags; there are %d tags beside tag 0", len(names), Tags-1)
		}
		s.names = append([]string{""}, names...)
		return nil
	}}
}

// nameOf returns the name of a tag, "" if it has none.
func (a *Arena) nameOf(tag Tag) string {
	if int(tag) < len(a.names) {
		return a.names[tag]
	}
	return ""
}
