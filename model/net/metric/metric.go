// Package metric measures the quality of models: the paper's discrepancies for
// predictions, and the training distance of its baselines.
package metric

import (
	"fmt"

	"macroscope/model/compute/tensor"
)

// KL returns the Monte Carlo estimate of KL(q || p) in nats: the mean of log q - log p over
// samples of q. logQ and logP are the log densities at these samples.
func KL[T tensor.Float](logQ, logP []T) float64 {
	var sum float64
	for i, q := range logQ {
		sum += float64(q) - float64(logP[i])
	}
	return sum / float64(len(logQ))
}

// MRE returns the mean relative error of predicted trajectories, and writes the error of each
// trajectory to perTrajectory (E). For pred and truth (E, T, D) the error of a trajectory is
//
//	Σ_t |truth_t - pred_t|² / Σ_t |truth_t|²
//
// (the paper's appendix on metrics). The caller normalises the observables in pred and truth.
func MRE[T tensor.Float](perTrajectory []float64, pred, truth []T) float64 {
	if len(perTrajectory) == 0 || len(pred) != len(truth) || len(truth)%len(perTrajectory) != 0 {
		panic(fmt.Sprintf("metric: MRE of %d and %d values over %d trajectories", len(pred), len(truth), len(perTrajectory)))
	}
	length := len(truth) / len(perTrajectory)
	mean := 0.0
	for e := range perTrajectory {
		var miss, size float64
		for i := e * length; i < (e+1)*length; i++ {
			d := float64(truth[i]) - float64(pred[i])
			miss += d * d
			size += float64(truth[i]) * float64(truth[i])
		}
		perTrajectory[e] = miss / size
		mean += perTrajectory[e] / float64(len(perTrajectory))
	}
	return mean
}
