package method

import (
	"fmt"
	"slices"
	"strings"

	"macroscope/model/setting"
	"macroscope/model/system"
	"macroscope/model/system/excerpt"
	"macroscope/sim/rng"
)

// MostKeptOut is the largest number of the user's trajectories that a training keeps out for
// validation. It is the number of validation trajectories of a training on simulations, because a
// measurement in a tab should not take longer than there.
const MostKeptOut = 16

// Of `enough` trajectories, `fewest` are kept out at least, because fewer say little about the bands.
const fewest, enough = 9, 60

// maxKeptFrames bounds KeptOut.Frames in files.
const maxKeptFrames = 1 << 30

// keptNone is the text of a KeptOut without trajectories.
const keptNone = "none"

// KeptOut says which part of the user's trajectories never trains the model. The training measures
// its predictions on this part.
type KeptOut struct {
	Trajectories []int // their indices, in ascending order; nil: none
	Frames       int   // number of the last frames of a single trajectory; 0: none
}

// Any reports whether anything is kept out.
func (k *KeptOut) Any() bool { return len(k.Trajectories) > 0 || k.Frames > 0 }

// keptOutOf chooses what is kept out of trajectories with shape s, if predictions begin at frame
// `begin`.
//
// Of several trajectories, it is a tenth, rounded, but at least one and at most MostKeptOut; of 60 or more it is at
// least nine. The trajectories are divided in their order into so many parts of equal length, and one of each part
// is drawn at random. So they are spread evenly over files that are ordered by a parameter, and do not keep step
// with a parameter that repeats. The choice depends only on the number of trajectories.
// Trainings with different seeds can therefore be compared, and a training that begins with the weights
// of another keeps out what the other has kept out.
//
// Of a single trajectory, it is the last fifth of the frames, rounded. It is nothing if one of the two
// parts were too short to predict a frame.
func keptOutOf(s system.Shape, begin int) (k KeptOut) {
	if s.Trajectories == 1 {
		k.Frames = (s.Frames + 2) / 5
		if least := begin + 2; k.Frames < least || s.Frames-k.Frames < least {
			k.Frames = 0
		}
		return k
	}
	n := min(max((s.Trajectories+5)/10, 1), MostKeptOut)
	if s.Trajectories >= enough {
		n = max(n, fewest)
	}
	src := rng.New(uint64(s.Trajectories), "own trajectories kept out of training")
	for i := range n {
		first, end := i*s.Trajectories/n, (i+1)*s.Trajectories/n
		k.Trajectories = append(k.Trajectories, first+src.IntN(end-first))
	}
	return k
}

// Index returns the index in the user's trajectories of a training's trajectory i.
func (k *KeptOut) Index(i int) int {
	for _, out := range k.Trajectories {
		if out <= i {
			i++
		}
	}
	return i
}

// Divide returns the trajectories that train the model, and the part that is kept out of training. The
// latter is nil if nothing is kept out. The error says that the training began with other
// trajectories.
func (k *KeptOut) Divide(own system.Recorded) (training, validation system.Recorded, err error) {
	s := own.Shape()
	switch {
	case !k.Any():
		return own, nil, nil
	case k.Frames > 0 && (s.Trajectories != 1 || k.Frames >= s.Frames):
		return nil, nil, fmt.Errorf("the training keeps out the last %d frames of a single trajectory, and there are %d trajectories of %d frames; use the data that the training began with", k.Frames, s.Trajectories, s.Frames)
	case k.Frames > 0:
		first := s.Frames - k.Frames
		return &excerpt.Part{Recorded: own, Trajectories: []int{0}, End: first}, &excerpt.Part{Recorded: own, Trajectories: []int{0}, First: first, End: s.Frames}, nil
	}
	if last := k.Trajectories[len(k.Trajectories)-1]; last >= s.Trajectories || len(k.Trajectories) == s.Trajectories {
		return nil, nil, fmt.Errorf("the training keeps trajectory %d out, and there are %d trajectories; use the data that the training began with", last, s.Trajectories)
	}
	rest := make([]int, s.Trajectories-len(k.Trajectories))
	for i := range rest {
		rest[i] = k.Index(i)
	}
	return &excerpt.Part{Recorded: own, Trajectories: rest, End: s.Frames}, &excerpt.Part{Recorded: own, Trajectories: k.Trajectories, End: s.Frames}, nil
}

// InWords returns a sentence that says what is kept out of a training on the user's trajectories.
func (k *KeptOut) InWords() string {
	switch n := len(k.Trajectories); {
	case k.Frames > 0:
		return fmt.Sprintf("There is only one trajectory, so its last %s are kept out of training, for validation.", setting.Count(k.Frames, "frame", "frames"))
	case n == 0:
		return "No trajectory is kept out of this training, so its validation is on trajectories that train the model."
	case n == 1:
		return fmt.Sprintf("Trajectory number %d is kept out of training, for validation.", k.Trajectories[0]+1)
	default:
		var numbers []string
		for _, i := range k.Trajectories {
			numbers = append(numbers, fmt.Sprint(i+1))
		}
		return fmt.Sprintf("Trajectories number %s and %s are kept out of training, for validation.", strings.Join(numbers[:n-1], ", "), numbers[n-1])
	}
}

// table lists the two parts of k as settings that follow from the data. The indices count from 0.
func (k *KeptOut) table() setting.Table {
	list := setting.Field{Name: "validation", Value: &k.Trajectories, High: MaxTrajectories - 1, Least: 1, Most: MostKeptOut}
	text := setting.Text{
		Get: func() string {
			if len(k.Trajectories) == 0 {
				return keptNone
			}
			return list.Text()
		},
		Put: func(text string) error {
			if text == keptNone {
				k.Trajectories = nil
				return nil
			}
			if err := list.Set(text); err != nil {
				return err
			}
			if !slices.IsSorted(k.Trajectories) || len(slices.Compact(slices.Clone(k.Trajectories))) != len(k.Trajectories) {
				return fmt.Errorf("trajectories %s are not in ascending order", text)
			}
			return nil
		},
	}
	return setting.Table{
		{Name: "validation", Value: text, Absent: keptNone, Follows: true},
		{Name: "validation.frames", Value: &k.Frames, High: maxKeptFrames, Absent: "0", Follows: true},
	}
}
