"""Macroscope's models in NumPy, and files for the program. This file needs no other package.

Points and variables have the units of the trajectories. Functions accept any leading axes (...).
Numbers have 64 bits here and 32 bits in the program, so the last digits differ. Checksums are not
verified. A NotImplementedError names a feature that only the program has.
"""
from __future__ import annotations

import json
import math
import re
import zipfile
from pathlib import Path
from typing import Any, Callable, Iterator

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]
# Default parameters of the physics, and values of settings that only the program supports.
USUAL = {"a": 4.0, "b": 0.1, "temperature": 1.0, "e11": 0.5, "e12": 0.7, "e22": 0.6, "eta": 0.2}
MISSING = {"law.form": ["onsager", "onsager-resnet"], "law.noise.form": ["constant"],
           "law.joint": [False], "flow.order": ["random"], "flow.blocks": range(1, 17),
           "encoder.nested": [True], "tunable.own": [False], "picture.marked": [True]}
AXIS = re.compile(r"(.*?)(?: (velocity|mark))?(?: period (\S+))?(?: centre (\S+))?")
FUNCTIONS: dict[str, Callable[[Array], Array]] = {
    "identity": lambda x: x, "relu": lambda x: np.maximum(x, 0), "tanh": np.tanh,
    "silu": lambda x: x * (0.5 + 0.5 * np.tanh(0.5 * x)),
    "gelu": lambda x: x * (0.5 + 0.5 * np.vectorize(math.erf)(x / np.sqrt(2))),
    "softmax": lambda x: np.exp(x - np.logaddexp.reduce(x, -1, keepdims=True))}


def _read(path: str | Path) -> tuple[dict[str, Array], dict[str, str]]:
    """Return the tensors and metadata of a checkpoint, which may be in a .macroscope file."""
    raw = Path(path).read_bytes()
    if raw[:2] == b"PK":
        with zipfile.ZipFile(path) as z:
            names = [n for n in ("model.safetensors", "training.safetensors") if n in z.namelist()]
            raw = z.read(names[0]) if names else b""
    size = int.from_bytes(raw[:8], "little")
    if raw[8:9] != b"{" or len(raw) < 8 + size:
        raise ValueError(f"{path} is no safetensors file, or it is cut short")
    header, data = json.loads(raw[8:8 + size]), raw[8 + size:]
    meta = header.pop("__metadata__", {})
    if "macroscope.experiment" not in meta:
        raise ValueError(f"{path} is no checkpoint of Macroscope's: it names no experiment")
    kinds = {"F16": "<f2", "F32": "<f4", "F64": "<f8", "I64": "<i8"}
    return {name: np.frombuffer(data[slice(*e["data_offsets"])], kinds[e["dtype"]])
            .reshape(e["shape"]).astype(float) for name, e in header.items()}, meta


def _setting(text: str) -> Any:
    try:
        values = [json.loads(v) for v in text.split()]
        return values[0] if len(values) == 1 else values
    except ValueError:
        return text


def read_npz(path: str | Path) -> dict[str, np.ndarray]:
    """Read a file of simulate or encode. numpy.savez(path, **arrays) writes such a file.

    simulate writes trajectories (runs, frames, particles, coordinates), types (runs, particles),
    macro (runs, frames, variables) and parameters (runs). encode writes z (runs, frames, V), scaled
    from [low, high] to [-1, 1]; read_npz multiplies it by steps (V). held counts validation runs.
    """
    with np.load(path) as f:
        arrays = dict(f)
    if "steps" in arrays:
        arrays["z"], arrays["steps"] = arrays["z"] * arrays["steps"], np.ones(len(arrays["steps"]))
    return arrays


