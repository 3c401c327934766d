// Package metric measures how well a model does, as the paper defines it.
package metric

import "macroscope/model/tensor"

// KL returns the Monte Carlo estimate of KL(q || p) in nats from the log
// densities of both at samples of q: the mean of log q - log p.
func KL[T tensor.Float](logQ, logP []T) float64 {
	var sum float64
	for i, q := range logQ {
		sum += float64(q) - float64(logP[i])
	}
	return sum / float64(len(logQ))
}
