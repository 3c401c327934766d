#!/usr/bin/env python3
"""Writes cases.json: files of trajectories as people have them, and what NumPy finds in them.

    /usr/bin/python3 serve/cmd/testdata/cases.py > serve/cmd/testdata/cases.json

Each case has files (name: text), the system and the observable with which they are opened, and either "error", a part
of the sentence that refuses them, or "shape" (E, T, N, D), "macro" (values of the observable in the first and the last
frame of each run) and "says", parts of the line that the program prints. NumPy alone.
"""
import json
import numpy as np

g = np.random.default_rng(40)
N, T, E = 8, 5, 2
cases = []


def walk(dim, runs=E, frames=T, start=0.0, size=1.0):
    x = g.normal(size=(runs, 1, N, dim)) * size
    return start + x + np.cumsum(g.normal(size=(runs, frames, N, dim)) * 0.05 * size, 1)


def gyration(x):
    return np.sqrt(((x - x.mean(-2, keepdims=True)) ** 2).sum(-1).mean(-1))


def case(name, files, x=None, says=(), error=None, observable="gyration", system="particles", macro=None, flags=None):
    c = dict(name=name, files=files, system=system, observable=observable)
    if flags:
        c["flags"] = flags
    if error:
        c["error"] = error
    else:
        m = gyration(x)[..., None] if macro is None else macro
        c.update(shape=list(x.shape), macro=[[list(r[0]), list(r[-1])] for r in m.tolist()], says=list(says))
    cases.append(c)


def dump(x, cols="id type x y", box=((-100, 100),) * 3, kind="ff ff ff", step=lambda k: 100 * k, types=None, units=None,
         time=None, order=None, extra=None, fmt="%.9g"):
    frames, n, dim = x.shape
    types = np.ones(n, int) if types is None else types
    o = [] if units is None else ["ITEM: UNITS", units]
    for k in range(frames):
        if time is not None:
            o += ["ITEM: TIME", "%.9g" % time[k]]
        o += ["ITEM: TIMESTEP", str(step(k)), "ITEM: NUMBER OF ATOMS", str(n), "ITEM: BOX BOUNDS " + kind]
        o += [" ".join("%.9g" % v for v in b) for b in box] + ["ITEM: ATOMS " + cols]
        for i in order(k) if order else range(n):
            row = []
            for c in cols.split():
                d = "xyz".find(c[0])
                if c == "id":
                    row.append(str(i + 1))
                elif c in ("type", "element"):
                    row.append(str(types[i]))
                elif extra and c in extra:
                    row.append(str(extra[c][k][i]))
                elif len(c) > 1 and c[1] == "s" and d >= 0:
                    row.append(fmt % ((x[k, i, d] - box[d][0]) / (box[d][1] - box[d][0])) if d < dim else "0")
                elif d >= 0 and c in ("x", "y", "z", "xu", "yu", "zu"):
                    row.append(fmt % x[k, i, d] if d < dim else "0")
                else:
                    row.append("0")
            o.append(" ".join(row))
    return "\n".join(o) + "\n"


def table(x, head="frame,id,x,y", sep=",", row=None, f=lambda v: "%.9g" % v):
    row = row or (lambda k, i: [str(k), str(i)] + [f(v) for v in x[k, i]])
    return head + "\n" + "".join(sep.join(row(k, i)) + "\n" for k in range(len(x)) for i in range(x.shape[1]))


def runs(x, write, ending):
    return {"run%d%s" % (e, ending): write(x[e]) for e in range(len(x))}


plane, space = walk(2), walk(3)
pair = lambda p: ["%.9g" % v for v in p[:2]]

# coordinates
case("a dump in the plane", runs(plane, dump, ".lammpstrj"), plane, ["2 runs of 5 frames, 100 steps apart, 8 particles, x y"])
case("a dump in space", runs(space, lambda x: dump(x, "id type x y z"), ".lammpstrj"), space, ["x y z"])
case("a z that never changes", runs(plane, lambda x: dump(x, "id type x y z"), ".lammpstrj"), plane,
     ["x y", "z is 0 throughout and counts as no coordinate"])
case("a table in space", runs(space, lambda x: table(x, "frame,id,x,y,z"), ".csv"), space, ["x y z"])
case("y before x", runs(plane, lambda x: table(x, "y,x,frame,particle", row=lambda k, i: pair(x[k, i])[::-1] + [str(k), str(i)]), ".csv"), plane, ["x y"])
case("positions by other names, and a mass", runs(plane, lambda x: table(x, "frame,id,pos_x,pos_y,mass", row=lambda k, i: [str(k), str(i)] + pair(x[k, i]) + [str(1 + 30 * (i % 2))]), ".csv"),
     plane, ["x y; not used: mass"])
