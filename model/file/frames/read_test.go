package frames

import (
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"macroscope/model/file/data"
)

// dumpText is a dump of three unordered atoms in a box from (1, 2) to (5, 10).
const dumpText = `ITEM: UNITS
lj
ITEM: TIMESTEP
100
ITEM: NUMBER OF ATOMS
3
ITEM: BOX BOUNDS ff ff pp
1 5
2.0e0 1.0e1
-0.5 0.5
ITEM: ATOMS id type x y
7 2 1.5 2
2 1 3 4.25
9 1 5 10
ITEM: TIMESTEP
300
ITEM: NUMBER OF ATOMS
3
ITEM: BOX BOUNDS ff ff pp
1 5
2 10
-0.5 0.5
ITEM: ATOMS type xs id ys
1 0.5 9 0.25
1 0.25 2 0.125
2 0 7 1
`

const xyzText = "2\nProperties=species:S:1:pos:R:3:force:R:3 Time=1.5\nA 1 2 3 0 0 0\nB 4 5 6 0 0 0\n2\nProperties=species:S:1:pos:R:3:force:R:3 Time=2\nA 1 2 3.5 0 0 0\nB 4 5 6.5 0 0 0\n"

const tableText = "id,frame,y,x,type\n2,1,4,3,b\n1,1,2,1,a\n1,0,20,10,a\n2,0,40,30,b\n"

// all reads a text with the same particles in all frames to its end. It returns the positions of all frames.
func all(format data.Format, in io.Reader, o Options) (positions []float64, r Reader, species []string, err error) {
	r, err = NewReader(format, in, o)
	var at slots
	for err == nil {
		var f *Frame
		if f, err = r.Next(); err == nil {
			err = at.put(f, r.Head())
			positions = append(positions, f.Points...)
		}
	}
	if err == io.EOF {
		err = nil
	}
	return positions, r, at.species(), err
}

// TestReaders reads texts in all formats, whole and through readers that return few bytes at a time.
func TestReaders(t *testing.T) {
	plane := []float64{3, 4.25, 1.5, 2, 5, 10, 2, 3, 1, 10, 3, 4}
	for _, tc := range []struct {
		name, text      string
		format          data.Format
		positions       []float64
		axes, species   []string
		unused          []string
		units           string
		clock           Clock
		timed, unframed bool
	}{
		{name: "dump", text: dumpText, format: data.DumpText, positions: plane, axes: axes[:2], species: []string{"1", "2", "1"}, units: "lj", clock: Steps},
		{name: "dump with CRLF", text: strings.ReplaceAll(dumpText, "\n", "\r\n"), format: data.DumpText, positions: plane, axes: axes[:2], species: []string{"1", "2", "1"}, units: "lj", clock: Steps},
		{name: "dump with a byte order mark", text: data.ByteOrderMark + dumpText, format: data.DumpText, positions: plane, axes: axes[:2], species: []string{"1", "2", "1"}, units: "lj", clock: Steps},
		{name: "dump without kinds of sides", text: strings.ReplaceAll(dumpText, " ff ff pp", ""), format: data.DumpText, positions: plane, axes: axes[:2], species: []string{"1", "2", "1"}, units: "lj", clock: Steps},
		{name: "dump of a box with two sides", text: strings.ReplaceAll(strings.ReplaceAll(dumpText, " ff ff pp", ""), "-0.5 0.5\n", ""), format: data.DumpText, positions: plane, axes: axes[:2], species: []string{"1", "2", "1"}, units: "lj", clock: Steps},
		{name: "XYZ", text: xyzText, format: data.XYZ, positions: []float64{1, 2, 3, 4, 5, 6, 1, 2, 3.5, 4, 5, 6.5}, axes: axes, species: []string{"A", "B"}, unused: []string{"force"}, clock: Times, timed: true},
		{name: "table with names", text: "id,frame,x\nb,1,3\na,1,1\na,0,10\nb,0,30\n", format: data.CSV, positions: []float64{30, 10, 3, 1}, axes: axes[:1], clock: Frames},
		{name: "table with broken numbers", text: "id,frame,x\n2.0,1,3\n1.0,1,1\n1.0,0,10\n2.0,0,30\n", format: data.CSV, positions: []float64{10, 30, 1, 3}, axes: axes[:1], clock: Frames},
		{name: "table", text: tableText, format: data.CSV, positions: []float64{10, 20, 30, 40, 1, 2, 3, 4}, axes: axes[:2], species: []string{"a", "b"}, clock: Frames},
	} {
		for of, slow := range map[string]func(io.Reader) io.Reader{"": func(r io.Reader) io.Reader { return r }, ", one byte at a time": iotest.OneByteReader, ", sixteen bytes": func(r io.Reader) io.Reader { return sixteen{r} }, ", the error with the last bytes": iotest.DataErrReader} {
			t.Run(tc.name+of, func(t *testing.T) {
				positions, r, species, err := all(tc.format, slow(strings.NewReader(tc.text)), Options{})
				if err != nil {
					t.Fatal(err)
				}
				h := r.Head()
				if !slices.Equal(positions, tc.positions) {
					t.Errorf("positions %v, want %v", positions, tc.positions)
				}
				if !slices.Equal(h.Axes, tc.axes) || !slices.Equal(species, tc.species) || !slices.Equal(h.Unused, tc.unused) || h.Units != tc.units || h.Clock != tc.clock || h.Timed != tc.timed || r.Cut() != "" {
					t.Errorf("head %+v, cut %q", h, r.Cut())
				}
			})
		}
	}
}

