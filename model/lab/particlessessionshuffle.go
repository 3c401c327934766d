package lab

import "macroscope/sim/rng"

// order is the labels of the particles: which of them an encoder that asks for
// an order takes for the first, the second and so on.
type order struct {
	label    []int // of every particle (N)
	shuffles int
}

// reset gives every particle its own number.
func (o *order) reset(n int) {
	o.label = o.label[:0]
	for i := range n {
		o.label = append(o.label, i)
	}
	o.shuffles = 0
}

// shuffle permutes the labels.
func (o *order) shuffle(seed uint64) {
	o.shuffles++
	rng.New(seed, "particles labels", uint64(o.shuffles)).Shuffle(len(o.label), func(i, j int) {
		o.label[i], o.label[j] = o.label[j], o.label[i]
	})
}

// arrange writes the particles (N, 2) to dst in the order of their labels.
func (o *order) arrange(dst, frame []float32) {
	for i, l := range o.label {
		copy(dst[2*l:2*l+2], frame[2*i:])
	}
}
