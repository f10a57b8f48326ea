package main

// Example runs the program of the README.
func Example() {
	main()
	// Output: 35 <nil>
}