case("units in the header, and velocities", runs(plane, lambda x: table(x, "Frame\tTrackID\tPosition X [µm]\tPosition Y [µm]\tvx (µm/s)", "\t", lambda k, i: [str(k), str(i)] + pair(x[k, i]) + ["7"]), ".txt"),
     plane, ["not used: vx (µm/s)"])
case("columns that a flag names", runs(plane, lambda x: table(x, "frame,id,px,py"), ".csv"), plane, ["px py"], flags={"columns": "px, py"})
case("no column is a coordinate", runs(plane, lambda x: table(x, "frame,pid,px,py"), ".csv"), error="no column is a coordinate")
case("a column for each particle", {"run.csv": "frame,x0,y0,x1,y1,x2,y2\n0,1,2,3,4,5,6\n1,1,2,3,4,5,6\n"}, error="a row for each particle of each frame")
case("no header", {"run.csv": table(plane[0], "").lstrip("\n")}, error="no header")
case("runs in one table", {"run.csv": "run,frame,id,x,y\n" + "".join(
    "%d,%s\n" % (7 + e, line) for e in range(E) for line in table(plane[e], "").strip().split("\n"))}, plane, ["2 runs of 5 frames"])

# boxes that repeat
L = 3.0
far = plane + np.linspace(0, 5, T)[None, :, None, None] * [1, 0]
image = np.floor(far / L + 0.5).astype(int)
inside = far - image * L
box = ((-L / 2, L / 2),) * 2 + ((-0.5, 0.5),)
images = lambda e: dict(ix=image[e, ..., 0], iy=image[e, ..., 1])
case("image flags", {"run%d.dump" % e: dump(inside[e], "id type x y ix iy", box, "pp pp pp", extra=images(e)) for e in range(E)}, far, ["the box repeats in x and y"])
case("image flags of shares", {"run%d.dump" % e: dump(inside[e], "id type xs ys ix iy", box, "pp pp pp", extra=images(e), fmt="%.17g") for e in range(E)}, far)
both = {"run%d.dump" % e: dump(inside[e], "id type x y xu yu", box, "pp pp pp", extra=dict(x=inside[e, ..., 0], y=inside[e, ..., 1], xu=far[e, ..., 0], yu=far[e, ..., 1])) for e in range(E)}
case("unwrapped beside wrapped", both, far, ["not used: x, y"])
case("wrapped alone", {"run%d.dump" % e: dump(inside[e], "id type x y", box, "pp pp pp") for e in range(E)}, inside, ["positions are wrapped"])
grid = np.stack(np.meshgrid(np.arange(6) + 0.5, np.arange(6) + 0.5, indexing="ij"), -1).reshape(-1, 2)
slabs = np.stack([np.stack([grid + g.normal(size=grid.shape) * 0.05 for _ in range(3)]) for _ in range(2)])
kinds = np.where(grid[:, 0] < 3, 1, 2)


def ratios(x):
    d = ((x[:, None] - x[None]) ** 2).sum(-1) ** 0.5
    np.fill_diagonal(d, 9e9)
    near = d < 2.5
    count = lambda a, b: near[np.ix_(kinds == a, kinds == b)].sum()
    ab = count(1, 2)
    return [ab / (ab + count(1, 1)), ab / (ab + count(2, 2))]


mixing = dict(system="mixing", observable="")
walls = ((0, 6), (0, 6), (-0.5, 0.5))
mixed = np.array([[ratios(f.astype("f4")) for f in r] for r in slabs])
wall = lambda **k: {"run%d.dump" % e: dump(slabs[e], types=kinds, box=walls, **k) for e in range(2)}
case("two species between walls", wall(kind="ff ff pp", units="lj"), slabs, ["of 2 species"], macro=mixed, **mixing)
case("two species in a box that repeats", wall(kind="pp pp pp", units="lj"), error="the box repeats in x and y, and the system has walls", **mixing)
for unit in ("real", "metal", "si", "cgs", "electron", "micro", "nano"):
    case("units " + unit, wall(kind="ff ff pp", units=unit), error='the units are "%s", and lj is needed' % unit, **mixing)
names = np.where(kinds == 1, "A", "B")
case("species with names", {"run%d.dump" % e: dump(slabs[e], "id element x y", types=names, box=walls, kind="ff ff pp") for e in range(2)}, slabs, ["2 species (A, B)"], macro=mixed, **mixing)
case("species where the system has one", runs(plane, lambda x: dump(x, types=np.arange(N) % 3 + 1), ".dump"), plane, ["of 3 species", "not used: species"])

