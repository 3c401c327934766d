package cmd

import (
	"context"
	"fmt"
	"image"
	"image/color"
	"image/gif"
	"io"
	"path/filepath"
	"slices"

	"macroscope/model/file/data"
	"macroscope/model/system"
	"macroscope/model/work"
	"macroscope/serve/output"
)

// An animation shows every filmEvery-th frame for filmDelay hundredths of a second.
const filmEvery, filmDelay = 5, 4

// writeFilm writes the films of trajectories. If the file's name ends in .gif, it writes the first
// film as an animation, otherwise all films as an array.
func (o *simulateOptions) writeFilm(ctx context.Context, sys *system.System, src system.Source, out *output.File) error {
	if filepath.Ext(o.out) != ".gif" {
		return o.write(ctx, out, func(w io.Writer, pause work.Pause) error {
			return writePictures(pause, stoppable{ctx, w}, sys.Pictures, src, o.workers)
		})
	}
	if o.given["n"] && o.n != 1 {
		return fmt.Errorf("a .gif shows one trajectory, and -n asks for %d; leave it out, or write an .npz", o.n)
	}
	o.n = 1
	src, err := o.source(sys)
	if err != nil {
		return err
	}
	return o.write(ctx, out, func(w io.Writer, pause work.Pause) error {
		return inOrder(pause, src, o.workers, func(t *system.Trajectory) error { return animate(w, sys.Pictures, t) })
	})
}

// writePictures writes an archive with the films of all trajectories. Its only array is `video`
// (n, T, H, W).
func writePictures(pause work.Pause, w io.Writer, of *system.Pictures, src system.Source, workers int) error {
	s := src.Shape()
	archive := data.NewArchive(w)
	pictures, err := archive.Bytes("video", []int{s.Trajectories, s.Frames, of.Height, of.Width})
	if err != nil {
		return err
	}
	err = inOrder(pause, src, workers, func(t *system.Trajectory) error {
		return of.Draw(t, func(picture []uint8) error {
			_, err := pictures.Write(picture)
			return err
		})
	})
	if err != nil {
		return err
	}
	return archive.Close()
}

// animate writes the film of a trajectory as an animated GIF.
func animate(w io.Writer, of *system.Pictures, t *system.Trajectory) error {
	palette := make(color.Palette, 256)
	for i := range palette {
		palette[i] = color.Gray{uint8(i)}
	}
	var film gif.GIF
	k := 0
	err := of.Draw(t, func(picture []uint8) error {
		if k++; (k-1)%filmEvery == 0 {
			shown := &image.Paletted{Pix: slices.Clone(picture), Stride: of.Width, Rect: image.Rect(0, 0, of.Width, of.Height), Palette: palette}
			film.Image, film.Delay = append(film.Image, shown), append(film.Delay, filmDelay)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return gif.EncodeAll(w, &film)
}
