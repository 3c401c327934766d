package data

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
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
ITEM: ATOMS id type x y z
7 2 1.5 2 0
2 1 3 4.25 0
9 1 5 10 0
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

// readDump reads a whole dump: its steps (T), types (N) and positions (T, N, 2).
func readDump(text string) (steps, types []int64, positions []float32, err error) {
	return readAll(NewDump(strings.NewReader(text)))
}

func readAll(d *Dump) (steps, types []int64, positions []float32, err error) {
	for err = d.Next(); err == nil; err = d.Next() {
		steps, types, positions = append(steps, d.Step), d.Types, append(positions, d.Positions...)
	}
	if err == io.EOF {
		err = nil
	}
	return steps, types, positions, err
}

func TestReadDump(t *testing.T) {
	for name, text := range map[string]string{
		"as LAMMPS writes it": dumpText, "with CRLF": strings.ReplaceAll(dumpText, "\n", "\r\n"),
		"without a last end of line": strings.TrimSuffix(dumpText, "\n"), "with a byte order mark": byteOrderMark + dumpText,
		"without units": strings.TrimPrefix(dumpText, "ITEM: UNITS\nlj\n"), "with a mark and without units": byteOrderMark + strings.TrimPrefix(dumpText, "ITEM: UNITS\nlj\n"),
		"without the kinds of sides": strings.ReplaceAll(dumpText, " ff ff pp", ""),
		"in a box of two sides":      strings.ReplaceAll(strings.ReplaceAll(dumpText, " ff ff pp", ""), "-0.5 0.5\n", ""),
	} {
		t.Run(name, func(t *testing.T) {
			steps, types, positions, err := readDump(text)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(steps, []int64{100, 300}) || !slices.Equal(types, []int64{1, 2, 1}) {
				t.Errorf("steps %v, types %v", steps, types)
			}
			want := []float32{3, 4.25, 1.5, 2, 5, 10, 2, 3, 1, 10, 3, 4}
			if !slices.Equal(positions, want) {
				t.Errorf("positions %v, want %v", positions, want)
			}
			if n, err := CountFrames(strings.NewReader(text), int64(len(text)), 3); n != 2 || err != nil {
				t.Errorf("%d frames are counted: %v", n, err)
			}
		})
	}
}

// TestReadDumpWithWalls reads positions relative to the corner of a box. The box must not move.
func TestReadDumpWithWalls(t *testing.T) {
	d := NewDump(strings.NewReader(dumpText))
	d.Walls = true
	_, _, positions, err := readAll(d)
	if want := []float32{2, 2.25, .5, 0, 4, 8, 1, 1, 0, 8, 2, 2}; err != nil || !slices.Equal(positions, want) {
		t.Errorf("positions %v, want %v: %v", positions, want, err)
	}
	d = NewDump(strings.NewReader(strings.Replace(dumpText, "2 10\n", "2.5 10.5\n", 1)))
	d.Walls = true
	if _, _, _, err = readAll(d); err == nil || err.Error() != "line 22: the walls move: the box of step 300 is not the box of step 100; dump a run in a box that stays" {
		t.Errorf("a box that moves: %v", err)
	}
	for _, tc := range []struct{ text, says string }{
		{strings.Replace(dumpText, "lj\n", "real\n", 1), "line 2: the units are “real”, and lj is needed"},
		{strings.Replace(dumpText, "2.0e0 1.0e1\n", "2 2.5\n", 1), "is outside of the walls at 2 and 2.5"},
	} {
		d = NewDump(strings.NewReader(tc.text))
		d.Walls = true
		if _, _, _, err = readAll(d); err == nil || !strings.Contains(err.Error(), tc.says) {
			t.Errorf("error %v, want %q", err, tc.says)
		}
	}
}

