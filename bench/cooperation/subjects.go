package main

import (
	"path"

	_ "github.com/google/btree"
	_ "github.com/klauspost/compress/flate"
)

// subject is a package with benchmarks of its own, and which of them are run: those whose time goes
// into Go code of the package, at one size each.
type subject struct{ module, folder, benchmarks string }

var subjects = []subject{
	{"github.com/google/btree", ".", "."},
	{"github.com/klauspost/compress", "flate", "Decode.*1e4|Encode.*1e4"},
	{"github.com/klauspost/compress", "fse", "."},
	{"github.com/klauspost/compress", "huff0", "Compress1XReuseNone|Compress4XReuseNone|Decompress1XTable"},
	{"github.com/klauspost/compress", "zstd", "Decoder_DecoderSmall|EncodeAllSimple|RandomEncodeAllFastest"},
	{"", "std", "."}, // our own: its own tests may not import activities
}

// path names the package, for the go command in the folder of the module that builds it.
func (s subject) path() string {
	if s.module == "" {
		return "./" + s.folder
	}
	return path.Join(s.module, s.folder)
}