// sixteen returns at most sixteen bytes at a time.
type sixteen struct{ io.Reader }

func (s sixteen) Read(b []byte) (int, error) { return s.Reader.Read(b[:min(len(b), 16)]) }

// TestReadersReject checks the sentences about texts that cannot be read.
func TestReadersReject(t *testing.T) {
	swap := func(old, new string) string { return strings.Replace(dumpText, old, new, 1) }
	for _, tc := range []struct {
		name, text string
		format     data.Format
		says       string
	}{
		{"nothing", "", data.DumpText, "the file holds no frame; write one with LAMMPS's command dump"},
		{"something else", "1,2,3\n", data.DumpText, "line 1: it is \"1,2,3\" where \"ITEM: …\" should be; choose a LAMMPS dump in text form"},
		{"UTF-16", "\xff\xfeI\x00", data.DumpText, "line 1: the text is in UTF-16; save it as UTF-8"},
		{"one long line", strings.Repeat("x", 100_000), data.DumpText, "line 1: it is longer than 16384 bytes"},
		{"lines of another kind", strings.ReplaceAll(dumpText, "\n", "\r"), data.DumpText, "line 1: the lines end with a carriage return alone"},
		{"a step that is none", swap("100", "one"), data.DumpText, "line 4: \"one\" is not a step"},
		{"two kinds of units", dumpText + "ITEM: UNITS\nreal\n", data.DumpText, "the units change from \"lj\" to \"real\""},
		{"less than no atoms", swap("\n3\n", "\n-1\n"), data.DumpText, "line 6: the number of atoms is \"-1\"; 0 to 100000 can be read"},
		{"atoms beyond number", swap("\n3\n", "\n99999999999\n"), data.DumpText, "line 6: the number of atoms is \"99999999999\""},
		{"a tilted box", strings.NewReplacer("ff ff pp", "xy xz yz ff ff pp", "1 5", "1 5 0.5").Replace(dumpText), data.DumpText, "line 8: the box is tilted or in general form; use an upright one"},
		{"a box without a side", swap("1 5", "5 5"), data.DumpText, "line 8: the box goes from 5 to 5; the second bound must be the larger"},
		{"half of a bound", swap("1 5", "1"), data.DumpText, "line 8: the box's bounds are \"1\", and two numbers are needed"},
		{"no ids", swap("ATOMS id", "ATOMS mol"), data.DumpText, "line 11: the columns are \"mol type x y\"; id and x, y (and z) are needed"},
		{"an id that is none", swap("7 2 1.5", "a 2 1.5"), data.DumpText, "line 12: \"a\" is not a whole number"},
		{"a number that is none", swap("1.5", "nan"), data.DumpText, "line 12: \"nan\" is not a finite number"},
		{"a decimal comma", swap("1.5", "1,5"), data.DumpText, "line 12: \"1,5\" is not a number; write decimals with a point"},
		{"a column too few", swap("7 2 1.5 2", "7 2 1.5"), data.DumpText, "line 12: the atom has 3 columns and the header lists 4"},
		{"an atom twice", swap("9 1 5 10", "7 1 5 10"), data.DumpText, "particle 7 comes twice in step 100"},
		{"an atom of another type", swap("2 0 7 1", "1 0 7 1"), data.DumpText, "particle 7 becomes 1 in step 300 after 2"},
		{"a new atom", swap("2 0 7 1", "2 0 8 1"), data.DumpText, "particle 7 of the first frame is missing in step 300"},
		{"a missing atom", strings.Replace(swap("2 0 7 1\n", ""), "300\nITEM: NUMBER OF ATOMS\n3", "300\nITEM: NUMBER OF ATOMS\n2", 1), data.DumpText, "particle 7 of the first frame is missing in step 300"},
		{"two steps", swap("ITEM: NUMBER", "ITEM: TIMESTEP\n200\nITEM: NUMBER"), data.DumpText, "step 200 begins before the atoms of step 100"},
		{"atoms without a box", swap("ITEM: BOX BOUNDS ff ff pp\n1 5\n2.0e0 1.0e1\n-0.5 0.5\n", ""), data.DumpText, "atoms come before the step, their number and the box"},
		{"one frame, cut", dumpText[:150], data.DumpText, "the file ends within its first frame"},
		{"a cut last number", strings.TrimSuffix(dumpText, "\n"), data.DumpText, "has no line break, so its last number may be cut short"},

		{"XYZ without a number", "two\n\nA 1 2 3\n", data.XYZ, "line 1: it is \"two\" where the number of particles should be"},
		{"XYZ of another number", xyzText + "1\n\nA 1 2 3\n", data.XYZ, "the frames do not all tell their step or time"},
		{"XYZ with one particle less", "2\n\nA 1 2 3\nB 1 2 3\n1\n\nA 1 2 3\n", data.XYZ, "frame 1 has 1 particles and the first frame has 2"},
		{"XYZ in another order", "2\n\nA 1 2 3\nB 1 2 3\n2\n\nB 1 2 3\nA 1 2 3\n", data.XYZ, "particle 0 becomes B in frame 1 after A"},
		{"XYZ without positions", "1\nProperties=species:S:1\nA\n", data.XYZ, "pos is needed"},
		{"XYZ with other columns", "1\nProperties=pos:R:3\n1 2 3\n1\nProperties=species:S:1:pos:R:3\nA 1 2 3\n", data.XYZ, "the columns of frame 1 are others"},
		{"XYZ with other coordinates", "2\nProperties=pos:R:3\n1 2 3\n1 2 3\n3\nProperties=pos:R:2\n1 2\n1 2\n1 2\n", data.XYZ, "the columns of frame 1 are others"},
		{"an XYZ id twice", "2\nProperties=id:I:1:pos:R:3\n7 1 2 3\n7 1 2 3\n", data.XYZ, "particle 7 comes twice in frame 0"},
		{"an XYZ id twice later", "2\nProperties=id:I:1:pos:R:3\n7 1 2 3\n8 1 2 3\n2\nProperties=id:I:1:pos:R:3\n7 1 2 3\n7 1 2 3\n", data.XYZ, "particle 7 comes twice in frame 1"},
		{"a new XYZ id", "1\nProperties=id:I:1:pos:R:3\n7 1 2 3\n1\nProperties=id:I:1:pos:R:3\n8 1 2 3\n", data.XYZ, "particle 7 of the first frame is missing in frame 1"},
		{"XYZ in a tilted box", "1\nLattice=\"1 0 0 1 1 0 0 0 1\"\nA 1 2 3\n", data.XYZ, "the lattice is tilted"},
		{"an XYZ number", "1\n\nA 1 2 z\n", data.XYZ, "line 3: \"z\" is not a number"},

		{"two columns of a name", "x,X\n1,2\n", data.CSV, "two columns have the name \"X\""},
		{"a particle twice", "frame,id,x\n0,1,1\n0,1,2\n1,1,1\n1,1,2\n", data.CSV, "particle 1 comes twice in frame 0"},
		{"a particle less", "frame,id,x\n0,1,1\n0,2,2\n1,1,1\n", data.CSV, "particle 2 of the first frame is missing in frame 1"},
		{"a particle more", "frame,id,x\n0,1,1\n1,1,1\n1,2,2\n", data.CSV, "particle 2 of frame 1 was not there in the first"},
		{"particles without names", "frame,x\n0,1\n0,2\n1,1\n", data.CSV, "frame 1 has 1 particles and the first frame has 2"},
		{"another species", "frame,id,type,x\n0,1,1,1\n1,1,2,1\n", data.CSV, "particle 1 becomes 2 in frame 1 after 1"},
		{"half a frame", "frame,x\n0.5,1\n1.5,1\n", data.CSV, "frame 0.5 is not a whole number"},
		{"two times in a frame", "frame,time,x\n0,0,1\n0,1,2\n1,2,1\n1,2,2\n", data.CSV, "frame 0 has both the times 0 and 1"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			for _, in := range []io.Reader{strings.NewReader(tc.text), iotest.OneByteReader(strings.NewReader(tc.text))} {
				if _, _, _, err := all(tc.format, in, Options{}); err == nil || !strings.Contains(err.Error(), tc.says) {
					t.Errorf("error %v\nwant %s", err, tc.says)
				}
			}
		})
	}
}

