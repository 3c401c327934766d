package ckpt_test

import (
	"bytes"
	"fmt"

	"macroscope/model/compute/tensor"
	"macroscope/model/file/ckpt"
)

func Example() {
	layout := new(tensor.Layout)
	layout.Add("linear.weight", 2, 3)
	layout.Add("linear.bias", 2)
	weights := []float32{1, 2, 3, 4, 5, 6, 7, 8}

	var file bytes.Buffer
	err := ckpt.Encode(&file, &ckpt.File{
		Metadata: map[string]string{"experiment": "demo"},
		Tensors:  ckpt.FromArena(layout, weights, "model."),
	})
	if err != nil {
		fmt.Println(err)
		return
	}

	f, err := ckpt.Decode(&file)
	if err != nil {
		fmt.Println(err)
		return
	}
	back := make([]float32, layout.Size())
	fmt.Println(f.ToArena(layout, back, "model."), back)
	fmt.Println(f.Metadata["experiment"], f.Tensor("model.linear.weight").Shape)

	other := new(tensor.Layout)
	other.Add("linear.weight", 3, 3)
	fmt.Println(f.ToArena(other, make([]float32, 9), "model."))
	// Output:
	// <nil> [1 2 3 4 5 6 7 8]
	// demo [2 3]
	// safetensors: tensor "model.linear.weight" has shape [2 3], and this model needs [3 3]; choose a checkpoint of the same model
}
