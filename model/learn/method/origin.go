package method

import (
	"fmt"
	"strconv"
	"strings"

	"macroscope/model/setting"
	"macroscope/model/system"
)

// Origin is what the user's own trajectories said about themselves when a model was trained on them.
// Trajectories that the model predicts must agree with it.
type Origin struct {
	Interval float64   // time between two frames; 0: the trajectories did not say it
	Offset   []float64 // subtracted from the coordinates (D); nil: nothing
}

// originOf returns the Origin of trajectories.
func originOf(src system.Recorded) Origin {
	return Origin{src.Facts().Time(), src.Facts().Offset}
}

const (
	intervalKey = "data.interval"
	offsetKey   = "data.offset"
)

// write adds the origin to the metadata of a checkpoint.
func (o *Origin) write(metadata map[string]string) {
	if o.Interval > 0 {
		metadata[intervalKey] = strconv.FormatFloat(o.Interval, 'g', -1, 64)
	}
	if o.Offset != nil {
		metadata[offsetKey] = strings.Trim(fmt.Sprint(o.Offset), "[]")
	}
}

// read is the inverse of write.
func (o *Origin) read(metadata map[string]string, dim int) error {
	number := func(text string) (float64, error) {
		v, err := strconv.ParseFloat(text, 64)
		if err == nil && v-v != 0 {
			err = strconv.ErrRange
		}
		return v, err
	}
	*o = Origin{}
	if text, has := metadata[intervalKey]; has {
		v, err := number(text)
		if err != nil || !(v > 0) {
			return fmt.Errorf("the time between the frames of the training’s data is %s; it must be a number above 0", setting.Quote(text))
		}
		o.Interval = v
	}
	if text, has := metadata[offsetKey]; has {
		for f := range strings.FieldsSeq(text) {
			v, err := number(f)
			if err != nil {
				return fmt.Errorf("the offset of the training’s data is %s; it must be numbers", setting.Quote(text))
			}
			o.Offset = append(o.Offset, v)
		}
		if len(o.Offset) != dim {
			return fmt.Errorf("the offset of the training’s data has %d numbers, and the particles have %d coordinates", len(o.Offset), dim)
		}
	}
	return nil
}
