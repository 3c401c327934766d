package intake_test

import (
	"fmt"

	"macroscope/model/lab/session/intake"
	"macroscope/model/system/line"
)

// Reading a file a piece at a time.
func Example() {
	f := &intake.File{Name: "mine.csv", Bytes: []byte("0.1 0.2 0.4")}
	r := intake.Read(f, 0, line.System{}, nil)
	for r.Next() {
	}
	t, err := r.Trajectory()
	fmt.Println(t.Points, err)
	f.Close()

	torn := &intake.File{Name: "torn.csv", Bytes: []byte("0.1 x")}
	r = intake.Read(torn, 0, line.System{}, nil)
	for r.Next() {
	}
	_, err = r.Trajectory()
	fmt.Println(err != nil, torn.Source == nil)
	// Output:
	// [0.1 0.2 0.4] <nil>
	// true true
}
