package data_test

import (
	"fmt"

	"macroscope/model/file/data"
)

func Example() {
	x, err := data.Particles1D("particles.csv", []byte("# nanometres\nposition\n-0.5\n0.25\n1e-3\n"))
	fmt.Println(x, err)
	_, err = data.Particles1D("particles.csv", []byte("position\n-0.5\nabout 1\n"))
	fmt.Println(err)
	// Output:
	// [-0.5 0.25 0.001] <nil>
	// line 3 has 2 values where line 2 has 1; make all lines alike
}