// TestCut checks that an incomplete last frame is left out wherever the file ends, and that nothing
// is read wrongly.
func TestCut(t *testing.T) {
	for _, tc := range []struct {
		text   string
		format data.Format
	}{{dumpText, data.DumpText}, {xyzText, data.XYZ}} {
		whole, _, _, err := all(tc.format, strings.NewReader(tc.text), Options{})
		if err != nil {
			t.Fatal(err)
		}
		one := len(tc.text) - len(tc.text)/3 // within the second frame
		for end := one; end < len(tc.text); end++ {
			got, r, _, err := all(tc.format, strings.NewReader(tc.text[:end]), Options{})
			switch {
			case err != nil && strings.Contains(err.Error(), "may be cut short"):
			case err != nil:
				t.Fatalf("cut after %d bytes: %v", end, err)
			case r.Cut() == "" || !slices.Equal(got, whole[:len(whole)/2]):
				t.Fatalf("cut after %d bytes: %v, %q", end, got, r.Cut())
			}
		}
	}
}

func TestReadersPassErrorsOn(t *testing.T) {
	broken := errors.New("disk on fire")
	for _, format := range []data.Format{data.DumpText, data.XYZ, data.CSV} {
		if _, _, _, err := all(format, iotest.ErrReader(broken), Options{}); !errors.Is(err, broken) {
			t.Errorf("format %d: %v", format, err)
		}
	}
}

