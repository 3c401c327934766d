//go:build goexperiment.simd && amd64

package kernel

func impl512(name string) impl {
	im := plain
	im.name = name
	im.gemmNN, im.gemmNT, im.gemmTN, im.affine = gemmNN512, gemmNT512, gemmTN512, affine512
	im.activationGrad = activationGrad512
	im.exp, im.log, im.tanh, im.softplus, im.sigmoid = exp512, log512, tanh512, softplus512, sigmoid512
	return im
}
