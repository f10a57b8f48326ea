package ddb

type benchConfig struct {
	name   string
	config Config
}

var benchConfigs = []benchConfig{
	{"heap", Config{}},
	{"offheap", Config{Values: OffHeap}},
	{"heap-limited", Config{MaxMemory: 1 << 30, MaxMemoryPolicy: AllKeysLRU}},
}
