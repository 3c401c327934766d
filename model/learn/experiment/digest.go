package experiment

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"hash/fnv"
	"math"
	"strings"

	"macroscope/model/file/ckpt"
	"macroscope/model/system"
)

// MetaData is the metadata of a checkpoint with the digest of the user's trajectories on which its
// training began.
const MetaData = "training.data"

// Digest computes a digest of the user's trajectories, one trajectory at a time. It reads every number
// that the file has. The digest has two parts with a point between them. The first part depends on the
// shape, the coordinates, the species and the parameters; it is the same for all formats of a file with
// the same numbers. The second part depends on the macroscopic variables that the file has, and on the
// force.
type Digest struct {
	own    system.Recorded
	next   int // index of the next trajectory
	points hash.Hash
	macro  hash.Hash
	t      system.Trajectory
	b      []byte
}

// NewDigest begins the digest of trajectories.
func NewDigest(own system.Recorded) *Digest {
	d := &Digest{own: own, points: fnv.New128a(), macro: fnv.New64a()}
	fmt.Fprint(d.points, own.Shape())
	fmt.Fprint(d.macro, system.ForceOf(own))
	return d
}

// Whole reports whether all trajectories have been read.
func (d *Digest) Whole() bool { return d.next == d.own.Shape().Trajectories }

// Advance reads the next trajectory.
func (d *Digest) Advance() error {
	t := &d.t
	if err := d.own.Raw(t, d.next); err != nil {
		return err
	}
	d.next++
	d.b = d.b[:0]
	for _, v := range t.Points {
		d.b = binary.LittleEndian.AppendUint32(d.b, math.Float32bits(v))
	}
	d.b = append(d.b, t.Species...)
	d.b = appendDoubles(d.b, t.Params)
	d.points.Write(d.b)
	d.b = appendDoubles(d.b[:0], t.Macro)
	d.macro.Write(d.b)
	return nil
}

func appendDoubles(b []byte, values []float64) []byte {
	b = binary.LittleEndian.AppendUint32(b, uint32(len(values)))
	for _, v := range values {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
	}
	return b
}

// String returns the digest. All trajectories must have been read.
func (d *Digest) String() string {
	return fmt.Sprintf("%x.%x", d.points.Sum(nil), d.macro.Sum(nil))
}

// DigestOf returns the digest of trajectories.
func DigestOf(own system.Recorded) (string, error) {
	d := NewDigest(own)
	for !d.Whole() {
		if err := d.Advance(); err != nil {
			return "", err
		}
	}
	return d.String(), nil
}

// BeganWith returns an error unless the model's training can have begun with trajectories that have
// the given digest. The training can have begun with any trajectories if the model has no digest.
func (m *Model) BeganWith(own system.Recorded, digest string) error {
	known := digest
	switch {
	case m.early():
		var err error
		if known, err = earlierDigest(own); err != nil {
			return err
		}
	case !strings.Contains(m.Data, "."): // none, or one of the first programs
		return nil
	}
	if m.Data != known {
		return errors.New("these are not the data on which the training began; use the same data")
	}
	return nil
}

// TrainedOn reports whether the model was trained on trajectories with the given digest. The macroscopic
// variables do not matter, because the same particles may have been read for another observable.
func (m *Model) TrainedOn(own system.Recorded, digest string) (bool, error) {
	if m.early() {
		known, err := earlierDigest(own)
		return known == m.Data, err
	}
	trained, _, _ := strings.Cut(m.Data, ".")
	points, _, _ := strings.Cut(digest, ".")
	return trained != "" && trained == points, nil
}

// The method early reports whether the model's digest is of the form that earlier programs wrote.
func (m *Model) early() bool { return len(m.Data) == 32 }

// earlierDigest returns the digest of earlier programs: of the shape and the force, and of
// the first, the middle and the last trajectory.
func earlierDigest(own system.Recorded) (string, error) {
	h, n := fnv.New128a(), own.Shape().Trajectories
	fmt.Fprint(h, own.Shape(), system.ForceOf(own))
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
	return fmt.Sprintf("%x", h.Sum(nil)), nil
}

// maxDigest is the length of the longest digest in a checkpoint. A longer one is ignored.
const maxDigest = 100

// readData reads the digest of the data that trained the model.
func (m *Model) readData(f *ckpt.File) {
	if text := f.Metadata[MetaData]; len(text) <= maxDigest {
		m.Data = text
	}
}

// writeData writes the digest of the data that trained the model.
func (m *Model) writeData(f *ckpt.File) {
	if m.Data != "" {
		f.Metadata[MetaData] = m.Data
	}
}
