package blockhook

// Compiled says whether the program tells when a goroutine is about to block.
const Compiled = false

// Install has no effect: nobody calls the functions.
func Install(func() Answer, func(), func()) {}