// TestNames checks which names of columns are recognised.
func TestNames(t *testing.T) {
	for name, want := range map[string]column{
		"x": axisX, "X": axisX, "pos_x": axisX, "Position X": axisX, "x (um)": axisX, "x [µm]": axisX, "POSITION_Y": axisY, "centroid-y": axisY, "PositionZ": axisZ, "z_px": axisZ, "x µm": axisX, "xu": axisX,
		"frame": frameOf, "FRAME": frameOf, "Frames": frameOf, "TimeStep": frameOf, "t": timeOf, "time (s)": timeOf, "POSITION_T": timeOf,
		"id": particle, "TRACK_ID": particle, "TrackID": particle, "track_id": particle, "Particle": particle, "type": species, "Species": species, "run": run,
		"vx": unknown, "mass": unknown, "px": unknown, "x0": unknown, "ix": unknown, "xs": unknown, "m": unknown, "": unknown, "max_x_error": unknown,
	} {
		if got, _ := kindOf(name); got != want {
			t.Errorf("%q is %d, want %d", name, got, want)
		}
	}
}

// FuzzReaders checks that no text makes a reader panic, and that memory stays small.
func FuzzReaders(f *testing.F) {
	for _, text := range []string{dumpText, xyzText, tableText, "run,frame,id,type,x\na,0,1,p,1\na,1,2,q,2\na,1,3,q,2\nb,0,1,p,3\nb,1,1,p,4\n", " "} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, format := range []data.Format{data.DumpText, data.XYZ, data.CSV} {
			files := Files{[]string{"a"}, func(int) (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }}
			for _, ragged := range []bool{false, true} {
				s, err := NewSurvey(files, Wanted{Ragged: ragged})
				for e := 0; err == nil && e < len(s.Runs); e++ {
					r, of := s.Run(e), s.Of[e]
					n := 0
					points, species, err := r.Next()
					for ; err == nil; points, species, err = r.Next() {
						if n++; len(points) != of.Particles*len(s.Axes) || species != nil && len(species) != of.Particles {
							t.Errorf("%d coordinates and %d species of %d particles", len(points), len(species), of.Particles)
						}
					}
					if err != io.EOF || n != of.Frames {
						t.Errorf("%d frames of %d: %v", n, of.Frames, err)
					}
					r.Close()
				}
			}
			all(format, strings.NewReader(text), Options{})
		}
	})
}
