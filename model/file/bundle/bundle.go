// Package bundle writes and reads one file with the complete state of a lab: settings, simulated
// or imported data, models, their training and their measured results. The page and the command
// line both use it.
//
// A bundle is a ZIP archive. Its name ends in Ending, so that browsers do not unpack it. It has at
// least one of the first two members; all others are optional:
//
//	session.safetensors    the state of the page. In the metadata, "session.lab" is the
//	                       lab, "session.fragment" all settings as in a link,
//	                       "session.a" and "session.b" the displayed runs. The tensor
//	                       "session.particles" holds drawn or edited particles. Two
//	                       tensors NAME.step and NAME.value hold a training curve.
//	model.safetensors      the current model, a checkpoint
//	training.safetensors   the training in progress, a checkpoint to resume from
//	runs/NN.safetensors    kept models, checkpoints; their names are in their metadata,
//	                       as "session.name"
//	sweep/state.safetensors  the training in progress of a sweep. The metadata hold
//	                       the sweep's finished trainings and measurements.
//	sweep/NN.safetensors   the models of the sweep, checkpoints
//	sweep/sweep.json       the measured results of the sweep, as macroscope sweep writes
//	                       them
//	data/NAME              an open file of trajectories, unchanged
//	metrics.csv            displayed figures: run,figure,value
//	run.csv                time, macroscopic variables, predictions and errors of the
//	                       frames so far
//
// Checkpoints have the format of package ckpt, which PyTorch and NumPy also open. The tables and
// sweep.json are for other programs; a reader of a bundle computes their contents again.
package bundle

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"macroscope/model/file/data"
)

// MaxBytes is the largest size of a bundle, and of all its files together.
const MaxBytes = data.MaxBytes

// Ending is the extension of a bundle's name.
const Ending = ".macroscope"

// The names of members.
const (
	sessionName  = "session.safetensors"
	modelName    = "model.safetensors"
	trainingName = "training.safetensors"
	metricsName  = "metrics.csv"
	runName      = "run.csv"
	runsFolder   = "runs/"
	sweepFolder  = "sweep/"
	sweepState   = sweepFolder + "state.safetensors"
	sweepTable   = sweepFolder + "sweep.json"
	dataFolder   = "data/"
	checkpoint   = ".safetensors"
)

// MaxRuns is the largest number of kept runs in a bundle.
const MaxRuns = 99

// Bundle is the content of a bundle: the bytes of each file. A missing file is nil.
type Bundle struct {
	Session  []byte
	Model    []byte
	Training []byte
	Runs     [][]byte
	Sweep    []byte   // state of a sweep
	Points   [][]byte // models of the sweep
	Swept    []byte   // measured results of the sweep
	Data     []byte   // content of the file DataName
	DataName string   // name of the file, without a folder
	Metrics  []byte
	Run      []byte
}

// HeadSize is the number of bytes that the function Is needs from the beginning of a file.
const HeadSize = header + len(sessionName)

const header = 30 // bytes of a member before its name

// Is reports whether a file is a bundle. Its first member must be one of the two members that
// only bundles have, so an NPZ archive is not taken for a bundle.
func Is(b []byte) bool {
	if !data.IsArchive(b) || len(b) < header {
		return false
	}
	return bytes.HasPrefix(b[header:], []byte(sessionName)) || bytes.HasPrefix(b[header:], []byte(modelName))
}