# times
case("times decide", runs(plane, lambda x: dump(x, time=[0.02 * k for k in range(T)], step=lambda k: [0, 97, 203, 301, 399][k]), ".dump"), plane, ["0.02 apart"])
case("unequal times at equal steps", runs(plane, lambda x: dump(x, time=[0.01 * k * k for k in range(T)]), ".dump"), error="keep frames at equal distances")
case("unequal steps without times", runs(plane, lambda x: dump(x, step=lambda k: 2**k), ".dump"), error="keep frames at equal distances")
case("unequal times in a table", runs(plane, lambda x: table(x, "time,id,x,y", row=lambda k, i: ["%g" % (0.01 * k * k), str(i), "1", "2"]), ".csv"), error="keep frames at equal distances")
case("frame and time", runs(plane, lambda x: table(x, "frame,time,id,x,y", row=lambda k, i: [str(k), "%g" % (0.5 * k), str(i)] + pair(x[k, i])), ".csv"), plane, ["0.5 apart"])
case("runs with two intervals", {"a.dump": dump(plane[0]), "b.dump": dump(plane[1], step=lambda k: 400 * k)}, error="every 400 steps, and ")
case("runs with two intervals, in tables", {"a.csv": table(plane[0]), "b.csv": table(plane[1], row=lambda k, i: [str(4 * k), str(i)] + pair(plane[1][k, i]))}, error="every 4 frames, and ")
case("a frame is missing", {"run.csv": "".join(l + "\n" for l in table(plane[0]).splitlines() if not l.startswith("3,"))}, error="frame 4 comes 2 after frame 2")
case("runs of two lengths", {"a.dump": dump(plane[0]), "b.dump": dump(plane[1][:4])}, error="choose runs of one length")

# files that are cut, joined or repeated
whole = dump(plane[0])
case("cut within the last number", {"run.dump": whole[:-3]}, error="may be cut short")
case("a table cut within the last number", {"run.csv": table(plane[0])[:-3]}, error="may be cut short")
case("killed in the last frame", {"run.dump": "".join(whole.splitlines(True)[:-3])}, plane[:1, :4], ["the frame of step 400 is incomplete and left out"])
case("killed within a line", {"run.dump": whole[:-60]}, plane[:1, :4], ["is incomplete and left out"])
case("killed in a header", {"run.dump": whole + "ITEM: TIMESTEP\n500\nITEM: NUMBER OF ATOMS\n"}, plane[:1], ["is incomplete and left out"])
case("a restart appended", {"run.dump": dump(plane[0][:3]) + dump(plane[0][2:], step=lambda k: 200 + 100 * k)}, plane[:1], ["1 frame comes again"])
case("a restart with another future", {"run.dump": dump(plane[0][:3]) + dump(plane[1][1:], step=lambda k: 100 + 100 * k)}, error="step 100 comes again with other positions")
case("steps that begin anew", {"run.dump": dump(plane[0][:3]) + dump(plane[0][3:])}, error="step 0 comes again")
case("one run in chunks", {"c%d.dump" % c: dump(plane[0][2 * c:2 * c + 3], step=lambda k: 200 * c + 100 * k) for c in range(2)}, plane[:1], ["2 files continue one another and are read as 1 run"])
case("a file for each frame", {"dump.%d.txt" % (100 * k): dump(plane[0][k:k + 1], step=lambda _: 100 * k) for k in range(T)}, plane[:1], ["5 files continue one another"])
case("a file for each frame of two runs", {"r%d.%d.txt" % (e, 600 * k): dump(plane[e][k:k + 1], step=lambda _: 600 * k) for e in range(E) for k in range(T)}, plane, ["10 files continue one another and are read as 2 runs"])
case("another run under steps that go on", {"a.dump": dump(plane[0]), "b.dump": dump(plane[1], step=lambda k: 500 + 100 * k)}, error="but the particles jump")
lone = table(plane[0]).splitlines(True)
case("a particle is missing in one frame", {"run.csv": "".join(l for l in lone if not l.startswith("3,5,"))}, error="particle 5 of the first frame is missing in frame 3")
lines = whole.splitlines(True)
at = [k for k, l in enumerate(lines) if l.startswith("5 1 ")][2]
less = lines[:at] + lines[at + 1:]
less[[k for k, l in enumerate(less) if l == "8\n"][2]] = "7\n"
case("an atom is missing in one frame", {"run.dump": "".join(less)}, error="particle 5 of the first frame is missing in step 200")

