package train_test

import (
	"context"
	"fmt"

	"macroscope/model/compute/optim"
	"macroscope/model/learn/train"
	"macroscope/model/work"
)

// The type `mean` is a train.Worker with one parameter. Training fits the parameter to the average
// of 1, 2, 6 and 7. Each shard has two of these numbers.
type mean struct{}

func (mean) Gradient(params, grads []float32, step, shard int) (loss float64) {
	for _, x := range [][]float32{{1, 2}, {6, 7}}[shard] {
		d := params[0] - x
		grads[0] += 2 * d / 2
		loss += float64(d*d) / 2
	}
	return loss
}

func Example() {
	cfg := train.Config{
		Shards: 2, Workers: 2, Adam: optim.Default(), ClipNorm: 10,
		Schedule: optim.OneCycle{Peak: 0.3, Steps: 200, WarmUp: 0.3, StartDiv: 10, EndDiv: 1000},
	}
	if err := cfg.Validate(); err != nil {
		fmt.Println(err)
		return
	}
	t := train.New(cfg, []float32{0}, func() train.Worker { return mean{} })
	defer t.Close()
	for t.Step() < t.Steps() {
		if err := t.Advance(work.Until(context.Background())); err != nil {
			fmt.Println(err)
			return
		}
		if t.Step()%100 == 0 {
			fmt.Printf("step %d: loss %.2f\n", t.Step(), t.Loss())
		}
	}
	fmt.Printf("%.2f\n", t.Params)
	// Output:
	// step 100: loss 6.50
	// step 200: loss 6.50
	// [4.00]
}