// Encode writes a bundle. Equal contents give equal bytes.
func (b *Bundle) Encode(w io.Writer) error {
	if b.Session == nil && b.Model == nil {
		return errors.New("there are neither settings nor a model to save")
	}
	if len(b.Runs) > MaxRuns {
		return fmt.Errorf("there are %d runs, and a bundle holds %d", len(b.Runs), MaxRuns)
	}
	members := []data.Member{{Name: sessionName, Bytes: b.Session}, {Name: modelName, Bytes: b.Model}, {Name: trainingName, Bytes: b.Training}}
	number := func(folder string, files [][]byte) {
		for i, file := range files {
			members = append(members, data.Member{Name: fmt.Sprintf("%s%02d%s", folder, i+1, checkpoint), Bytes: file})
		}
	}
	number(runsFolder, b.Runs)
	members = append(members, data.Member{Name: sweepState, Bytes: b.Sweep}, data.Member{Name: sweepTable, Bytes: b.Swept})
	number(sweepFolder, b.Points)
	members = append(members, data.Member{Name: dataFolder + b.DataName, Bytes: b.Data}, data.Member{Name: metricsName, Bytes: b.Metrics}, data.Member{Name: runName, Bytes: b.Run})
	members = slices.DeleteFunc(members, func(m data.Member) bool { return m.Bytes == nil })
	if err := data.CheckMembers(members); err != nil {
		return err
	}
	archive := data.NewArchive(w)
	for _, m := range members {
		if err := archive.File(m.Name, m.Bytes); err != nil {
			return err
		}
	}
	return archive.Close()
}

// Decode reads a bundle. The caller must check the checkpoints and data in it. The error is
// a sentence.
func Decode(file []byte) (*Bundle, error) {
	members, err := data.ReadMembers(file)
	if err != nil {
		return nil, err
	}
	b := new(Bundle)
	for _, m := range members {
		if m.Bytes == nil {
			m.Bytes = []byte{}
		}
		name, isData := strings.CutPrefix(m.Name, dataFolder)
		switch {
		case m.Name == sessionName:
			b.Session = m.Bytes
		case m.Name == modelName:
			b.Model = m.Bytes
		case m.Name == trainingName:
			b.Training = m.Bytes
		case m.Name == metricsName:
			b.Metrics = m.Bytes
		case m.Name == runName:
			b.Run = m.Bytes
		case m.Name == sweepState:
			b.Sweep = m.Bytes
		case m.Name == sweepTable:
			b.Swept = m.Bytes
		case strings.HasPrefix(m.Name, sweepFolder) && strings.HasSuffix(m.Name, checkpoint):
			b.Points = append(b.Points, m.Bytes)
		case strings.HasPrefix(m.Name, runsFolder) && strings.HasSuffix(m.Name, checkpoint):
			b.Runs = append(b.Runs, m.Bytes)
		case isData && name != "" && b.Data == nil && !strings.ContainsAny(name, `/\`):
			b.Data, b.DataName = m.Bytes, name
		case strings.HasSuffix(m.Name, "/") && len(m.Bytes) == 0: // a folder, which other programs list as a member
		default:
			return nil, fmt.Errorf("the file is no bundle of Macroscope's: it holds %.60q", m.Name)
		}
	}
	if b.Session == nil && b.Model == nil {
		return nil, errors.New("the bundle holds neither settings nor a model; save it again")
	}
	if len(b.Runs) > MaxRuns {
		return nil, fmt.Errorf("the bundle holds %d runs, and the limit is %d", len(b.Runs), MaxRuns)
	}
	return b, nil
}

// Checkpoint returns a checkpoint for a program that reads one model. If goOn is set, it prefers
// the training in progress, which includes a model. Otherwise it prefers the current model. If the
// bundle lacks the preferred checkpoint, it returns the other one.
func (b *Bundle) Checkpoint(goOn bool) ([]byte, error) {
	switch {
	case goOn && b.Training != nil:
		return b.Training, nil
	case b.Model != nil:
		return b.Model, nil
	case b.Training != nil:
		return b.Training, nil
	}
	return nil, errors.New("the bundle holds no model")
}

// Trained replaces the training and the model in the bundle by a checkpoint of a training. It drops
// the measurements of the previous model.
func (b *Bundle) Trained(checkpoint []byte) {
	b.Training, b.Model = slices.Clone(checkpoint), slices.Clone(checkpoint)
	b.Metrics, b.Run = nil, nil
}
