package model

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"strings"

	"macroscope/model/file/ckpt"
	"macroscope/model/system"
	"macroscope/model/work"
)

// metaData is the metadata of a checkpoint with the digest of the user's trajectories on which its
// training began.
const metaData = "training.data"

// Digest is a digest of the user's trajectories. It has two parts with a point between them. The first part depends
// on the shape, the coordinates, the species and the parameters; it is the same for all formats of a file with
// the same numbers. The second part depends on the macroscopic variables that the file has, and on the
// force.
type Digest string

// DigestOf returns the digest of the user's trajectories. It reads every number that the file has, and pauses
// after each trajectory.
func DigestOf(pause work.Pause, own system.Recorded) (Digest, error) {
	points, macro, s := fnv.New128a(), fnv.New64a(), own.Shape()
	fmt.Fprint(points, s)
	fmt.Fprint(macro, own.Facts().Force)
	var t system.Trajectory
	var b []byte
	for e := range s.Trajectories {
		if err := own.Raw(&t, e); err != nil {
			return "", err
		}
		b = b[:0]
		for _, v := range t.Points {
			b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
		}
		b = append(b, t.Species...)
		b = appendDoubles(b, t.Params)
		points.Write(b)
		b = appendDoubles(b[:0], t.Macro)
		macro.Write(b)
		if err := pause(float64(e+1) / float64(s.Trajectories)); err != nil {
			return "", err
		}
	}
	return Digest(fmt.Sprintf("%x.%x", points.Sum(nil), macro.Sum(nil))), nil
}

func appendDoubles(b []byte, values []float64) []byte {
	b = binary.LittleEndian.AppendUint32(b, uint32(len(values)))
	for _, v := range values {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
	}
	return b
}

// points returns the first part.
func (d Digest) points() string {
	points, _, _ := strings.Cut(string(d), ".")
	return points
}

// BeganWith returns an error unless a training can have begun with trajectories that have the digest `of`. d is
// the digest of the training's data. If it is empty, the training can have begun with any trajectories.
func (d Digest) BeganWith(own system.Recorded, of Digest) error {
	switch {
	case d.early():
		var err error
		if of, err = earlierDigest(own); err != nil {
			return err
		}
	case !strings.Contains(string(d), "."): // none, or one of the first programs
		return nil
	}
	if d != of {
		return errors.New("these are not the data on which the training began; use the same data")
	}
	return nil
}

// TrainedOn reports whether a model was trained on trajectories. d is the digest of the model's data. The macroscopic
// variables do not matter, because the same particles may have been read for another observable.
func (d Digest) TrainedOn(pause work.Pause, own system.Recorded) (bool, error) {
	switch {
	case d == "":
		return false, nil
	case d.early():
		known, err := earlierDigest(own)
		return known == d, err
	}
	of, err := DigestOf(pause, own)
	return d.points() == of.points(), err
}

// The method early reports whether the digest is of the form that earlier programs wrote.
func (d Digest) early() bool { return len(d) == 32 }

// earlierDigest returns the digest of earlier programs: of the shape and the force, and of
// the first, the middle and the last trajectory.
func earlierDigest(own system.Recorded) (Digest, error) {
	h, n := fnv.New128a(), own.Shape().Trajectories
	fmt.Fprint(h, own.Shape(), own.Facts().Force)
	for _, i := range []int{0, n / 2, n - 1} {
		var t system.Trajectory
		if err := own.Raw(&t, i); err != nil {
			return "", err
		}
		for _, numbers := range []any{t.Points, t.Species, t.Macro, t.Params} {
			if err := binary.Write(h, binary.LittleEndian, numbers); err != nil {
				return "", err
			}
		}
	}
	return Digest(fmt.Sprintf("%x", h.Sum(nil))), nil
}

// maxDigest is the length of the longest digest in a checkpoint. A longer one is ignored.
const maxDigest = 100

// readDigest reads the digest of the data that trained a model.
func readDigest(f *ckpt.File) Digest {
	if text := f.Metadata[metaData]; len(text) <= maxDigest {
		return Digest(text)
	}
	return ""
}

// write writes the digest of the data that trained a model.
func (d Digest) write(f *ckpt.File) {
	if d != "" {
		f.Metadata[metaData] = string(d)
	}
}
