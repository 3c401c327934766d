//go:build goexperiment.simd && amd64

package kernel

import "unsafe"

// Sizes of a product's blocks. blockK rows of a panel of B stay in the first-level cache;
// blockN columns of B and blockM rows of A stay in the second-level cache.
const (
	blockM = 128
	blockN = 512
	blockK = 128
)

// product describes C = A·B, with optional steps after the product.
type product struct {
	c       []float32 // (m, n)
	m, n, k int
	a, b    operand

	bias       []float32 // (n), added to every row; or nil
	accumulate bool
	relu       bool

	// y receives act(c) unless y is nil; y may be c. If slope is set, act is SiLU, and c then
	// receives the slope of SiLU.
	y     []float32
	slope bool
	act   Activation
}

// operand describes A by its rows, or B by its columns. Every row or column has k elements. Element
// p of row or column r is data[r*outer+p*inner]. One of the two strides is 1.
type operand struct {
	data         []float32
	outer, inner int
}

// rowMajor returns the rows of x (_, k) as an operand. columnsOf returns the columns of x (k,
// n).
func rowMajor(x []float32, k int) operand  { return operand{data: x, outer: k, inner: 1} }
func columnsOf(x []float32, n int) operand { return operand{data: x, outer: 1, inner: n} }

func (o *operand) at(r, p int) unsafe.Pointer {
	return unsafe.Pointer(&o.data[r*o.outer+p*o.inner])
}

// pack copies rows k0 to k1 of a panel of B to dst (k1-k0, width). The panel consists of `width`
// columns and starts at column j of B. Only the first `valid` columns of the panel exist in B.
func (p *product) pack(dst []float32, j, valid, width, k0, k1 int) {
	to, from := unsafe.Pointer(&dst[0]), p.b.at(j, k0)
	if p.b.outer == 1 {
		packRows(to, from, p.b.inner, valid, width, k1-k0, p.k*p.n-(j+k0*p.b.inner))
	} else {
		packColumns(to, from, p.b.outer, valid, width, k1-k0)
	}
}

// takeTransposed sets c to the transpose of t (n, m) plus the bias. If accumulate is set, it adds
// the old c. It applies the ReLU if relu is set.
func (p *product) takeTransposed(t []float32) {
	for i := range p.m {
		row := p.c[i*p.n : i*p.n+p.n]
		for j := range row {
			v := t[j*p.m+i]
			if p.bias != nil {
				v += p.bias[j]
			}
			if p.accumulate {
				v += row[j]
			}
			if p.relu {
				v = max(v, 0)
			}
			row[j] = v
		}
	}
}

// addRow adds x to c, and replaces negative sums by zero if relu is set.
func addRow(c, x []float32, relu bool) {
	for j := range c {
		c[j] += x[j]
		if relu {
			c[j] = max(c[j], 0)
		}
	}
}

// panel describes the product of m rows of A and one panel of B. Strides are in bytes.
type panel struct {
	c      unsafe.Pointer
	stride int // stride from one row of C to the next

	a            unsafe.Pointer
	outer, inner int // outer: stride from one row of A to the next; inner: stride between elements of a row

	b    unsafe.Pointer
	back int // stride from a row of the panel to the one before, a negative number: the compiler splits
	// an address into two operations if it adds a stride, but not if it subtracts one

	bias unsafe.Pointer // as many floats as the panel is wide

	m, n, k          int // rows; columns of C to write; inner dimension
	accumulate, relu bool
}
