//go:build first

package model

import "macroscope/model/learn/method"

// The page's first program has no system with dynamics, so it is built without their training and their predictions (see
// serve/dist).
const without = "model: this program has no dynamics"

// Objective is never made.
type Objective struct{}

// NewObjective panics.
func (m *Model) NewObjective(method.DynamicsTraining, int) *Objective { panic(without) }

// Gradient panics.
func (o *Objective) Gradient(_, _, _ []float32, _ int) float64 { panic(without) }

// Forecast is never made.
type Forecast struct{}

// NewForecast panics.
func (m *Model) NewForecast(int, int) *Forecast { panic(without) }

// Rows panics.
func (f *Forecast) Rows() int { panic(without) }

// Frame panics.
func (f *Forecast) Frame() int { panic(without) }

// Begin panics.
func (f *Forecast) Begin([]float32, uint64, uint64) { panic(without) }

// Step panics.
func (f *Forecast) Step([]float32) { panic(without) }

// Variable panics.
func (f *Forecast) Variable([]float32, int, int) { panic(without) }

// Macro panics.
func (f *Forecast) Macro([]float32, int, int) { panic(without) }

// Mean panics.
func (f *Forecast) Mean(int, int) float32 { panic(without) }

// Members panics.
func (f *Forecast) Members([]float32, int, int) { panic(without) }

// First panics.
func (f *Forecast) First([]float32, int) { panic(without) }
