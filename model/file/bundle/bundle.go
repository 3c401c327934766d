// Package bundle is one file that holds a lab as a visitor left it: settings, data
// that were made or brought, models, their training and what they were measured to
// reach. The page and the command line both write and read it.
//
// A bundle is a ZIP archive, whose name ends in Ending, so that a browser does not
// unpack it by itself. Its members, of which any but one of the first two may be
// missing:
//
//	session.safetensors    what was on the page, in its metadata: "session.lab" is the
//	                       lab, "session.fragment" all settings as in a link,
//	                       "session.a" and "session.b" the runs on show. The tensor
//	                       "session.particles" holds particles that were drawn or
//	                       edited, and pairs NAME.step and NAME.value the curves of the
//	                       training.
//	model.safetensors      the model on show, a checkpoint
//	training.safetensors   the training under way, a checkpoint to go on from
//	runs/NN.safetensors    models that were kept, checkpoints; their names are in
//	                       their metadata, as "session.name"
//	sweep/state.safetensors  a sweep, with the training of it that is under way; what
//	                       has been trained and measured is in its metadata
//	sweep/NN.safetensors   the models of the sweep, checkpoints
//	sweep/sweep.json       what the sweep has measured, as macroscope sweep writes it
//	data/NAME              a file of trajectories that was open, as it was
//	metrics.csv            figures that were shown: run,figure,value
//	run.csv                time, macroscopic variables, what is predicted and errors of
//	                       the frames so far
//
// Checkpoints are those of package ckpt, which PyTorch and NumPy open as well. What
// is in the tables and in sweep.json is for other programs: reading a bundle computes it
// anew.
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

// Ending is that of a bundle's name.
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

// MaxRuns is how many kept runs a bundle holds.
const MaxRuns = 99

// Bundle is what is in a bundle: the bytes of each file, nil where there is none.
type Bundle struct {
	Session  []byte
	Model    []byte
	Training []byte
	Runs     [][]byte
	Sweep    []byte   // its state
	Points   [][]byte // its models
	Swept    []byte   // what it has measured
	Data     []byte   // with DataName
	DataName string   // without a folder
	Metrics  []byte
	Run      []byte
}

// HeadSize is how much of a file's beginning Is looks at, in bytes.
const HeadSize = header + len(sessionName)

const header = 30 // bytes of a member before its name

// Is says whether a file is a bundle, by its beginning: that is one of the members
// which every bundle has. An NPZ archive has none of them.
func Is(b []byte) bool {
	if !data.IsArchive(b) || len(b) < header {
		return false
	}
	return bytes.HasPrefix(b[header:], []byte(sessionName)) || bytes.HasPrefix(b[header:], []byte(modelName))
}

// Encode writes a bundle. The same content always makes the same bytes.
func (b *Bundle) Encode(w io.Writer) error {
	if b.Session == nil && b.Model == nil {
		return errors.New("there are neither settings nor a model to save")
	}
	if len(b.Runs) > MaxRuns {
		return fmt.Errorf("there are %d runs, and a bundle holds %d", len(b.Runs), MaxRuns)
	}
	archive := data.NewArchive(w)
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
	for _, m := range members {
		if m.Bytes == nil {
			continue
		}
		if err := archive.File(m.Name, m.Bytes); err != nil {
			return err
		}
	}
	return archive.Close()
}

// Decode reads a bundle, whose checkpoints and data are the caller's to check.
// Its error is a sentence.
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
		case strings.HasSuffix(m.Name, "/") && len(m.Bytes) == 0: // a folder, as other programs list it
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

// Checkpoint is the file that a program which wants one model takes: the training
// under way, which holds its model, if training is to go on, else the model on show.
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

// Trained puts a training's checkpoint in the place of the training and of the
// model, and drops what was measured of the model before it.
func (b *Bundle) Trained(checkpoint []byte) {
	b.Training, b.Model = slices.Clone(checkpoint), slices.Clone(checkpoint)
	b.Metrics, b.Run = nil, nil
}
