package ddb

// matches reports whether s matches the pattern of KEYS, SCAN MATCH and CONFIG GET: `*`, `?`,
// `[a-z]`, `[^a]`, and `\` before a literal character. An unfinished class ends with the pattern,
// as in Redis.
//
// It remembers one star at a time, because a later star makes the choices of earlier ones
// irrelevant. So a match costs at most len(pattern)*len(s) steps. (Trying every split recursively
// would let `a*a*a*a*b` occupy a shard for hours.)
func matches(pattern, s string, fold bool) bool {
	p, i := 0, 0
	star, resume := -1, 0
	for i < len(s) {
		if p < len(pattern) && pattern[p] == '*' {
			star, resume = p, i
			p++
			continue
		}
		if p < len(pattern) {
			if next, ok := matchOne(pattern, p, s[i], fold); ok {
				p, i = next, i+1
				continue
			}
		}
		if star < 0 {
			return false
		}
		resume++
		p, i = star+1, resume
	}
	for p < len(pattern) && pattern[p] == '*' {
		p++
	}
	return p == len(pattern)
}

// matchOne matches one character against the pattern's element at p. It returns where the next
// element begins.
func matchOne(pattern string, p int, c byte, fold bool) (next int, ok bool) {
	switch pattern[p] {
	case '?':
		return p + 1, true
	case '[':
		return matchClass(pattern, p+1, c, fold)
	case '\\':
		if p+1 < len(pattern) {
			p++
		}
	}
	return p + 1, lower(pattern[p], fold) == lower(c, fold)
}

func matchClass(pattern string, p int, c byte, fold bool) (next int, ok bool) {
	negated := p < len(pattern) && pattern[p] == '^'
	if negated {
		p++
	}
	c = lower(c, fold)
	found := false
	for ; p < len(pattern) && pattern[p] != ']'; p++ {
		switch {
		case pattern[p] == '\\' && p+1 < len(pattern):
			p++
			found = found || lower(pattern[p], fold) == c
		case p+2 < len(pattern) && pattern[p+1] == '-':
			low, high := lower(pattern[p], fold), lower(pattern[p+2], fold)
			if low > high {
				low, high = high, low
			}
			found = found || (low <= c && c <= high)
			p += 2
		default:
			found = found || lower(pattern[p], fold) == c
		}
	}
	if p < len(pattern) {
		p++
	}
	return p, found != negated
}

func lower(c byte, fold bool) byte {
	if fold && 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

// equalFold compares an argument with an upper-case word, ignoring the case of ASCII letters.
func equalFold(arg []byte, word string) bool {
	if len(arg) != len(word) {
		return false
	}
	for i, c := range arg {
		if 'a' <= c && c <= 'z' {
			c -= 'a' - 'A'
		}
		if c != word[i] {
			return false
		}
	}
	return true
}
