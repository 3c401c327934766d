package kernel

// Apart from matrix products, attention needs the softmax of rows and of columns, layer norm, and
// their gradients. The SIMD forms handle matrices with rows that fill whole vectors. The plain form
// handles all other matrices.

// normFloor is added to a variance before its root is taken.
const normFloor = 1e-5

// SoftmaxCols writes the softmax of every column of x (rows, cols) to dst,
// which may be x.
func SoftmaxCols[T Float](dst, x []T, rows, cols int) {
	checkMatrix(rows, cols, len(dst), len(x))
	if d32, ok := as32(dst); ok {
		x32, _ := as32(x)
		active().softmaxCols(d32, x32, rows, cols)
		return
	}
	refSoftmaxCols(dst, x, rows, cols)
}

// SoftmaxRowsGrad is the backward pass of SoftmaxRows. Given the result y (rows, cols) and the
// gradient dy of y, it writes the gradient of x to dx. dx may be dy.
func SoftmaxRowsGrad[T Float](dx, dy, y []T, rows, cols int) {
	checkMatrix(rows, cols, len(dx), len(dy), len(y))
	if d32, ok := as32(dx); ok {
		g32, _ := as32(dy)
		y32, _ := as32(y)
		active().softmaxRowsGrad(d32, g32, y32, rows, cols)
		return
	}
	refSoftmaxRowsGrad(dx, dy, y, rows, cols)
}

// SoftmaxColsGrad computes the gradient of SoftmaxCols; arguments as for SoftmaxRowsGrad.
func SoftmaxColsGrad[T Float](dx, dy, y []T, rows, cols int) {
	checkMatrix(rows, cols, len(dx), len(dy), len(y))
	if d32, ok := as32(dx); ok {
		g32, _ := as32(dy)
		y32, _ := as32(y)
		active().softmaxColsGrad(d32, g32, y32, rows, cols)
		return
	}
	refSoftmaxColsGrad(dx, dy, y, rows, cols)
}

// NormRows is the layer norm (Ba, Kiros and Hinton, 2016) of x + add (rows, cols). It subtracts the
// mean of every row, divides the row by √(variance + 1e-5), and writes the result to unit (rows,
// cols). It writes gain·unit + shift to y, and the inverse roots to inv (rows). y, x and add may be
// the same slice, but unit must not overlap them.
func NormRows[T Float](y, unit, inv, x, add, gain, shift []T, rows, cols int) {
	checkMatrix(rows, cols, len(y), len(unit), len(x), len(add), rows*len(gain), rows*len(shift), cols*len(inv))
	if y32, ok := as32(y); ok {
		u32, _ := as32(unit)
		i32, _ := as32(inv)
		x32, _ := as32(x)
		a32, _ := as32(add)
		g32, _ := as32(gain)
		s32, _ := as32(shift)
		active().normRows(y32, u32, i32, x32, a32, g32, s32, rows, cols)
		return
	}
	refNormRows(y, unit, inv, x, add, gain, shift, rows, cols)
}

// NormRowsGrad computes the gradients of NormRows from the gradient dy of y. It writes the gradient
// of the argument x to dx. The argument `add` has the same gradient as x. The gradients of gain and
// shift are added to dgain and dshift. dx may be dy.
func NormRowsGrad[T Float](dx, dgain, dshift, dy, unit, inv, gain []T, rows, cols int) {
	checkMatrix(rows, cols, len(dx), len(dy), len(unit), rows*len(gain), rows*len(dgain), rows*len(dshift), cols*len(inv))
	if d32, ok := as32(dx); ok {
		dg32, _ := as32(dgain)
		ds32, _ := as32(dshift)
		dy32, _ := as32(dy)
		u32, _ := as32(unit)
		i32, _ := as32(inv)
		g32, _ := as32(gain)
		active().normRowsGrad(d32, dg32, ds32, dy32, u32, i32, g32, rows, cols)
		return
	}
	refNormRowsGrad(dx, dgain, dshift, dy, unit, inv, gain, rows, cols)
}

// checkMatrix panics unless all slices have room for rows × cols elements.
func checkMatrix(rows, cols int, slices ...int) {
	for _, n := range slices {
		if rows < 0 || cols < 0 || n < rows*cols {
			fail("a matrix (%d, %d) does not fit a slice of %d", rows, cols, n)
		}
	}
}
