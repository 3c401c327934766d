package experiment

// All tests of this package run over a method of a file of its own too.
func init() {
	methods = append(methods, momentsMethod)
	known = listed(methods)
}
