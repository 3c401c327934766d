package data

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"
)

// Foreign is a file format that the program recognises but cannot read. As an error, it says in a
// sentence what the file is and how to convert it.
type Foreign struct {
	Name   string // name of the format: "a GROMACS trajectory (XTC)"
	Remedy string // what to do, or a line of Python that converts the file

	begins []string // how files of this format begin
	skip   int      // number of bytes before that
	ext    string   // endings of their names, separated by spaces
}

// Error implements error.
func (f *Foreign) Error() string {
	if strings.HasPrefix(f.Remedy, "import ") {
		return fmt.Sprintf("it is %s, which cannot be read; convert it with Python: %s", f.Name, f.Remedy)
	}
	return fmt.Sprintf("it is %s, which cannot be read; %s", f.Name, f.Remedy)
}

const (
	mdanalysis = `import MDAnalysis, numpy; u = MDAnalysis.Universe("TOPOLOGY", "FILE"); numpy.save("run.npy", [[u.atoms.positions.copy() for _ in u.trajectory]])`
	dumpAgain  = "write it with “dump 1 all custom 100 run.lammpstrj id type xu yu zu”"
)

// Foreigns lists the formats that are recognised. The guide's table on data lists the same.
var Foreigns = []*Foreign{
	{"a GROMACS trajectory (XTC)", mdanalysis, []string{"\x00\x00\x07\xcb", "\x00\x00\x07\xe7"}, 0, ".xtc"},
	{"a GROMACS trajectory (TRR)", mdanalysis, []string{"\x00\x00\x07\xc9"}, 0, ".trr"},
	{"a DCD trajectory", mdanalysis, []string{"CORD"}, 4, ".dcd"},
	{"a GROMACS structure (GRO)", mdanalysis, nil, 0, ".gro"},
	{"a PDB file", mdanalysis, []string{"CRYST1", "ATOM  ", "MODEL  "}, 0, ".pdb .ent"},
	{"a GSD file of HOOMD-blue", `import gsd.hoomd, numpy; numpy.save("run.npy", [[f.particles.position for f in gsd.hoomd.open("FILE")]])`, []string{"\xdf\x65\xdf\x65"}, 0, ".gsd"},
	{"an HDF5 file", `import h5py, numpy; numpy.save("run.npy", h5py.File("FILE")["trajectories"][:])`, []string{"\x89HDF\r\n\x1a\n"}, 0, ".h5 .hdf5 .hdf .h5md"},
	{"a NetCDF file", `import scipy.io, numpy; numpy.save("run.npy", scipy.io.netcdf_file("FILE", mmap=False).variables["coordinates"][:][None])`, []string{"CDF\x01", "CDF\x02", "CDF\x05"}, 0, ".nc .ncdf"},
	{"a MATLAB file of version 7.3", `import h5py, numpy; numpy.save("run.npy", h5py.File("FILE")["trajectories"][:].T)`, []string{"MATLAB 7.3"}, 0, ""},
	{"a MATLAB file", `import scipy.io, numpy; numpy.save("run.npy", scipy.io.loadmat("FILE")["trajectories"])`, []string{"MATLAB 5.0"}, 0, ".mat"},
	{"a file of PyTorch", `import torch, numpy; numpy.save("run.npy", torch.load("FILE").numpy())`, nil, 0, ".pt .pth"},
	{"a Python pickle", `import pickle, numpy; numpy.save("run.npy", pickle.load(open("FILE", "rb")))`, []string{"\x80\x02", "\x80\x03", "\x80\x04", "\x80\x05"}, 0, ".pkl .pickle"},
	{"a Parquet file", `import pandas; pandas.read_parquet("FILE").to_csv("run.csv", index=False)`, []string{"PAR1"}, 0, ".parquet"},
	{"an Arrow or Feather file", `import pandas; pandas.read_feather("FILE").to_csv("run.csv", index=False)`, []string{"ARROW1"}, 0, ".feather .arrow"},
	{"a spreadsheet", `import pandas; pandas.read_excel("FILE").to_csv("run.csv", index=False)`, nil, 0, ".xlsx .xls .ods"},
	{"JSON", `import json, numpy; numpy.save("run.npy", json.load(open("FILE"))["trajectories"])`, []string{"{"}, 0, ".json"},
	{"a binary LAMMPS dump", dumpAgain, []string{"DUMPATOM", "DUMPCUSTOM"}, 8, ""},
	{"a LAMMPS dump in YAML", dumpAgain, []string{"---\ntimestep:", "---\ncreator: LAMMPS"}, 0, ".yaml .yml"},
	{"a LAMMPS data file of one frame", dumpAgain, []string{"LAMMPS data file", "LAMMPS Description"}, 0, ""},
	{"a log of LAMMPS", dumpAgain, []string{"LAMMPS ("}, 0, ""},
	{"compressed by Zstandard", "unpack it with “zstd -d FILE”", []string{"\x28\xb5\x2f\xfd"}, 0, ".zst"},
	{"compressed by xz", "unpack it with “xz -d FILE”", []string{"\xfd7zXZ\x00"}, 0, ".xz"},
	{"an archive (tar)", "unpack it with “tar xf FILE”, and give the folder", nil, 0, ".tgz .tar"},
	checkpoint,
}

var checkpoint = &Foreign{"a checkpoint of a model", "give it with -model, or choose a file of trajectories", nil, 0, ".safetensors"}

// foreignOf returns the foreign format of a file, or nil. ext is the ending of its name.
func foreignOf(ext string, head []byte) *Foreign {
	for _, f := range Foreigns {
		for _, begin := range f.begins {
			if len(head) > f.skip && bytes.HasPrefix(head[f.skip:], []byte(begin)) {
				return f
			}
		}
	}
	if len(head) > 8 && head[8] == '{' && binary.LittleEndian.Uint64(head) < 1<<32 {
		return checkpoint
	}
	for _, f := range Foreigns {
		if ext != "" && strings.Contains(" "+f.ext+" ", " "+ext+" ") {
			return f
		}
	}
	return nil
}
