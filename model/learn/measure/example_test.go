package measure_test

import (
	"context"
	"fmt"
	"os"

	"macroscope/model/file/ckpt"
	"macroscope/model/learn/measure"
	"macroscope/model/learn/method"
	"macroscope/model/learn/model"
	"macroscope/model/system"
	"macroscope/model/system/particles"
	"macroscope/model/work"
)

// A shipped model predicts the energy of interacting particles in new trajectories from their
// first frame alone.
func Example() {
	f, err := os.Open("../../../assets/models/particles-laptop.safetensors")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer f.Close()
	file, err := ckpt.Decode(f)
	if err != nil {
		fmt.Println(err)
		return
	}
	m, err := model.Open(method.Systems{particles.System()}, file)
	if err != nil {
		fmt.Println(err)
		return
	}
	test := m.System.Tests(0)[0]
	p, err := measure.Task{Model: m, Source: test.Source(system.Choice{Seed: 1, Count: 1}), Count: 1, Members: 1, Seed: 1, Workers: 1}.Run(work.Until(context.Background()))
	if err != nil {
		fmt.Println(err)
		return
	}
	mean, _, _ := measure.Summary(p.MRE())
	fmt.Println(m.Detail())
	fmt.Printf("%s, %d frames: MRE below 1e-3 is %v\n", test.Name, p.Frames, mean < 1e-3)
	// Output:
	// deep set and flow, ε = 0.01, ẑ of 8, 115977 parameters
	// in-dst, 301 frames: MRE below 1e-3 is true
}
