package encoder

import (
	"fmt"
	"slices"

	"macroscope/model/compute/tensor"
	"macroscope/model/net/encoder/deepset"
	"macroscope/model/setting"
)

// Tunable is a DeepSet that gives several codes of a set. Each code is a ẑ of a different length.
// Codes share φ and the hidden layers of ρ.
//
// A code is the sum Σ_g T_g(s)·y_g. Each vector y_g is a part of the network's output (see Code),
// T_g is the Chebyshev polynomial of degree g, and s is log ε scaled to [-1, 1]. If y_0 is the only
// vector, the code does not depend on ε.
//
// The methods of Kind treat the whole output of the network as one ẑ, so the ZDim of a Shape must
// be Width.
type Tunable struct {
	pooled
	deepset.Config
	Lengths []int // lengths of the codes, increasing
	Usual   int   // length that is used if none is requested
	Nested  bool  // whether a shorter code consists of the first numbers of the longest code
	Orders  int   // highest degree g in codes that depend on ε
	Bent    int   // length of the longest code that depends on ε
}

var _ Kind = (*Tunable)(nil)

// Code says where the vectors y_g of a code are in the output: y_g begins at First + g·Stride, for
// g from 0 to Orders.
type Code struct{ First, Length, Stride, Orders int }

// end returns where the last vector of the code ends in the output.
func (c Code) end() int { return c.First + c.Orders*c.Stride + c.Length }

// Codes lists the codes in the order of their lengths.
func (k *Tunable) Codes() (codes []Code) {
	end := 0
	for _, n := range k.Lengths {
		c := k.code(n, end)
		codes, end = append(codes, c), c.end()
	}
	return codes
}

// code returns the code of length n, which begins at `first` unless codes are nested.
func (k *Tunable) code(n, first int) Code {
	c := Code{first, n, n, k.Orders}
	if k.Nested {
		c.First, c.Stride = 0, k.Longest()
	}
	if n > k.Bent {
		c.Orders = 0
	}
	return c
}

// Width returns the total number of outputs.
func (k *Tunable) Width() (width int) {
	end := 0
	for _, n := range k.Lengths {
		end = k.code(n, end).end()
		width = max(width, end)
	}
	return width
}

// Longest returns the length of the longest code.
func (k *Tunable) Longest() int { return k.Lengths[len(k.Lengths)-1] }

// At returns the ordinary encoder for one code.
func (k *Tunable) At() *DeepSet { return &DeepSet{Config: k.Config} }

// Name implements Kind.
func (*Tunable) Name() string { return "DeepSet of several codes" }

// Table implements Kind.
func (k *Tunable) Table(s *Shape) setting.Table {
	t := s.Table("encoder.")
	t.Find("encoder.zdim").Value = &k.Usual
	t = append(t, setting.Table{
		{Name: "encoder.lengths", What: "the lengths of ẑ", Value: &k.Lengths, Low: 1, High: MaxZDim, Least: 1, Most: MaxZDim},
		{Name: "encoder.nested", Value: &k.Nested}, {Name: "encoder.orders", Value: &k.Orders, High: 8}, {Name: "encoder.bent", Value: &k.Bent, High: MaxZDim},
	}...)
	return append(t, k.Config.Table()...)
}

// Validate implements Kind.
func (k *Tunable) Validate(s Shape) error {
	for i := range len(k.Lengths) - 1 {
		if k.Lengths[i] >= k.Lengths[i+1] {
			return fmt.Errorf("the lengths of ẑ are %v; give each once, the shortest first", k.Lengths)
		}
	}
	if !slices.Contains(k.Lengths, k.Usual) {
		return fmt.Errorf("the latent dimension is %d, and the lengths of ẑ are %v; use one of these", k.Usual, k.Lengths)
	}
	return k.At().Validate(s)
}

// Room implements Kind.
func (k *Tunable) Room(s Shape, frames, row int) int { return k.At().Room(s, frames, row) }

// New implements Kind.
func (k *Tunable) New(l *tensor.Layout, s Shape) Net { return k.At().New(l, s) }

// Combine computes the parameters of an encoder for one code of a Tunable, and writes them to dst.
// The Net `to` is this encoder, made by At().New. The Net `from` is the encoder of the Tunable.
// `weights` are the T_g(s).
func Combine(dst []float32, to Net, params []float32, from Net, c Code, weights []float32) {
	deepset.Combine(dst, unseeing(to).(deepSetNet).of, params, unseeing(from).(deepSetNet).of, c.First, c.Stride, weights)
}