def write(path: str | Path, trajectories: ArrayLike, types: ArrayLike | None = None,
          box: ArrayLike | None = None, dt: float | None = None, system: str | None = None,
          **observables: ArrayLike) -> None:
    """Write trajectories (runs, frames, n, coordinates) to an NPZ file, for train -data.

    types (runs, n) or (n) are the species, as whole numbers. box (coordinates) are the periods of
    coordinates that repeat, and 0 for others. dt is the time between two frames. system describes
    the system by lines NAME = VALUE, see describe -h. observables are arrays (runs, frames), or
    (runs, frames, m) for m of them. Names with spaces can be given as **{"a name": array}.
    """
    def numbers(name: str, values: ArrayLike) -> np.ndarray:
        a = np.asarray(values)
        a = a if a.dtype.kind == "f" else a.astype(float)
        for at in np.argwhere(~np.isfinite(a))[:1]:
            raise ValueError(f"{name}{at.tolist()} is {a[tuple(at)]}; leave its run out, or correct it")
        return a

    def need(holds: Any, text: str) -> None:
        if not holds:
            raise ValueError(text)
    need(Path(path).suffix == ".npz", f"the name {path} should end in .npz")
    x = numbers("trajectories", trajectories)
    need(x.ndim == 4 and x.size and x.shape[1] > 1 and x.shape[3] <= 16, f"trajectories are {x.shape}, "
         "and should be (runs, frames, n, coordinates), with 2 frames at least and 16 coordinates at most")
    (runs, frames, n, d), arrays = x.shape, {"trajectories": x}
    if types is not None:
        t = numbers("types", types)
        need(t.shape in ((n,), (runs, n)), f"types are {t.shape}, and should be (n) or (runs, n)")
        kinds = np.unique(t)
        need((kinds == np.round(kinds)).all() and len(kinds) <= 8,
             "types should be whole numbers, and at most 8 different ones")
        t = np.broadcast_to(t.astype(int), (runs, n))
        need(all(len(np.unique(run)) == len(kinds) for run in t), "every run should have all species")
        arrays["types"] = t
    if box is not None:
        arrays["box"] = b = numbers("box", box)
        need(b.shape == (d,) and (b >= 0).all(), f"box should be {d} numbers, periods or 0")
    if dt is not None:
        arrays["dt"] = numbers("dt", dt)
        need(np.ndim(dt) == 0 and dt > 0, "dt should be one number above 0")
    if system is not None:
        for line in system.splitlines():
            need("=" in line or not line.split("#")[0].strip(), f"{line!r} of system is not NAME = VALUE")
        arrays["system"] = np.frombuffer(system.encode(), np.uint8)
    for name, values in observables.items():
        need(0 < len(name) <= 60 and not re.search(r"[,=\[\]/\n]", name) and name not in ("time", "file"),
             f"an observable cannot have the name {name!r}; rename it")
        arrays[name] = a = numbers(name, values)
        need(a.shape[:2] == (runs, frames) and a.ndim <= 3,
             f"{name} is {a.shape}, and should begin with {(runs, frames)}, a number for each frame")
    np.savez(path, **arrays)


