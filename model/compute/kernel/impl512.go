//go:build goexperiment.simd && amd64

package kernel

// impl512 is the implementation with vectors of 512 bits.
func impl512(name string) impl {
	return impl{
		name:   name,
		gemmNN: gemmNN512, gemmNT: gemmNT512, gemmTN: gemmTN512, affine: affine512, activate: activate512, activationGrad: activationGrad512,
		exp: exp512, log: log512, tanh: tanh512, softplus: softplus512, sigmoid: sigmoid512,
		sum: sum512, dot: dot512, max: max512, allFinite: allFinite512,
		axpy: axpy512, scale: scale512, mul: mul512,
		colSum: colSum512, softmaxRows: softmaxRows512, adam: adam512,
		softmaxCols: softmaxCols512, softmaxRowsGrad: softmaxRowsGrad512, softmaxColsGrad: softmaxColsGrad512,
		normRows: normRows512, normRowsGrad: normRowsGrad512,
	}
}