# numbers
off = walk(2, start=np.array([1e6, -3e7]))
case("far from the origin", runs(off, lambda x: dump(x, fmt="%.17g"), ".dump"), off, ["is subtracted from x"])
case("far from the origin, in tables", runs(off, lambda x: table(x, f=lambda v: "%.17g" % v), ".csv"), off, ["is subtracted from x"])
spread = walk(2)
spread[1] += 1e8
case("two runs far from one another", runs(spread, lambda x: dump(x, fmt="%.17g"), ".dump"), error="digits of a run’s extent")
flown = plane.copy()
flown[1, 2, 4, 0] = 6000.0
case("a particle that has flown off", runs(flown, dump, ".dump"), error="run1.dump: x of particle 4 in frame 2 is 6000")
case("its run is left out", runs(flown, dump, ".dump"), flown[:1], ["left out: run1.dump: x of particle 4 in frame 2"], flags={"outliers": "leave-out"})
case("its run is kept", runs(flown, dump, ".dump"), flown, ["x of particle 4 in frame 2 is 6000"], flags={"outliers": "keep"})
comma = lambda v: ("%.9g" % v).replace(".", ",")
case("decimal commas", runs(plane, lambda x: table(x, "frame;id;x;y", ";", f=comma), ".csv"), error="write decimals with a point")
case("Excel's first line", runs(plane, lambda x: "sep=;\r\n" + table(x, "frame;id;x;y", ";"), ".csv"), plane)
tracker = "LABEL,ID,TRACK_ID,QUALITY,POSITION_X,POSITION_Y,POSITION_Z,POSITION_T,FRAME\nLabel,Spot ID,Track ID,Quality,X,Y,Z,T,Frame\n,,,(quality),(micron),(micron),(micron),(sec),"
case("a tracker's table with several header lines", runs(plane, lambda x: table(x, tracker, row=lambda k, i: ["ID%d" % i, str(N * k + i), str(i), "5"] + pair(x[k, i]) + ["0", "%g" % (0.1 * k), str(k)]), ".csv"),
     plane, ["0.1 apart", "not used: LABEL, ID, QUALITY"])
case("atoms in any order", runs(plane, lambda x: dump(x, order=lambda k: np.roll(np.arange(N), k)), ".dump"), plane)

# XYZ
xyz = lambda x, comment: "".join("%d\n%s\n" % (N, comment(k)) + "".join("Ar %.9g %.9g %.9g\n" % tuple(p) for p in x[k]) for k in range(len(x)))
case("XYZ", runs(space, lambda x: xyz(x, lambda k: "a comment"), ".xyz"), space, ["x y z"])
case("XYZ of LAMMPS", runs(space, lambda x: xyz(x, lambda k: "Atoms. Timestep: %d" % (50 * k)), ".xyz"), space, ["50 steps apart"])
case("extended XYZ", runs(space, lambda x: xyz(x, lambda k: 'Lattice="90 0 0 0 90 0 0 0 90" Properties=species:S:1:pos:R:3 Time=%g pbc="T F F"' % (0.25 * k)), ".extxyz"), space, ["0.25 apart", "the box repeats in x"])

properties = "Properties=id:I:1:species:S:1:pos:R:3:velo:R:3"
kinded = np.where(np.arange(N) % 2, "A", "B")
def unsorted(x):
    body = lambda k: "".join("%d %s %.9g %.9g %.9g 0 0 0\n" % (i + 1, kinded[i], *x[k, i]) for i in np.roll(np.arange(N), k))
    return "".join("%d\n%s Time=%g\n%s" % (N, properties, 0.5 * k, body(k)) for k in range(len(x)))
case("extended XYZ with ids in any order", runs(space, unsorted, ".xyz"), space, ["of 2 species (A, B)", "not used: velo"])
cell = lambda pbc: lambda k: 'Lattice="4 0 0 0 4 0 0 0 4" Properties=species:S:1:pos:R:3 pbc=' + pbc
for pbc in ('"1 1 0"', "[T, T, F]", '"True True False"'):
    case("pbc=" + pbc, runs(space, lambda x: xyz(x, cell(pbc)), ".xyz"), space, ["the box repeats in x and y; positions are wrapped"])
