package data

import (
	"os"
	"strings"
	"testing"
)

// TestForeign checks that formats that cannot be read are recognised by their first bytes or their
// names, and that no text is taken for one of them.
func TestForeign(t *testing.T) {
	for _, tc := range []struct{ name, head, want string }{
		{"run.xtc", "\x00\x00\x07\xcb\x00\x00\x00\x18", "a GROMACS trajectory (XTC)"},
		{"unnamed", "\x00\x00\x07\xc9\x00\x00\x00\r", "a GROMACS trajectory (TRR)"},
		{"unnamed", "T\x00\x00\x00CORD\x05", "a DCD trajectory"},
		{"run.gro", "Argon t=   0.00000\n    2\n", "a GROMACS structure (GRO)"},
		{"unnamed", "CRYST1   20.000   20.000", "a PDB file"},
		{"unnamed", "\xdfe\xdfe\xdfe\xdfe\x00\x01", "a GSD file of HOOMD-blue"},
		{"unnamed", "\x89HDF\r\n\x1a\n\x00", "an HDF5 file"},
		{"unnamed", "CDF\x02\x00", "a NetCDF file"},
		{"unnamed", "MATLAB 5.0 MAT-file", "a MATLAB file"},
		{"unnamed", "MATLAB 7.3 MAT-file", "a MATLAB file of version 7.3"},
		{"model.pt", "PK\x03\x04\x00", "a file of PyTorch"},
		{"unnamed", "\x80\x04\x95\x00", "a Python pickle"},
		{"unnamed", "PAR1\x15", "a Parquet file"},
		{"table.xlsx", "PK\x03\x04\x00", "a spreadsheet"},
		{"unnamed", `{"trajectories": []}`, "JSON"},
		{"unnamed", "\xff\xff\xff\xff\xff\xff\xff\xf6DUMPATOM\x00", "a binary LAMMPS dump"},
		{"unnamed", "---\ntimestep: 0\n", "a LAMMPS dump in YAML"},
		{"unnamed", "LAMMPS data file via write_data\n\n2 atoms\n", "a LAMMPS data file of one frame"},
		{"unnamed", "LAMMPS (2 Aug 2023)\n", "a log of LAMMPS"},
		{"unnamed", "\x28\xb5\x2f\xfd\x04", "compressed by Zstandard"},
		{"unnamed", "\x10\x00\x00\x00\x00\x00\x00\x00{\"a\"", "a checkpoint of a model"},

		{"run.csv", "RECORD,x,y\n0,1,2\n", ""},
		{"run.txt", "MODEL,x,y\n0,1,2\n", ""},
		{"run.dat", "1 2\n3 4\n", ""},
		{"run.npz", "PK\x03\x04\x00", ""},
		{"run.npy", "\x93NUMPY\x01\x00", ""},
		{"run.dump", "ITEM: TIMESTEP\n0\n", ""},
	} {
		got := ""
		if _, err := FormatOf(tc.name, []byte(tc.head)); err != nil {
			got = err.(*Foreign).Name
		}
		if got != tc.want {
			t.Errorf("%s beginning with %.12q is %q, want %q", tc.name, tc.head, got, tc.want)
		}
	}
}

// TestForeignGuide checks that the guide lists every format that is recognised, with the same remedy.
func TestForeignGuide(t *testing.T) {
	guide, err := os.ReadFile("../../../assets/guide/your-own-data.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range Foreigns {
		if !strings.Contains(string(guide), f.Name) || !strings.Contains(string(guide), f.Remedy) {
			t.Errorf("the guide lacks %s: %s", f.Name, f.Remedy)
		}
	}
}

// TestFormatOf checks the formats that can be read.
func TestFormatOf(t *testing.T) {
	for _, tc := range []struct {
		name, head string
		want       Format
	}{
		{"a", "ITEM: TIMESTEP\n", DumpText}, {"a", ByteOrderMark + "ITEM: UNITS\n", DumpText}, {"a", "# by a script\nITEM: TIMESTEP\n", DumpText},
		{"a.xyz", "2\n\n", XYZ}, {"a", "2\ncomment\nAr 1 2 3\nAr", XYZ}, {"a", "2\nProperties=pos:R:3\n1 2 3 4\n", XYZ}, {"a", "2\n3\n4 5 6 7\n8\n", CSV},
		{"a", "PK\x03\x04", NPZ}, {"a", "\x93NUMPY", NPY}, {"a.npz", "x", NPZ}, {"a.npy", "x", NPY}, {"a", "x,y\n", CSV},
	} {
		if got, err := FormatOf(tc.name, []byte(tc.head)); got != tc.want || err != nil {
			t.Errorf("%s beginning with %q is %d, want %d: %v", tc.name, tc.head, got, tc.want, err)
		}
	}
	if _, err := FormatOf("a", nil); err == nil {
		t.Error("an empty file has a format")
	}
}
