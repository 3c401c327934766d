// Package model holds what is learned, and its file. A Model has the weights and scales of a method.Config.
// A Coder encodes frames, and a Forecast advances the state of a Model. Codes are encoded trajectories.
package model
