// Package bench measures the speed of the most expensive parts of training on one core,
// natively and in WebAssembly.
package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"time"

	"macroscope/model/compute/kernel"
	"macroscope/model/compute/nn"
	"macroscope/model/compute/optim"
	"macroscope/model/compute/tensor"
	"macroscope/model/learn/fit"
	"macroscope/model/learn/method"
	"macroscope/model/system/line"
	"macroscope/model/work"
)

// Run measures everything and writes a line for each figure:
//
//	bench NAME VALUE UNIT
//
// Every name ends in `suffix`, which is "native" or "wasm". A figure comes from the fastest round,
// because other programs on the machine can only slow a round down. When ctx ends, Run stops after
// the current round and returns the error of ctx.
func Run(ctx context.Context, out io.Writer, suffix string) error {
	line := func(name string, value float64, unit string) {
		if ctx.Err() == nil {
			fmt.Fprintf(out, "bench %s_%s %.4g %s\n", name, suffix, value, unit)
		}
	}
	fmt.Fprintf(out, "# kernels %s, best of rounds, one core\n", kernel.Name())
	fast := kernel.Name()
	type figures struct{ gemm, mlp float64 }
	measure := func() figures { return figures{gemm(ctx), mlpStep(ctx)} }
	with := measure()
	restore, err := kernel.Use("plain")
	if err != nil {
		return err
	}
	plain := measure()
	restore()
	if err := ctx.Err(); err != nil {
		return err
	}
	if kernel.Name() != fast {
		return fmt.Errorf("bench: kernels are %s, want %s back", kernel.Name(), fast)
	}
	line("gemm", with.gemm/1e9, "GFLOP/s")
	line("gemm_over_plain", with.gemm/plain.gemm, "x")
	line("mlp_step", 1e3*with.mlp, "ms")
	line("mlp_step_rate", mlpFLOP/with.mlp/1e9, "GFLOP/s")
	line("mlp_step_over_plain", plain.mlp/with.mlp, "x")
	sets, err := lineStep(ctx)
	if err != nil {
		return err
	}
	line("demo_step", sets, "sets/s")
	steps, err := mixing(ctx)
	if err != nil {
		return err
	}
	line("lj", steps, "atom-steps/s")
	if err := chains(ctx, line); err != nil {
		return err
	}
	return particles(ctx, line)
}

// best calls f in rounds of at least 20 ms, for a second in total or until ctx ends. It returns
// the seconds per call in the fastest round.
func best(ctx context.Context, f func()) float64 {
	if ctx.Err() != nil {
		return 0
	}
	f()
	calls := 1
	shortest, spent := 0.0, time.Duration(0)
	for spent < time.Second && ctx.Err() == nil {
		began := time.Now()
		for range calls {
			f()
		}
		took := time.Since(began)
		if took < 20*time.Millisecond {
			calls *= 2
			continue
		}
		spent += took
		if s := took.Seconds() / float64(calls); shortest == 0 || s < shortest {
			shortest = s
		}
	}
	return shortest
}

// gemm returns the FLOP/s of the product (512, 128)·(128, 128)ᵀ, including packing.
func gemm(ctx context.Context) float64 {
	const m, n, k = 512, 128, 128
	rng := rand.New(rand.NewPCG(1, 1))
	a, b, c := normal(rng, m*k), normal(rng, n*k), make([]float32, m*n)
	s := new(kernel.Scratch)
	return 2 * m * n * k / best(ctx, func() { kernel.GemmNT(s, c, a, b, m, n, k, false) })
}

// mlpFLOP is the number of multiplications and additions in mlpStep's matrix products: the
// forward pass, the gradients of all weights, and the gradients of the inputs of all layers
// except the first.
const mlpFLOP = mlpBatch * 2 * (3*(128*128+128*47) + 2*2*128)

const (
	mlpBatch = 4096
	mlpBlock = 512 // rows per block; their activations stay in cache from forward to backward pass
)

// mlpStep returns the seconds that one training step takes: a forward pass, a backward pass and
// an Adam step of the network 2→128→128→47 with ReLU on a batch of 4096 rows.
func mlpStep(ctx context.Context) float64 {
	rng := rand.New(rand.NewPCG(1, 2))
	var layout tensor.Layout
	m := nn.NewMLP(&layout, "mlp", []int{2, 128, 128, 47}, kernel.ReLU, kernel.Identity)
	params, grads := make([]float32, layout.Size()), make([]float32, layout.Size())
	nn.InitMLP(params, m, rng)
	adam := optim.NewAdam[float32](optim.Default(), len(params))
	x, dy := normal(rng, mlpBatch*2), make([]float32, mlpBlock*47)
	ws := nn.NewMLPWorkspace[float32](m, mlpBlock)
	return best(ctx, func() {
		clear(grads)
		for b := 0; b < mlpBatch; b += mlpBlock {
			block := x[b*2 : (b+mlpBlock)*2]
			copy(dy, nn.Forward(m, ws, params, block, mlpBlock)) // the result is also the gradient of ½Σy²
			nn.Backward(m, ws, params, grads, block, nil, dy, mlpBlock)
		}
		adam.Update(params, grads, 1e-6)
	})
}

// lineStep returns the training speed of the preset line/flow@browser, in sets per second.
func lineStep(ctx context.Context) (float64, error) {
	c, err := method.Systems{line.System()}.Preset("line/flow@browser")
	if err != nil {
		return 0, err
	}
	r, err := fit.New(c, line.System(), nil, 1)
	if err != nil {
		return 0, err
	}
	defer r.Close()
	if err := r.Prepare(work.Until(ctx)); err != nil {
		return 0, err
	}
	seconds, err := step(ctx, r)
	return float64(c.Batch) / seconds, err
}

// step returns the seconds that one training step of r takes. r must be prepared.
func step(ctx context.Context, r *fit.Run) (seconds float64, err error) {
	seconds = best(ctx, func() {
		if e := r.Trainer().Advance(work.Until(ctx)); e != nil {
			err = e
		}
	})
	return seconds, errors.Join(err, ctx.Err())
}

func normal(rng *rand.Rand, n int) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(rng.NormFloat64())
	}
	return x
}
