//go:build first

package view

import (
	"macroscope/model/lab/view/portrait"
	"macroscope/model/learn/model"
	"macroscope/model/wire"
)

// The page's first program has no system with dynamics, so it has no latent portrait (see serve/dist).
const without = "view: this program has no latent portrait"

// Portrait is never made.
type Portrait struct{}

// NewPortrait panics.
func NewPortrait(*Shown, *Run, portrait.Algebra, *model.Codes, [2]string) *Portrait { panic(without) }

// Hold panics.
func (p *Portrait) Hold(float64, float64) { panic(without) }

// HoldNumber panics.
func (p *Portrait) HoldNumber(int, float64) { panic(without) }

// Release panics.
func (p *Portrait) Release() { panic(without) }

// Held panics.
func (p *Portrait) Held() []float32 { panic(without) }

// Put panics.
func (p *Portrait) Put(*wire.Frame, *Run) { panic(without) }
