package session

import (
	"bytes"
	"fmt"
	"maps"
	"path"
	"slices"

	"macroscope/model/file/ckpt"
	"macroscope/model/lab/session/effect"
	"macroscope/model/lab/session/ownfile"
	"macroscope/model/lab/session/run"
	"macroscope/model/lab/session/saved"
	"macroscope/model/setting"
	"macroscope/model/system"
	"macroscope/model/wire"
)

// A lab of a system of the user's own. A file, a checkpoint or a saved session describes the system. If it is another
// system than before, the session begins anew: all its parts are made for one system.

var _ wire.Renewing = (*Session)(nil)

// Renewed implements wire.Renewing.
func (s *Session) Renewed() (renewed bool) {
	renewed, s.renewed = s.renewed, false
	return renewed
}

// become begins a session of another system of this lab.
func (s *Session) become(of *system.System) {
	s.Close()
	s.file.Drop()
	s.begin(s.lab.With(of), s.now)
	s.stale.frame, s.stale.state = true, true
}

// otherSystem returns the system that the metadata of a file describe. It returns nil if this is the session's system, or if
// they describe none: the lab has one system, or the file was saved before there was one.
func (s *Session) otherSystem(metadata map[string]string) (*system.System, error) {
	if s.lab.Describe == nil || metadata[saved.Undescribed] != "" {
		return nil, nil
	}
	of, err := s.lab.System.Described(metadata)
	if err != nil || maps.Equal(of.Description, s.lab.System.Description) {
		return nil, err
	}
	return of, nil
}

// otherSaved is otherSystem for a saved session.
func (s *Session) otherSaved(files *saved.Files) (*system.System, error) {
	f, err := ckpt.Decode(bytes.NewReader(files.Session))
	if err != nil {
		return nil, err
	}
	return s.otherSystem(f.Metadata)
}

// inWords describes runs of the session's system.
func (s *Session) inWords(shape system.Shape) string {
	species := ""
	if n := len(s.lab.System.Sets); n > 1 {
		species = fmt.Sprintf(" of %d species", n)
	}
	return fmt.Sprintf("%s of %s and %s%s with %s", setting.Count(shape.Trajectories, "run", "runs"), setting.Count(shape.Frames, "frame", "frames"),
		setting.Count(shape.Particles, "particle", "particles"), species, setting.Count(shape.Dim, "coordinate", "coordinates"))
}

// gone says in a sentence what is lost when another system takes the place of the session's. It is nil if nothing is.
func (s *Session) gone() []string {
	n := len(s.models.List(s.train))
	if n == 0 {
		return nil
	}
	return []string{fmt.Sprintf("This is another system than the one here. What you have trained or opened here goes: %s. Save everything first to keep it.", setting.Count(n, "model", "models"))}
}

// openDescribed opens a checkpoint of another system of this lab. It asks first if something would be lost. A file that
// can be of this system stays open.
func (s *Session) openDescribed(name string, b []byte, of *system.System) *wire.Notice {
	d := s.file.File()
	stays := d != nil && of.Alike(s.lab.System)
	open := func() *wire.Notice {
		s.become(of)
		n := s.openCheckpoint(name, b)
		if stays {
			if more := s.readFile(d.As(""), d.Trajectory, ownfile.Chosen, run.Playing); more != nil {
				return more
			}
		}
		return n
	}
	points := s.gone()
	if d != nil && !stays {
		points = append(points, fmt.Sprintf("Your file %s is closed.", setting.Quote(d.Name)))
	}
	if points == nil {
		return open()
	}
	s.asked.put(asked{Ask: wire.Ask{Title: "Open a model of another system?", Points: points, Accept: "Open it"}, accepted: open})
	return nil
}

// openExample fetches a file of runs that comes with the page. value is its name among the page's assets.
func (s *Session) openExample(value string) error {
	for _, g := range s.run.Live().Page().Groups {
		for _, c := range g.Controls {
			if c.ID == "example" && slices.ContainsFunc(c.Options[1:], func(o wire.Option) bool { return o.Value == value }) {
				s.example = value
				return nil
			}
		}
	}
	return fmt.Errorf("there is no example called %s", setting.Quote(value))
}

// fetchedExample opens the file of an example, as if the user had dropped it.
func (s *Session) fetchedExample(b []byte, err error) *wire.Notice {
	name := path.Base(s.example)
	if s.example = ""; err != nil {
		return effect.Failure(fmt.Errorf("the example %s could not be fetched; check the connection, and choose it again: %w", setting.Quote(name), err))
	}
	return s.take(name, b)
}