def pixels(picture: ArrayLike) -> Array:
    """Return a film's picture as a set (n, 3): column, row and brightness of its pixels."""
    row, column = np.nonzero(picture)
    points = np.stack([column + 0.5, row + 0.5, np.asarray(picture)[row, column]], -1)
    return points[::max(1, -(-len(points) // 10_000))]


def _rk4(f: Callable[[Array, float], Array], y: Array, t: float, h: float) -> Array:
    a = f(y, t)
    b = f(y + h / 2 * a, t + h / 2)
    c = f(y + h / 2 * b, t + h / 2)
    return y + h / 6 * (a + 2 * b + 2 * c + f(y + h * c, t + h))


def _wrap(v: Array) -> Array:
    """Return the places in [-1, 1] of coordinates on circles. Scaled circles have the length 2."""
    return v - 2 * np.round(v / 2)


def _seen(x: Array, circles: Array) -> Array:
    """Return what networks see of coordinates: of one on a circle, the cosine and the sine."""
    if not np.any(circles):
        return x
    parts = [[np.cos(np.pi * v), np.sin(np.pi * v)] if on else [v]
             for v, on in zip(np.moveaxis(x, -1, 0), circles)]
    return np.stack(sum(parts, []), -1)


def _stream(seed: int, name: str) -> Iterator[int]:
    """Yield the numbers of 64 bits of a random stream of the program, a PCG-DXSM (O'Neill, 2014)."""
    ones = 2**64 - 1

    def mix(x: int) -> int:  # SplitMix64 (Steele, Lea and Flood, 2014)
        x = x + 0x9E3779B97F4A7C15 & ones
        x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 & ones
        x = (x ^ x >> 27) * 0x94D049BB133111EB & ones
        return x ^ x >> 31
    named = 14695981039346656037  # FNV-1a
    for byte in name.encode():
        named = (named ^ byte) * 1099511628211 & ones
    state = mix(seed) << 64 | mix(named ^ seed)
    while True:
        state = state * 0x2360ED051FC65DA44385DF649FCCF645 + 0x5851F42D4C957F2D14057B7EF767814F
        state &= 2**128 - 1
        high, low = state >> 64, state & ones
        high = (high ^ high >> 32) * 0xDA942042E4DD58B5 & ones
        yield (high ^ high >> 48) * (low | 1) & ones


def _uniform(stream: Iterator[int]) -> float:
    return next(stream) % 2**53 / 2**53


def _normal(stream: Iterator[int]) -> float:
    """Draw a normal number by the ziggurat of Marsaglia and Tsang (2000), in the order of Go's."""
    edge, area = [last := 3.442619855899], 9.91256303526217e-3
    while len(edge) < 127:
        edge.insert(0, math.sqrt(-2 * math.log(area / edge[0] + math.exp(-edge[0]**2 / 2))))
    base = area / math.exp(-last**2 / 2)
    width = np.float32(np.array([base, *edge]) / 2**31)
    inner = [last / base, 0, *(a / b for a, b in zip(edge, edge[1:]))]
    height = np.float32([1, *(math.exp(-v * v / 2) for v in edge)])
    while True:
        u = next(stream)
        j, i = (u + 2**31) % 2**32 - 2**31, u >> 32 & 127
        x = j * float(width[i])
        if abs(j) < int(inner[i] * 2**31):
            return x
        while i == 0:  # the tail
            a, b = (-math.log(_uniform(stream)) for _ in range(2))
            if 2 * b >= (a / last)**2:
                return math.copysign(last + a / last, j)
        if height[i] + np.float32(_uniform(stream)) * (height[i - 1] - height[i]) < math.exp(-x * x / 2):
            return x


def _box_turn(stream: Iterator[int], periods: Array) -> Array:
    """Draw a turn of a box: an order of its equal sides, and mirrorings."""
    order, turn = list(range(len(periods))), np.zeros((len(periods),) * 2)
    for i in range(len(periods) - 1, 0, -1):
        j = next(stream) * 3 >> 64 if i == 2 else next(stream) % 2
        if periods[i] == periods[j]:
            order[i], order[j] = order[j], order[i]
    for i, k in enumerate(order):
        turn[i, k] = next(stream) % 2 * 2 - 1
    return turn


def _space_turn(stream: Iterator[int]) -> Array:
    """Draw a turn of space from a uniform unit quaternion, mirrored with probability 1/2."""
    q = np.array([_normal(stream) for _ in range(4)])
    w, x, y, z = q / np.linalg.norm(q)
    turn = np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                     [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                     [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])
    return (next(stream) % 2 * 2 - 1) * turn


def _spline(v: Array, raw: Array, bound: float, inverse: bool) -> tuple[Array, Array]:
    """Return v mapped by rational-quadratic splines (Durkan et al., 2019), and ln dy/dx.

    On a circle, raw has one derivative more, that of the knot at both ends.
    """
    k, floor = (raw.shape[-1] + 1) // 3, 1e-3  # smallest bin width and derivative
    width, height = (2 * bound * (floor + (1 - floor * k) * FUNCTIONS["softmax"](a))
                     for a in (raw[..., :k], raw[..., k:2 * k]))
    end = np.ones(raw.shape[:-1] + (1,))
    x, y = (np.concatenate([0 * end, np.cumsum(a, -1)], -1) - bound for a in (width, height))
    slope = floor + np.logaddexp(0, raw[..., 2 * k:])
    end = slope[..., k - 1:] if slope.shape[-1] == k else end
    slope = np.concatenate([end, slope[..., :k - 1], end], -1)
    inside, at = np.abs(v) <= bound, np.clip(v, -bound, bound)
    j = ((y if inverse else x)[..., 1:-1] <= at[..., None]).sum(-1)[..., None]
    x, y, w, h, d0, d1 = (
        np.take_along_axis(np.broadcast_to(a, j.shape[:-1] + a.shape[-1:]), j, -1)[..., 0]
        for a in (x, y, width, height, slope, slope[..., 1:]))
    s, theta = h / w, np.clip((at - x) / w, 0, 1)
    if inverse:
        eta = np.clip((at - y) / h, 0, 1)
        p = d0 * (1 - eta) - d1 * eta
        root = np.sqrt(p * p + 4 * s * s * eta * (1 - eta))
        theta = 2 * s * eta / (2 * s * eta + p + root)
    t = theta * (1 - theta)
    below = s * (1 - 2 * t) + (d0 + d1) * t
    rise = 2 * np.log(s / below) + np.log(d1 * theta**2 + 2 * s * t + d0 * (1 - theta)**2)
    to = x + w * theta if inverse else y + h * (s * theta**2 + d0 * t) / below
    return np.where(inside, to, v), np.where(inside, rise, 0)


class Model:
    """A checkpoint: an encoder, a decoder and, except for the system line, dynamics.

    For a tunable model, eps selects the kernel width and zdim the length of z. A system of your own
    is described by title, axes and observables (lists of names), species (their numbers in types),
    units (of axes, observables and time), periods (coordinates; 0 if one does not repeat) and dt.
    """

    def __init__(self, path: str | Path, eps: float | None = None, zdim: int | None = None):
        tensors, meta = _read(path)
        name = meta["macroscope.experiment"].split("/")[0]
        self.system = {"demo": "line", "ae-aug": "particles"}.get(name, name)
        self.config = c = {k[7:]: _setting(v) for k, v in meta.items() if k[:7] == "config."}
        if missing := [f"{k}={c[k]}" for k, values in MISSING.items() if c.get(k) in values]:
            raise NotImplementedError(f"only the program has models with {', '.join(missing)}")
        self._w = {k.removeprefix("decoder.").removeprefix("law.").removeprefix("param.")
                   .replace(".up.", ".0.").replace(".down.", ".1."): v for k, v in tensors.items()}
        self.dim = c.get("encoder.dim", c.get("dim", 2))
        self._describe({k[7:]: v for k, v in meta.items() if k[:7] == "system."})
        self.zdim = width = c.get("encoder.zdim", c.get("zdim"))
        self.eps, self._law, self._code, first = c.get("eps"), "law", None, 0
        self._mean, self._std = self._w.get("scale.mean", 0.0), self._w.get("scale.std", 1.0)
        self._low, self._high = (self._w.get(f"scale.{k}", np.zeros(0)) for k in ("low", "high"))
        self._fading = np.ravel(c.get("law.memory", []))
        self._given = [v.split(":")[0] for v in c.get("dynamics.params", "").split(",") if v]
        if "tunable.low" in c:
            first, width = self._tune(self.eps if eps is None else eps, self.zdim if zdim is None else zdim)
        elif eps is not None or zdim is not None:
            raise ValueError("the model has one kernel width and one length of z; choose neither")
        moving = len(self._low) - c.get("law.share", 0) - len(self._given)
        self.variables = m = max(0, moving - self.sets * width) // (1 + len(self._fading))
        of = [m + s * width + first + k for s in range(self.sets) for k in range(self.zdim)]
        of = [*range(m), *of, *range(m + self.sets * width, len(self._low))] if m else []
        self._low, self._high = self._low[of], self._high[of]
        self._moves = np.arange(len(of)) < m + self.sets * self.zdim  # the others are frozen

    def _describe(self, lines: dict[str, str]) -> None:
        """Read the lines that describe a system of the user's own. Other systems have none."""
        if self.system == "flock":  # birds in a square that repeats
            lines = {"axes": "x period 10, y period 10, vx velocity, vy velocity", "turns": "true"}
        def named(texts: list[str]) -> list[str]:
            pairs = [text.split(" = ")[0].removesuffix("]").split(" [") for text in texts]
            self.units.update({name: unit for name, *units in pairs for unit in units})
            return [name for name, *_ in pairs]
        lists = {k: v.split(", ") for k, v in lines.items()}
        axes = [AXIS.fullmatch(text).groups() for text in lists.get("axes", [])]
        self.title, self.dt = lines.get("title", ""), float(lines.get("dt", 0)) or None
        self.units = {"time": lines["time"]} if "time" in lines else {}
        self.axes, self.observables = named([a[0] for a in axes]), named(lists.get("observables", []))
        species = lists.get("species", ["1", "2"] if self.system == "mixing" else ["1"])
        self.species = {s[0]: int(s[-1]) for s in (text.split(" = ") for text in species)}
        self.sets, zeros = len(self.species), [0.0] * self.dim
        self.periods = np.array([float(a[2] or 0) for a in axes] or zeros)
        self._centre = np.array([float(a[3] or 0) for a in axes] or zeros)
        self._circles = self.periods > 0
        places = [k for k, a in enumerate(axes) if a[1] is None]
        self._places, size = places or [*range(self.dim)], len(places)
        self._speeds = [k for k, a in enumerate(axes) if a[1] == "velocity"]
        self._vectors = [] if axes or self.dim != 2 else [[0, 1]]  # positions, then velocities
        if lines.get("turns") == "true":
            ends = range(size, len(self._speeds) + 1, size)
            self._vectors = [places] + [self._speeds[end - size:end] for end in ends]

    def _tune(self, eps: float, zdim: int) -> tuple[int, int]:
        """Select eps and zdim of a tunable model. Return its first output and the number of all."""
        c, end, lengths = self.config, 0, np.ravel(self.config["encoder.lengths"]).tolist()
        low, high = c["tunable.low"], c["tunable.high"]
        if not low <= eps <= high or zdim not in lengths:
            raise ValueError(f"the model is for eps from {low} to {high} and zdim {lengths}")
        self.eps, self.zdim, self._law = eps, zdim, f"law.{zdim}"
        place = 2 * np.log(eps / low) / np.log(high / low) - 1
        cheb = np.cos(np.arange(20) * np.arccos(np.clip(place, -1, 1)))
        for n in lengths[:lengths.index(zdim) + 1]:
            orders, first = c["encoder.orders"] if n <= c["encoder.bent"] else 0, end
            end += (orders + 1) * n
        width = len(self._w[f"encoder.rho.{np.size(c['encoder.head'])}.bias"])
        code = np.kron(cheb[:orders + 1, None], np.eye(zdim))  # maps the outputs to z
        self._code = np.pad(code, [(first, width - end), (0, 0)])
        columns = np.eye(zdim, sum(lengths), sum(lengths[:lengths.index(zdim)]))
        columns = np.kron(cheb[:c["tunable.gate"] + 1], columns)  # the flow gets z @ columns + fixed
        fixed = np.append(cheb[1:c["tunable.features"] + 1], np.arange(lengths[-1]) < zdim)
        self._columns = np.pad(columns, [(0, 0), (0, len(fixed))])
        self._fixed = np.append(np.zeros(columns.shape[1]), fixed)
        return first, width

    def _affine(self, name: str, x: Array) -> Array:
        return x @ self._w[name + ".weight"].T + self._w[name + ".bias"]

    def _mlp(self, name: str, x: Array, act: str) -> Array:
        x, i = self._affine(f"{name}.0", x), 1
        while f"{name}.{i}.weight" in self._w:
            x, i = self._affine(f"{name}.{i}", FUNCTIONS[act](x)), i + 1
        return x

    def _norm(self, name: str, x: Array) -> Array:
        unit = (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-5)
        return unit * self._w[name + ".weight"] + self._w[name + ".bias"]

    def _attend(self, name: str, x: Array, y: Array) -> Array:
        """Return the multihead attention of x to the points y."""
        heads = self.config.get("encoder.heads") or self.config["vit.heads"]
        k, q = y @ self._w[name + ".k.weight"].T, self._affine(name + ".q", x)
        v = self._affine(name + ".v", y)
        q, k, v = (a.reshape(*a.shape[:-1], heads, -1).swapaxes(-2, -3) for a in (q, k, v))
        found = FUNCTIONS["softmax"](q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1])) @ v
        found = found.swapaxes(-2, -3)
        return self._affine(name + ".o", found.reshape(*found.shape[:-2], -1))

    def _transformer(self, x: Array) -> Array:
        """Encode sets by a Set Transformer."""
        def add(name: str, x: Array, y: Array | None = None) -> Array:
            more = self._mlp(name, x, "relu") if y is None else self._attend(name, x, y)
            return self._norm(name + ".norm", x + more)
        h = self._affine("encoder.in", x)
        for i in range(self.config["encoder.blocks"]):
            name = f"encoder.{i}."
            few = add(name + "gather", self._w[name + "gather.queries"], h)
            h = add(name + "feed", add(name + "spread", h, few))
        h = add("encoder.after", add("encoder.pool", self._w["encoder.pool.queries"], h))
        return self._affine("encoder.out", h.mean(-2))

    def _picture(self, points: Array) -> Array:
        """Draw sets (..., n, 3) as pictures, and encode the pictures by a CNN or a ViT."""
        if points.ndim > 2:
            return np.stack([self._picture(p) for p in points])
        c, w = self.config, self._w
        rows, cols, left, top, px = (c[f"picture.{k}"] for k in "rows cols left top pixel".split())
        x, y = (points[:, 0] - left) / px - 0.5, (points[:, 1] - top) / px - 0.5
        picture, (col, row) = np.zeros((rows + 2, cols + 2)), np.floor([x, y]).astype(int)
        for i, j in ((0, 0), (0, 1), (1, 0), (1, 1)):  # points outside go to the margin
            at = np.clip(row + 1 + i, 0, rows + 1), np.clip(col + 1 + j, 0, cols + 1)
            np.add.at(picture, at, points[:, 2] * np.abs((1 - i - y + row) * (1 - j - x + col)))
        x = picture[None, 1:-1, 1:-1] / (picture[1:-1, 1:-1].max() or 1)
        for i in range(np.size(c.get("cnn.widths", []))):
            x = np.pad(x, [(0, 0), (1, 1), (1, 1)])
            x = np.lib.stride_tricks.sliding_window_view(x, (3, 3), (1, 2))[:, ::2, ::2]
            x = np.einsum("ocij,crsij->ors", w[f"encoder.conv.{i}.weight"], x)
            x = np.maximum(x + w[f"encoder.conv.{i}.bias"][:, None, None], 0)
        if "cnn.widths" in c:
            return self._affine("encoder.head", x.ravel())
        p = c["vit.patch"]
        x = x.reshape(rows // p, p, cols // p, p).swapaxes(1, 2).reshape(-1, p * p)
        h = w["encoder.places"] + np.vstack([w["encoder.class"], self._affine("encoder.embed", x)])
        for i in range(c["vit.blocks"]):
            x = self._norm(f"encoder.{i}.before", h)
            h = h + self._attend(f"encoder.{i}", x, x)
            h = h + self._mlp(f"encoder.{i}", self._norm(f"encoder.{i}.between", h), "gelu")
        return self._affine("encoder.head", self._norm("encoder.norm", h)[0])

    def encode(self, points: ArrayLike, types: ArrayLike | None = None, view: int = 0) -> Array:
        """Return the closure variables (..., zdim), or (..., sets, zdim) if there are species.

        points (..., n, coordinates) are particles, atoms with their types (n) 1 or 2, beads in
        their order along the chain, or the pixels of a film's picture. A view other than 0 mirrors
        or turns the points first, as the program does for predictions.
        """
        x, flips = np.array(points, float), [view & 1, view & 2, view & 4]
        if x.ndim < 2 or x.shape[-1] != self.dim or x.size == 0:
            raise ValueError(f"points are {x.shape}, and should be (..., n, {self.dim})")
        numbers, of = [*self.species.values()], np.zeros(x.shape[-2])  # the set of each particle
        if self.sets > 1:
            if np.shape(types) != of.shape or {*np.ravel(types)} != {*numbers}:
                raise ValueError(f"particles need types (n) of {numbers}; call encode for each run")
            of = np.argmax(np.asarray(types)[:, None] == numbers, -1)
        if self.system == "polymer":  # a bead's label is its place along the chain
            x[..., 2] = np.linspace(0, 1, x.shape[-2])
            x = np.where(flips, [0, 0, 1] - x, x)
        elif self.system == "polymer-video":
            x = np.where([*flips[:2], 0], [501, 101, 0] - x, x)  # a picture has 500 x 100 pixels
        elif view:
            x = self._turned(x, view)
        x = self._centred((x - self._mean) / self._std, of)
        if k := self.config.get("unseen", 0):
            x[..., k - 1] = np.broadcast_to(-self._mean / self._std, self.dim)[k - 1]
        seen = _seen(x, self._circles)
        if self.config.get("near"):
            seen = np.concatenate([seen, self._around(x, of)], -1)
        z = np.stack([self._encode(seen[..., of == s, :], s) for s in range(self.sets)], -2)
        z = z if self.sets > 1 else z[..., 0, :]
        return z if self._code is None else z @ self._code

    def _turned(self, x: Array, view: int) -> Array:
        """Turn vectors about the centre, mirror them, and shift coordinates on circles."""
        if not self._vectors:
            raise ValueError("the system does not turn, so there is only the view 0")
        stream, first, boxed = _stream(view, "views"), self._vectors[0], self._circles.any()
        if len(first) == 2 and not boxed:
            sin, cos = (f(2 * np.pi * view / self.config["views"]) for f in (np.sin, np.cos))
            turn = np.array([[cos, -sin], [sin, cos]]) * [1, 1 - view % 2 * 2]
        else:
            turn = _box_turn(stream, self.periods[first]) if boxed else _space_turn(stream)
        to, centre = x.copy(), self._centre
        for v in self._vectors:
            to[..., v] = (x[..., v] - centre[v]) @ turn.T + centre[v]
        return to + (self.periods * [_uniform(stream) for _ in self.periods] if boxed else 0)

    def _centred(self, x: Array, of: Array) -> Array:
        """Move scaled points so that the centre of their positions is 0, if the model says so."""
        for k in self._places if self.config.get("centred") else []:
            by = x[..., k].mean(-1, keepdims=True)
            if self._circles[k]:  # the direction of the species that has one most clearly
                mean = np.exp(1j * np.pi * x[..., k])
                mean = np.stack([mean[..., of == s].sum(-1) / max((of == s).sum(), 1)
                                 for s in range(self.sets)], -1)
                best = np.argmax(np.abs(mean), -1)[..., None]
                by = np.angle(np.take_along_axis(mean, best, -1)) / np.pi
            x[..., k] = _wrap(x[..., k] - by) if self._circles[k] else x[..., k] - by
        return x

    def _around(self, x: Array, of: Array) -> Array:
        """Return what the encoder sees of the neighbours of each particle (..., n, numbers).

        Neighbours are particles within the radius in which config.near are expected. Seen are their
        numbers, alike and others, and means of differences, of squared differences of coordinates
        that are no positions, and of the speed at which neighbours part.
        """
        if x.ndim > 2:
            return np.stack([self._around(p, of) for p in x])
        c, places, n, d = self.config, self._places, len(x), len(self._places)
        volume = np.prod(np.where(self._circles, 2, math.sqrt(12))[places])
        ball = math.pi**(d / 2) / math.gamma(d / 2 + 1)
        radius = (c["near"] / c["particles"] * volume / ball)**(1 / d)
        square = np.zeros((n, n))
        for k in places:
            gap = x[:, k] - x[:, None, k]
            square += (_wrap(gap) if self._circles[k] else gap)**2
        np.fill_diagonal(square, np.inf)
        i, j = np.nonzero(square < radius * radius)
        gap, alike, kinds = self._wrapped(x[j] - x[i]), of[i] == of[j], min(self.sets, 2)
        columns = [alike, ~alike][:kinds] + [*gap.T, *np.delete(gap, places, -1).T**2]
        if len(self._speeds) == d:
            speed, distance = x[j][:, self._speeds] - x[i][:, self._speeds], np.sqrt(square[i, j])
            columns.append((gap[:, places] * speed).sum(-1) / np.where(distance > 0, distance, 1))
        sums = np.stack([np.bincount(i, column, n) for column in columns], -1)
        means = sums[:, kinds:] / np.maximum(sums[:, :kinds].sum(-1, keepdims=True), 1)
        means[:, places] /= radius
        return np.concatenate([sums[:, :kinds] / c["near"], means], -1)

    def _encode(self, x: Array, s: int) -> Array:
        act = self.config.get("encoder.act", "relu")
        if "encoder.hidden" in self.config:
            features = FUNCTIONS[act](self._mlp("encoder.phi", x, act))
            return self._mlp("encoder.rho", features.sum(-2) / max(features.shape[-2], 1), act)
        if "encoder.heads" in self.config or "picture.rows" in self.config:
            return self._picture(x) if "picture.rows" in self.config else self._transformer(x)
        name, x = f"encoder.{s}" if self.sets > 1 else "encoder", x.reshape(*x.shape[:-2], -1)
        if x.shape[-1] != (takes := self._w[name + ".0.weight"].shape[1]):
            raise ValueError(f"a set has {x.shape[-1]} coordinates, and the encoder takes {takes}")
        return self._mlp(name, x, act)

    def restore(self, z: ArrayLike) -> Array | list[Array]:
        """Return the decoded points (..., n, dim), as a list of the sets for AE-Aug and species."""
        z, names = np.asarray(z, float), [f"decoder.{s}" for s in range(self.sets)]
        if names[0] + ".0.weight" not in self._w:  # one decoder for all sets
            z, names = z.reshape(*z.shape[:-self.sets], 1, -1), ["decoder"]
        if names[0] + ".0.weight" not in self._w:
            raise NotImplementedError("only decoders of points are here; a density has sample")
        x = [self._mlp(name, z[..., s, :], "relu") for s, name in enumerate(names)]
        x = [self._unscaled(v.reshape(*v.shape[:-1], -1, self.dim)) for v in x]
        return x if len(x) > 1 else x[0]

    def _unscaled(self, x: Array) -> Array:
        x = x * self._std + self._mean
        return np.where(self._circles, x % np.where(self._circles, self.periods, 1), x)

    def density(self, x: ArrayLike, z: ArrayLike) -> Array:
        """Return ln p(x | z) of points x (..., n, dim) for z (..., zdim) of a set."""
        u, rise = self._carry((np.asarray(x, float) - self._mean) / self._std, z, False)
        noise = np.where(self._circles, np.log(2), u * u / 2 + np.log(2 * np.pi) / 2)
        return rise - (noise + np.log(self._std)).sum(-1)

    def sample(self, z: ArrayLike, n: int, noise: Any = None) -> Array:
        """Draw points (..., n, dim). Coordinates that repeat are from 0 to their periods.

        noise is a seed, or numbers (..., n, dim): normal ones, and uniform ones from -1 to 1 for
        coordinates that repeat.
        """
        if np.ndim(noise) == 0:
            g, shape = np.random.default_rng(noise), np.shape(z)[:-1] + (n, self.dim)
            noise = g.standard_normal(shape)
            noise = np.where(self._circles, g.uniform(-1, 1, shape), noise)
        return self._unscaled(self._carry(np.asarray(noise, float), z, True)[0])

    def _carry(self, x: Array, z: ArrayLike, inverse: bool) -> tuple[Array, Array]:
        """Map points to noise, or back. Return them, and ln of the Jacobian determinant."""
        c, d, z, rise = self.config, self.dim, np.asarray(z, float)[..., None, :], 0.0
        x = self._wrapped(x)
        if self._code is not None:
            z = z @ self._columns + self._fixed
        if "matching.steps" in c:
            return self._integrate(x, z, inverse, c["matching.steps"])
        if "flow.layers" not in c:
            raise NotImplementedError("the decoder is no density; a decoder of points has restore")
        base, straight = np.zeros(z.shape[:-1] + (2, d)), ~self._circles
        if c["flow.condbase"] and straight.any():
            of = self._mlp("flow.base", z, c["flow.act"])
            base[..., straight] = of.reshape(*of.shape[:-1], 2, -1)
        mean, log = base[..., 0, :], np.clip(base[..., 1, :], -5, 5)
        x = mean + np.exp(log) * x if inverse else x
        for i in range(c["flow.layers"])[::-1 if inverse else 1]:
            by = np.where(self._circles, (math.sqrt(5) - 1) * i, 0)  # layers turn circles
            order, x = list(range(d))[::-1 if i % 2 else 1], x if inverse else self._wrapped(x + by)
            y = x.copy()
            for k, at in enumerate(order):
                name, h = f"flow.{i}.cond.{k}", z
                if k > 0:
                    h = _seen((y if inverse else x)[..., order[:k]], self._circles[order[:k]])
                    h = h @ self._w[name + ".x.weight"].T
                    h = FUNCTIONS[c["flow.act"]](h + self._affine(name + ".z", z))
                raw = self._mlp(name + ".net" * (k > 0), h, c["flow.act"])
                bound = 1 if self._circles[at] else c["flow.bound"]
                y[..., at], more = _spline(x[..., at], raw, bound, inverse)
                rise = rise + more
            x = self._wrapped(y - by) if inverse else y
        return (x, rise) if inverse else ((x - mean) * np.exp(-log), rise - log.sum(-1))

    def _wrapped(self, x: Array) -> Array:
        return np.where(self._circles, _wrap(x), x)

    def _integrate(self, x: Array, z: Array, inverse: bool, steps: int) -> tuple[Array, Array]:
        """Integrate the velocity of flow matching, and its divergence by complex steps of 1e-30."""
        d, h = self.dim, (2 * inverse - 1) / steps
        def slope(y: Array, t: float) -> Array:
            at = y[..., None, :d] + 1e-30j * np.eye(d)
            rest = np.concatenate([np.full(z.shape[:-1] + (1,), t), z], -1)[..., None, :]
            rest = np.broadcast_to(rest, at.shape[:-1] + rest.shape[-1:])
            at = np.concatenate([_seen(at, self._circles), rest], -1)
            v = self._mlp("matching", at, self.config["matching.act"])
            return np.append(v[..., 0, :].real, np.trace(v.imag / 1e-30, 0, -2, -1)[..., None], -1)
        y = np.append(x, np.zeros(x.shape[:-1] + (1,)), -1)
        for i in range(steps):
            y = _rk4(slope, y, 1 - inverse + i * h, h)
        return y[..., :d], y[..., d]

    def states(self, points: ArrayLike, macro: ArrayLike, types: ArrayLike | None = None,
               **params: ArrayLike) -> Array:
        """Return the states (..., views, V) of frames, scaled to [-1, 1].

        macro (..., frames, variables) are the macroscopic variables of all frames up to this one. A
        model without memory uses only the last. params are parameters that differ from USUAL. A
        list encoder gets the particles as a file has them in the first frame: sorted.
        """
        odd = {k for k, v in params.items() if np.any(v != USUAL.get(k))} - {*self._given}
        if not self.variables or odd:
            raise ValueError(f"the model has no dynamics{' of ' * bool(odd)}{', '.join(odd)}")
        if self.config.get("listed"):
            x = np.asarray(points, float)
            order = np.lexsort(np.moveaxis(x, -1, 0)[::-1])
            points = np.take_along_axis(x, order[..., None], -2)
            types = None if types is None else np.asarray(types)[order]
        macro, views = np.asarray(macro, float), self.config.get("views", 1)
        lead, given = np.shape(points)[:-2], {**USUAL, **params}
        z = np.stack([self.encode(points, types, k) for k in range(views)], len(lead))
        parts = [macro[..., -1:, :], z.reshape(*lead, views, -1)]
        first = np.asarray(types) == min(self.species.values())
        parts += [np.mean(first, keepdims=True)] * self.config.get("law.share", 0)
        parts += [np.asarray(given[k], float)[..., None, None] for k in self._given]
        for frames in self._fading:
            ahead = np.zeros(macro.shape[:-2] + (self.variables,))
            for step in np.moveaxis(np.diff(self._scaled(macro), axis=-2), -2, 0):
                ahead = (ahead + step) * (1 - 1 / frames)
            parts.append(ahead[..., None, :])
        parts = [np.broadcast_to(p, (*lead, views, p.shape[-1])) for p in parts]
        return self._scaled(np.concatenate(parts, -1))

    def _scaled(self, v: Array) -> Array:
        return 2 * (v - self._low[:v.shape[-1]]) / (self._high - self._low)[:v.shape[-1]] - 1

    def predict(self, points: ArrayLike, macro: ArrayLike, steps: int,
                types: ArrayLike | None = None, members: int = 19, noise: Any = None,
                **params: ArrayLike) -> Array:
        """Predict the macroscopic variables of this frame and of the next ones, see states.

        The result of an ODE is (..., steps + 1, variables), of an SDE (..., members, steps + 1,
        variables). noise is a seed, or an array of normal numbers (..., members, steps, V).
        """
        z, dt = self.states(points, macro, types, **params), self.config["law.dt"]
        m, stochastic = self.variables, "law.noise.floor" in self.config
        if stochastic:
            if np.ndim(noise) == 0:
                shape = z.shape[:-2] + (members, steps, z.shape[-1])
                noise = np.random.default_rng(noise).standard_normal(shape)
            z = z[..., np.arange(np.shape(noise)[-3]) % z.shape[-2], :]
        path = [z]
        for t in range(steps):
            z = self._kick(z, dt, noise[..., t, :]) if stochastic else _rk4(self._drift, z, 0, dt)
            path.append(z)
        of = np.stack(path, -2)[..., :m]
        of = of if stochastic else of.mean(-3)
        return self._low[:m] + (of + 1) / 2 * (self._high - self._low)[:m]

    def _drift(self, z: Array, _: float = 0) -> Array:
        c, name = self.config, self._law + (".drift" if "law.noise.floor" in self.config else "")
        at = np.clip(z, -c["law.box.half"], c["law.box.half"]) if c["law.confined"] else z
        g = self._mlp(name, at, c["law.act"]) - c.get("law.box.pull", 0) * (z - at)
        return g * self._moves

    def _kick(self, z: Array, dt: float, noise: Array) -> Array:
        """Take one Euler-Maruyama step, and update the memory."""
        c, n, m, dw = self.config, z.shape[-1], self.variables, np.sqrt(dt) * noise
        o = self._mlp(self._law + ".noise", z, c["law.noise.act"])
        kick = np.sqrt(c["law.noise.floor"] + o[..., :n]**2) * dw
        for j in range(1, n if o.shape[-1] > n else 1):
            begin = n + j * (j - 1) // 2
            kick[..., j] += (o[..., begin:begin + j] * dw[..., :j]).sum(-1)
        after = z + dt * self._drift(z) + kick * self._moves
        if k := m * len(self._fading):
            low, width = self._low[-k:], (self._high - self._low)[-k:]
            ahead = low + (z[..., -k:] + 1) / 2 * width
            ahead = ahead + np.tile(after[..., :m] - z[..., :m], len(self._fading))
            after[..., -k:] = 2 * (ahead * (1 - 1 / np.repeat(self._fading, m)) - low) / width - 1
        return after
