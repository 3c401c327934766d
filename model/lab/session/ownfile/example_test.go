package ownfile_test

import (
	"fmt"
	"time"

	"macroscope/model/lab"
	"macroscope/model/lab/session/ownfile"
	"macroscope/model/system/line"
)

// This example reads a file piece by piece, and then a damaged file.
func Example() {
	of := &lab.Lab{System: line.System()}
	for _, text := range []string{"0.1 0.2 0.4", "0.1 x"} {
		o := ownfile.New(of, of.System.Live(), time.Now)
		f := &ownfile.File{Name: "mine.csv", Bytes: []byte(text)}
		r := o.Read(f, 0, ownfile.Dropped, -1)
		for r == nil {
			_, r, _ = o.Work(time.Now(), 0)
		}
		if r.Err != nil {
			fmt.Println(f.Source == nil)
			continue
		}
		fmt.Println(r.First.Points)
		o.Use(f, r.Index)
		o.Drop()
	}
	// Output:
	// [0.1 0.2 0.4]
	// true
}
