package scene

import (
	"macroscope/model/wire"
	"macroscope/ui/panel"
)

// trains says whether something has been trained.
func trains(f *wire.Frame) bool { return len(f.Text("trainStage")) > 0 || len(f.Numbers("loss")) > 0 }

// newLoss is the loss of a training against its steps.
func newLoss(tall bool, titles ...string) *panel.Steps {
	return &panel.Steps{Titles: titles, Steps: "lossStep", Value: "loss", Name: "loss", None: "not measured yet", Note: "trainStage", Tall: tall}
}
