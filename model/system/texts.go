package system

import (
	"bytes"
	"fmt"
	"io"

	"macroscope/model/file/data"
)

// textFrames reads the frames of one text file.
type textFrames struct {
	io.Closer
	dim   int
	dump  *data.Dump  // nil if the file is a table
	track *data.Track // the whole table; nil if the file is a dump
	at    int         // next frame of track
}

// open opens the text file with this index. It determines the format from the content.
func (r *Recording) open(index int) (*textFrames, error) {
	if index == 0 && r.first != nil {
		return &textFrames{io.NopCloser(nil), r.first.Dim, nil, r.first, 0}, nil
	}
	file := io.NopCloser(io.NewSectionReader(r.file.Bytes, 0, r.file.Size))
	if index > 0 {
		var err error
		if file, err = r.file.Open(r.name(index)); err != nil {
			return nil, err
		}
	}
	head := make([]byte, data.HeadBytes)
	n, err := io.ReadFull(file, head)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		file.Close()
		return nil, fmt.Errorf("reading failed: %w", err)
	}
	rest := io.MultiReader(bytes.NewReader(head[:n]), file)
	switch data.FormatOf(r.name(index), head[:n]) {
	case data.DumpText:
		dump := data.NewDump(rest)
		dump.Walls = r.of.Walls
		return &textFrames{file, 2, dump, nil, 0}, nil
	case data.CSV:
		defer file.Close()
		text, err := io.ReadAll(io.LimitReader(rest, data.MaxFileBytes+1))
		if err != nil {
			return nil, fmt.Errorf("reading failed: %w", err)
		}
		track, err := data.ReadTrack(text, r.file.Pause)
		if err != nil {
			return nil, err
		}
		return &textFrames{io.NopCloser(nil), track.Dim, nil, track, 0}, nil
	}
	file.Close()
	return nil, fmt.Errorf("it is a NumPy file among text files; give one kind alone")
}

// next returns the next frame (N, dim) and the types of the atoms (N), or io.EOF. Both slices
// are valid until the next call.
func (in *textFrames) next() (points []float32, types []int64, err error) {
	if in.dump != nil {
		err := in.dump.Next()
		return in.dump.Positions, in.dump.Types, err
	}
	if in.at == in.track.Frames {
		return nil, nil, io.EOF
	}
	size := in.track.Particles * in.track.Dim
	in.at++
	return in.track.Positions[(in.at-1)*size : in.at*size], in.track.Types, nil
}

func (r *Recording) name(index int) string {
	if index == 0 {
		return r.file.Name
	}
	return r.file.More[index-1]
}
