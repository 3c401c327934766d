package experiment

// All tests of this package also run over a method with its own file.
func init() {
	methods = append(methods, momentsMethod)
	known = listed(methods)
}
