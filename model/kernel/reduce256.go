//go:build goexperiment.simd && amd64

package kernel

func impl256(name string) impl {
	im := plain
	im.name = name
	im.gemmNN, im.gemmNT, im.gemmTN, im.affine = gemmNN256, gemmNT256, gemmTN256, affine256
	im.activationGrad = activationGrad256
	im.exp, im.log, im.tanh, im.softplus, im.sigmoid = exp256, log256, tanh256, softplus256, sigmoid256
	return im
}