func TestReadDumpRefuses(t *testing.T) {
	swap := func(old, new string) string { return strings.Replace(dumpText, old, new, 1) }
	for _, tc := range []struct{ name, text, says string }{
		{"nothing", "", "the file holds no frame; write one with LAMMPS's command dump"},
		{"something else", "1,2,3\n", "line 1: it is “1,2,3” where “ITEM: …” should be; choose a LAMMPS dump in text form"},
		{"UTF-16", "\xff\xfeI\x00", "line 1: the text is in UTF-16; save it as UTF-8"},
		{"one long line", strings.Repeat("x", 100_000), "line 1: it is longer than 16384 bytes"},
		{"a step that is none", swap("100", "one"), "line 4: “one” is not a step"},
		{"steps that fall", swap("300", "100"), "line 16: step 100 comes after step 100; keep one run in a file"},
		{"unequal steps", dumpText + "ITEM: TIMESTEP\n501\n", "line 28: step 501 comes 201 steps after step 300, and the first two frames are 200 steps apart; keep frames at equal distances"},
		{"two kinds of units", dumpText + "ITEM: UNITS\nreal\n", "the units change from “lj” to “real”"},
		{"no atoms", swap("\n3\n", "\n0\n"), "line 6: the number of atoms is “0”; 1 to 100000 can be read"},
		{"atoms beyond number", swap("\n3\n", "\n99999999999\n"), "line 6: the number of atoms is “99999999999”"},
		{"fewer atoms than claimed", swap("\n3\n", "\n4\n"), "line 15: “ITEM:” is not a whole number"},
		{"another number of atoms", strings.Join(strings.SplitAfterN(dumpText, "\n3\n", 2), "") + "ITEM: TIMESTEP\n500\nITEM: NUMBER OF ATOMS\n2\n", "has 2 atoms and the first had 3"},
		{"a tilted box", swap("ff ff pp", "xy xz yz pp pp pp"), "tilted"},
		{"a tilted box without the kinds of sides", swap("ff ff pp", "xy xz yz"), "tilted"},
		{"bounds of one number", swap("1 5\n", "1\n"), "line 8: the box's bounds are “1”, and two numbers are needed"},
		{"bounds the wrong way round", swap("1 5\n", "5 1\n"), "line 8: the box goes from 5 to 1; the second bound must be the larger"},
		{"bounds that are not finite", swap("1 5\n", "1 inf\n"), "“inf” is not a finite number"},
		{"no ids", swap("id type x y z", "type x y z"), "id, type, x and y are needed"},
		{"atoms without a box", "ITEM: TIMESTEP\n1\nITEM: NUMBER OF ATOMS\n1\nITEM: ATOMS id type x y\n1 1 0 0\n", "atoms come before"},
		{"a missing column", swap("7 2 1.5 2 0", "7 2 1.5 2"), "line 12: the atom has 4 columns and the header lists 5"},
		{"a position that is not a number", swap("1.5", "NaN"), "line 12: “NaN” is not a finite number in single precision"},
		{"an atom twice", swap("7 2 1.5", "2 2 1.5"), "line 14: atom 2 comes twice in step 100"},
		{"an atom twice later", swap("2 0 7 1", "1 0 9 1"), "atom 9 comes twice in step 300"},
		{"another atom", swap("2 0 7 1", "2 0 8 1"), "atom 8 of step 300 was not there in the first; keep the same atoms"},
		{"another type", swap("2 0 7 1", "1 0 7 1"), "atom 7 becomes type 1 in step 300 after type 2"},
		{"half a frame", dumpText[:len(dumpText)-len("2 0 7 1\n")], "line 25: the file ends where an atom should be; take another copy of it"},
		{"half a frame's head", dumpText + "ITEM: TIMESTEP\n500\n", "the file ends within the frame of step 500; take another copy of it"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, _, _, err := readDump(tc.text)
			if err == nil || !strings.Contains(err.Error(), tc.says) {
				t.Errorf("error %v, want one that says %q", err, tc.says)
			}
		})
	}
}

// TestReadDumpTakesNoClaim reads a short file that claims many atoms. It must not allocate
// memory for the claimed atoms.
func TestReadDumpTakesNoClaim(t *testing.T) {
	text := strings.Replace(dumpText, "\n3\n", fmt.Sprintf("\n%d\n", MaxParticles), 1)
	if got := allocated(func() { readDump(text) }); got > 1<<18 {
		t.Errorf("%d bytes were taken for a file of %d", got, len(text))
	}
}

func FuzzReadDump(f *testing.F) {
	f.Add([]byte(dumpText))
	f.Add([]byte(strings.Replace(dumpText, "id type x y z", "id type xu yu z", 1)))
	f.Add([]byte("ITEM: TIMESTEP\n0\nITEM: NUMBER OF ATOMS\n1\nITEM: BOX BOUNDS pp pp\n0 1\n0 1\nITEM: ATOMS id type x y\n1 1 0 0\n"))
	f.Add([]byte(byteOrderMark + dumpText))
	f.Fuzz(func(t *testing.T, b []byte) {
		counted, countErr := CountFrames(bytes.NewReader(b), int64(len(b)), 1)
		var steps, types []int64
		var positions []float32
		var err error
		if n := allocated(func() { steps, types, positions, err = readDump(string(b)) }); n > maxAlloc(len(b)) {
			t.Fatalf("%d bytes taken for %d", n, len(b))
		}
		if err != nil {
			checkSentence(t, err)
			return
		}
		if n := len(steps) * len(types) * 2; n == 0 || n != len(positions) || counted < len(steps) || countErr != nil {
			t.Fatalf("%d steps, %d types, %d coordinates, %d frames are counted: %v", len(steps), len(types), len(positions), counted, countErr)
		}
		for i, v := range positions {
			if v-v != 0 {
				t.Fatalf("coordinate %d is %v", i, v)
			}
		}
	})
}

// TestCountFrames counts frame marks that cross the boundaries of the blocks in which a file is
// read. It also checks the errors for too many frames and for a file that became shorter.
func TestCountFrames(t *testing.T) {
	const mark = "ITEM: TIMESTEP\n"
	for pad := range 40 {
		text := mark + strings.Repeat("x", 1<<20-len(mark)-10+pad) + "\n" + mark + "ITEM: TIMESTEPS\n ITEM: TIMESTEP\n"
		if n, err := CountFrames(strings.NewReader(text), int64(len(text)), 1); n != 3 || err != nil {
			t.Errorf("pad %d: %d frames: %v", pad, n, err)
		}
	}
	text := strings.Repeat(mark, 400)
	if _, err := CountFrames(strings.NewReader(text), int64(len(text)), MaxParticles); err == nil || !strings.Contains(err.Error(), "over the limit") {
		t.Errorf("400 frames of %d atoms: %v", MaxParticles, err)
	}
	if _, err := CountFrames(strings.NewReader(text), int64(len(text))+1, 1); err == nil || !strings.Contains(err.Error(), "reading failed") {
		t.Errorf("a file that became shorter: %v", err)
	}
}
