package frames_test

import (
	"fmt"
	"io"
	"strings"

	"macroscope/model/file/frames"
)

// This example reads a run whose dump has been written into two files.
func Example() {
	text := map[string]string{}
	for k := range 4 {
		text["b a"[2*(k/2):][:1]] += fmt.Sprintf("ITEM: TIMESTEP\n%d\nITEM: NUMBER OF ATOMS\n2\nITEM: BOX BOUNDS ff ff ff\n0 9\n0 9\n0 9\nITEM: ATOMS id x y\n2 %d 5\n1 3 4\n", 10*k, k)
	}
	files := frames.Files{Names: []string{"a", "b"}}
	files.Open = func(i int) (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text[files.Names[i]])), nil }
	s, err := frames.NewSurvey(files, frames.Wanted{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(len(s.Runs), "run of", s.Frames, "frames,", s.Interval, "steps apart")
	fmt.Println(s.Remarks[0])
	r := s.Run(0)
	defer r.Close()
	for points, _, err := r.Next(); err == nil; points, _, err = r.Next() {
		fmt.Println(points)
	}
	// Output:
	// 1 run of 4 frames, 10 steps apart
	// 2 files continue one another and are read as 1 run
	// [3 4 0 5]
	// [3 4 1 5]
	// [3 4 2 5]
	// [3 4 3 5]
}
