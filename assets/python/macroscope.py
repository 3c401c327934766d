"""Macroscope's models in NumPy. This file needs no other package.

Points and variables have the units of the trajectories. Functions accept any leading axes (...).
Numbers have 64 bits here and 32 bits in the program, so the last digits differ. Checksums are not
verified. A NotImplementedError names a feature that only the program has.
"""
from __future__ import annotations

import json
import math
import zipfile
from pathlib import Path
from typing import Any, Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]
# Default parameters of the physics, and values of settings that only the program supports.
USUAL = {"a": 4.0, "b": 0.1, "temperature": 1.0, "e11": 0.5, "e12": 0.7, "e22": 0.6}
MISSING = {"law.form": ["onsager", "onsager-resnet"], "law.noise.form": ["constant"],
           "law.joint": [False], "flow.order": ["random"], "flow.blocks": range(1, 17),
           "encoder.nested": [True], "tunable.own": [False], "picture.marked": [True]}
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


def _spline(v: Array, raw: Array, bound: float, inverse: bool) -> tuple[Array, Array]:
    """Return v mapped by rational-quadratic splines (Durkan et al., 2019), and ln dy/dx."""
    k, floor = (raw.shape[-1] + 1) // 3, 1e-3  # smallest bin width and derivative
    width, height = (2 * bound * (floor + (1 - floor * k) * FUNCTIONS["softmax"](a))
                     for a in (raw[..., :k], raw[..., k:2 * k]))
    end = np.ones(raw.shape[:-1] + (1,))
    x, y = (np.concatenate([0 * end, np.cumsum(a, -1)], -1) - bound for a in (width, height))
    slope = np.concatenate([end, floor + np.logaddexp(0, raw[..., 2 * k:]), end], -1)
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

    For a tunable model, eps selects the kernel width and zdim the length of z.
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
        self.sets, self.dim = 1 + (self.system == "mixing"), c.get("encoder.dim", c.get("dim", 2))
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
        """Return the closure variables (..., zdim), or (..., 2, zdim) for mixing.

        points (..., n, coordinates) are particles, atoms with their types (n) 1 or 2, beads in
        their order along the chain, or the pixels of a film's picture. A view other than 0 mirrors
        or turns the points first, as the program does for predictions.
        """
        x, flips = np.array(points, float), [view & 1, view & 2, view & 4]
        if x.ndim < 2 or x.shape[-1] != self.dim or x.size == 0:
            raise ValueError(f"points are {x.shape}, and should be (..., n, {self.dim})")
        if self.system == "polymer":  # a bead's label is its place along the chain
            x[..., 2] = np.linspace(0, 1, x.shape[-2])
            x = np.where(flips, [0, 0, 1] - x, x)
        elif self.system == "polymer-video":
            x = np.where([*flips[:2], 0], [501, 101, 0] - x, x)  # a picture has 500 x 100 pixels
        elif view:
            sin, cos = (f(2 * np.pi * view / self.config["views"]) for f in (np.sin, np.cos))
            x = x * [1, 1 - view % 2 * 2] @ np.array([[cos, sin], [-sin, cos]])
        if self.sets == 2 and (np.shape(types) != x.shape[-2:-1] or {*np.ravel(types)} != {1, 2}):
            raise ValueError("atoms need types (n) of 1 and 2; call encode for each run")
        x = x * (np.arange(1, x.shape[-1] + 1) != self.config.get("unseen", 0))
        x = [x] if self.sets == 1 else [x[..., np.asarray(types) == s, :] for s in (1, 2)]
        z = np.stack([self._encode((v - self._mean) / self._std, s) for s, v in enumerate(x)], -2)
        z = z if self.sets > 1 else z[..., 0, :]
        return z if self._code is None else z @ self._code

    def _encode(self, x: Array, s: int) -> Array:
        act = self.config.get("encoder.act", "relu")
        if "encoder.hidden" in self.config:
            features = FUNCTIONS[act](self._mlp("encoder.phi", x, act))
            return self._mlp("encoder.rho", features.mean(-2), act)
        if "encoder.heads" in self.config or "picture.rows" in self.config:
            return self._picture(x) if "picture.rows" in self.config else self._transformer(x)
        name, x = f"encoder.{s}" if self.sets > 1 else "encoder", x.reshape(*x.shape[:-2], -1)
        if x.shape[-1] != (takes := self._w[name + ".0.weight"].shape[1]):
            raise ValueError(f"a set has {x.shape[-1]} coordinates, and the encoder takes {takes}")
        return self._mlp(name, x, act)

    def restore(self, z: ArrayLike) -> Array | list[Array]:
        """Return the decoded points (..., n, dim), as a list of two sets for AE-Aug and mixing."""
        z, names = np.asarray(z, float), [f"decoder.{s}" for s in range(self.sets)]
        if names[0] + ".0.weight" not in self._w:  # one decoder for all sets
            z, names = z.reshape(*z.shape[:-self.sets], 1, -1), ["decoder"]
        if names[0] + ".0.weight" not in self._w:
            raise NotImplementedError("only decoders of points are here; a density has sample")
        x = [self._mlp(name, z[..., s, :], "relu") for s, name in enumerate(names)]
        x = [v.reshape(*v.shape[:-1], -1, self.dim) * self._std + self._mean for v in x]
        return x if len(x) > 1 else x[0]

    def density(self, x: ArrayLike, z: ArrayLike) -> Array:
        """Return ln p(x | z) of points x (..., n, dim) for z (..., zdim) of a set."""
        u, rise = self._carry((np.asarray(x, float) - self._mean) / self._std, z, False)
        return rise - (u * u / 2 + np.log(2 * np.pi) / 2 + np.log(self._std)).sum(-1)

    def sample(self, z: ArrayLike, n: int, noise: Any = None) -> Array:
        """Draw points (..., n, dim). noise is a seed, or normal numbers (..., n, dim)."""
        if np.ndim(noise) == 0:
            noise = np.random.default_rng(noise).standard_normal(np.shape(z)[:-1] + (n, self.dim))
        return self._carry(np.asarray(noise, float), z, True)[0] * self._std + self._mean

    def _carry(self, x: Array, z: ArrayLike, inverse: bool) -> tuple[Array, Array]:
        """Map points to normal noise, or back. Return them, and ln of the Jacobian determinant."""
        c, d, z, rise = self.config, self.dim, np.asarray(z, float)[..., None, :], 0.0
        if self._code is not None:
            z = z @ self._columns + self._fixed
        if "matching.steps" in c:
            return self._integrate(x, z, inverse, c["matching.steps"])
        if "flow.layers" not in c:
            raise NotImplementedError("the decoder is no density; a decoder of points has restore")
        base = self._mlp("flow.base", z, c["flow.act"]) if c["flow.condbase"] else np.zeros(2 * d)
        mean, log = base[..., :d], np.clip(base[..., d:], -5, 5)
        x = mean + np.exp(log) * x if inverse else x
        for i in range(c["flow.layers"])[::-1 if inverse else 1]:
            order, y = list(range(d))[::-1 if i % 2 else 1], x.copy()
            for k, at in enumerate(order):
                name, h = f"flow.{i}.cond.{k}", z
                if k > 0:
                    h = (y if inverse else x)[..., order[:k]] @ self._w[name + ".x.weight"].T
                    h = FUNCTIONS[c["flow.act"]](h + self._affine(name + ".z", z))
                raw = self._mlp(name + ".net" * (k > 0), h, c["flow.act"])
                y[..., at], more = _spline(x[..., at], raw, c["flow.bound"], inverse)
                rise = rise + more
            x = y
        return (x, rise) if inverse else ((x - mean) * np.exp(-log), rise - log.sum(-1))

    def _integrate(self, x: Array, z: Array, inverse: bool, steps: int) -> tuple[Array, Array]:
        """Integrate the velocity of flow matching, and its divergence by complex steps of 1e-30."""
        d, h = self.dim, (2 * inverse - 1) / steps
        def slope(y: Array, t: float) -> Array:
            at = y[..., None, :d] + 1e-30j * np.eye(d)
            rest = np.concatenate([np.full(z.shape[:-1] + (1,), t), z], -1)[..., None, :]
            rest = np.broadcast_to(rest, at.shape[:-1] + rest.shape[-1:])
            v = self._mlp("matching", np.concatenate([at, rest], -1), self.config["matching.act"])
            return np.append(v[..., 0, :].real, np.trace(v.imag / 1e-30, 0, -2, -1)[..., None], -1)
        y = np.append(x, np.zeros(x.shape[:-1] + (1,)), -1)
        for i in range(steps):
            y = _rk4(slope, y, 1 - inverse + i * h, h)
        return y[..., :d], y[..., d]

    def states(self, points: ArrayLike, macro: ArrayLike, types: ArrayLike | None = None,
               **params: ArrayLike) -> Array:
        """Return the states (..., views, V) of frames, scaled to [-1, 1].

        macro (..., frames, variables) are the macroscopic variables of all frames up to this one. A
        model without memory uses only the last. params are parameters that differ from USUAL.
        """
        odd = {k for k, v in params.items() if np.any(v != USUAL.get(k))} - {*self._given}
        if not self.variables or odd:
            raise ValueError(f"the model has no dynamics{' of ' * bool(odd)}{', '.join(odd)}")
        macro, views = np.asarray(macro, float), self.config.get("views", 1)
        lead, given = np.shape(points)[:-2], {**USUAL, **params}
        z = np.stack([self.encode(points, types, k) for k in range(views)], len(lead))
        parts = [macro[..., -1:, :], z.reshape(*lead, views, -1)]
        parts += [np.mean(np.asarray(types) == 1, keepdims=True)] * self.config.get("law.share", 0)
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