case("pbc that is none", runs(space, lambda x: xyz(x, cell('"yes no no"')), ".xyz"), error="write T or F for each side")
case("a lattice of three sides", runs(space, lambda x: xyz(x, lambda k: 'Lattice="4 4 4" pbc="F F T"'), ".xyz"), space, ["the box repeats in z"])
case("a lattice of eight numbers", runs(space, lambda x: xyz(x, lambda k: 'Lattice="4 0 0 0 4 0 0 0"'), ".xyz"), error="nine numbers are needed")
case("a time with a unit", runs(space, lambda x: xyz(x, lambda k: 'Properties=species:S:1:pos:R:3 Time="%g fs"' % k), ".xyz"), space, ["1 apart"])
case("frames with numbers of which some are missing", {"run.xyz": xyz(space[0], lambda k: "frame: %d" % k**2)}, error="frame 4 comes 3 after frame 1")
shifted = lambda o: {"run%d.xyz" % e: "".join('36\nLattice="6 0 0 0 6 0 0 0 1" Origin="%g %g 0" Properties=species:S:1:pos:R:2 pbc="F F F"\n' % (o, o) +
                     "".join("%d %.9g %.9g\n" % (t, *(p + o)) for t, p in zip(kinds, f)) for f in slabs[e]) for e in range(2)}
case("walls away from the origin, in extended XYZ", shifted(5), slabs, macro=mixed, **mixing)

# dumps
tilted = lambda by: runs(plane, lambda x: dump(x, "id type xu yu", box=((-100, 100, by), (-100, 100, 0), (-1, 1, 0)), kind="xy xz yz pp pp pp"), ".dump")
case("a box whose tilts are 0", tilted(0), plane, ["the box repeats in x and y"])
case("a box that is tilted", tilted(5), error="the box is tilted")
case("coordinates x and z", runs(plane, lambda x: dump(x, "id type x z", extra=dict(z=x[..., 1])), ".dump"), error="where x has no y of its kind")
case("coordinates x and z that a flag names", runs(plane, lambda x: dump(x, "id type x z", extra=dict(z=x[..., 1])), ".dump"), plane, ["x z"], flags={"columns": "x,z"})
case("a copy of a run", {"a.dump": dump(plane[0]), "b.dump": dump(plane[1]), "c.dump": dump(plane[0])}, plane, ["c.dump is a copy of a.dump and is left out"])

# tables of trackers
cells = lambda head, row: runs(plane, lambda x: table(x, head, row=lambda k, i: row(k, i, pair(x[k, i]))), ".csv")
case("MOSAIC's tracker", cells(" ,Trajectory,Frame,x,y,z,m0", lambda k, i, p: [str(k + T * i), str(i + 1), str(k)] + p + ["0", "3"]), plane, ["not used: m0"])
case("results of ImageJ", cells(" ,Area,X,Y,Slice", lambda k, i, p: [str(i + N * k), "12"] + p + [str(k + 1)]), plane, ["not used: Area"])
case("manual tracking in ImageJ", cells(" ,Track n°,Slice n°,X,Y", lambda k, i, p: [str(i + N * k), str(i + 1), str(k + 1)] + p), plane)
case("MTrackJ", cells("Nr,TID,PID,x [pixel],y [pixel],t [sec]", lambda k, i, p: ["1", str(i + 1), str(k + 1)] + p + ["%g" % (0.5 * k)]), plane, ["0.5 apart", "not used: Nr, PID"])
case("a sign # in names and colours", cells("Frame #,id,color,x,y", lambda k, i, p: [str(k), str(i), "#ff000%d" % i] + p), plane, ["not used: color"])
case("a last column that is empty", cells("FRAME,TRACK_ID,X,Y,MANUAL_COLOR", lambda k, i, p: [str(k), str(i)] + p + [""]), plane, ["not used: MANUAL_COLOR"])
case("a number missing at the end of a line", {"run.csv": "frame,id,x,y\n0,1,1,2\n1,1,1,\n"}, error="line 3, column 4: a number is missing")
case("names in a comment", {"run%d.txt" % e: "# frame id pos_x pos_y\n" + table(plane[e], "", " ").lstrip("\n") for e in range(E)}, plane)
case("tables that are joined", {"run.csv": table(plane[0]) + table(plane[1])}, error="line 42 is the header again")
case("blocks for frames", {"run.txt": "# x y\n1 2\n3 4\n\n1 2\n3 5\n"}, error="no column tells the frames apart")
case("DeepLabCut", {"run.csv": "scorer,net,net,net\nbodyparts,a,a,a\ncoords,x,y,likelihood\n0,1,2,1\n1,1,2,1\n"}, error="a row for each particle of each frame")
for size in ("e39", "e-300"):
    case("numbers of the size 1" + size, runs(plane, lambda x: table(x, f=lambda v: "%.9f" % v + size), ".csv"), error="beyond the numbers of single precision")

case("distances that grow slowly", runs(walk(2, frames=40), lambda x: dump(x, time=np.cumsum(np.linspace(1, 1.39, 40))), ".dump"), error="the distances of the frames change")

print(json.dumps(cases, ensure_ascii=False, indent=0))
