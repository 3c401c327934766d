"""Compares macroscope.py with the program's results, which TestPython of serve/cmd writes."""
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import numpy as np

import macroscope

MODELS, CASES = (Path(os.environ["MACROSCOPE_" + k]) for k in ("MODELS", "CASES"))

# The program rounds to float32, by 6e-8 relative to the largest number of a result. Sums of
# hundreds of terms, in many layers, increase this error to about 1e-6.
BOUND = 1e-5


class TestMacroscope(unittest.TestCase):

    def near(self, got, want, unit=None, periods=0):
        """Compare two arrays, relative to the largest number or to a unit for each column."""
        want = np.reshape(want, np.shape(got))
        apart = got - want
        apart -= periods * np.round(apart / np.where(periods, periods, 1))
        error = (np.abs(apart) / (np.abs(want).max() if unit is None else unit)).max()
        self.errors.append(f"{error:.1e}")
        self.assertLessEqual(error, BOUND)

    def test_models(self):
        """Prints the errors of z, restored points or samples, densities, states and paths."""
        cases = sorted(CASES.glob("*@*.npz"))
        self.assertGreaterEqual(len(cases), len(list(MODELS.glob("*.safetensors"))))
        for case in cases:
            self.errors = []
            with self.subTest(case.stem), np.load(case) as want:
                name = case.stem.split("@")[0] + ".safetensors"
                self.compare(MODELS / name if (MODELS / name).exists() else CASES / name, want)
            print(f"{case.stem:32}", *self.errors)

    def compare(self, path, want):
        model = macroscope.Model(path, **{k: want[k].item() for k in ("eps", "zdim") if k in want})
        run = {k: want[k] for k in ("types", *macroscope.USUAL) if k in want}
        frame = want["points"], want.get("macro")
        z = model.encode(frame[0], run.get("types"))
        self.near(z.reshape(want["z"].shape), want["z"])
        if "picture" in want:
            self.assertTrue(np.array_equal(macroscope.pixels(want["picture"]), frame[0]))
        z = want["z"] if model.sets > 1 else want["z"][0]
        if "restored" in want:
            points = model.restore(z)
            points = np.concatenate(points) if isinstance(points, list) else points
            self.near(points, want["restored"], periods=model.periods)
        if "density" in want:
            z = want["z"][0]
            points = model.sample(z, len(want["noise"]), noise=want["noise"])
            self.near(points, want["sample"], periods=model.periods)
            self.near(model.density(want["x"], z), want["density"])
        else:
            self.assertRaises(NotImplementedError, model.density, frame[0], z)
        if "path" not in want:
            return
        # The unit of a variable is its largest value in training. Scaling to [-1, 1] subtracts
        # numbers that can be nearly equal, so states are compared without this scaling.
        low, high = model._low, model._high
        unit = np.maximum(np.abs(low), np.abs(high))
        states, true = (low + (z + 1) / 2 * (high - low)
                        for z in (model.states(*frame, **run), want["states"].astype(float)))
        self.near(states, true, unit)
        # Dynamics can amplify rounding, so both rollouts begin with the program's first state.
        model.states = lambda *_, **__: want["states"].astype(float)
        path = model.predict(*frame, want["path"].shape[-2] - 1, noise=want.get("kicks"))
        self.near(path, want["path"], unit[:model.variables])

    def test_leading_axes(self):
        """Many frames at once give the results of single frames. A seed gives its own noise."""
        for name in ("particles-laptop", "mixing-te", "polymer-video-flow-memory"):
            model = macroscope.Model(MODELS / (name + ".safetensors"))
            rng = np.random.default_rng(1)
            points = rng.random((2, 3, 40, model.dim)) * 20
            macro = rng.random((2, 3, 4, model.variables)) * 0.5
            run = {"types": np.arange(40) % 2 + 1} if model.sets > 1 else {}
            noise = np.random.default_rng(7).standard_normal((2, 3, 2, 3, len(model._low)))
            many = model.predict(points, macro, 3, noise=7, members=2, **run)
            one = model.predict(points[1, 2], macro[1, 2], 3, noise=noise[1, 2], **run)
            self.assertLess(np.abs(many[1, 2] - one).max(), 1e-9)
            z = model.encode(points, **run)
            z = z[..., 0, :] if model.sets > 1 else z
            many, one = model.density(points, z), model.density(points[1, 2], z[1, 2])
            self.assertLess(np.abs(many[1, 2] - one).max(), 1e-9)
            self.assertEqual(model.sample(z, 5, noise=3).shape, (2, 3, 5, model.dim))

    def test_own(self):
        """A model of the user's own system describes it, and treats many frames like single ones."""
        model = macroscope.Model(CASES / "own-corridor.safetensors")
        self.assertEqual((model.axes, model.units["x"]), (["x", "y", "vx", "vy"], "m"))
        self.assertEqual((model.observables, model.species), (["height", "order"], {"4": 4, "7": 7}))
        self.assertEqual(model.periods.tolist(), [5, 0, 0, 0])
        rng = np.random.default_rng(1)
        points, types = rng.random((2, 3, 10, 4)) * 5, [4] * 3 + [7] * 7
        z = model.encode(points, types)
        self.assertEqual(z.shape, (2, 3, 2, model.zdim))
        self.assertLess(np.abs(z[1, 2] - model.encode(points[1, 2], types)).max(), 1e-12)
        images = points + rng.integers(-3, 4, points.shape) * model.periods
        self.assertLess(np.abs(z - model.encode(images, types)).max(), 1e-12)
        density = model.density(images, z[..., 0, :])
        self.assertLess(np.abs(density - model.density(points, z[..., 0, :])).max(), 1e-9)
        drawn = model.sample(z[0, 0, 1], 1000, noise=2)
        self.assertTrue((0 <= drawn[:, 0]).all() and (drawn[:, 0] < 5).all())
        for wrong in (None, [4] * 10, [1] * 3 + [2] * 7, types[1:]):
            with self.assertRaisesRegex(ValueError, r"types \(n\) of \[4, 7\]"):
                model.encode(points, wrong)
        self.assertRaisesRegex(ValueError, "does not turn", model.encode, points, types, 1)

    def test_write(self):
        """A written file is read as it was given. Bad input raises an error with a sentence."""
        x, e, write = np.ones((3, 5, 4, 2), np.float32), np.ones((3, 5)), macroscope.write
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "f.npz"
            write(path, x, [1, 2, 2, 2], [3, 0], 0.5, "title = It  # a\n\nturns = false", energy=e)
            with np.load(path) as f:
                self.assertEqual({*f}, {"trajectories", "types", "box", "dt", "system", "energy"})
                self.assertTrue(np.array_equal(f["trajectories"], x))
                self.assertEqual((f["trajectories"].dtype, f["types"].shape), (np.float32, (3, 4)))
                self.assertEqual((f["dt"], bytes(f["system"])[:5]), (0.5, b"title"))
            hole = x.copy()
            hole[1, 2, 3, 0] = np.nan
            one_each = np.arange(12).reshape(3, 4) // 6
            for says, given in (
                    (r"trajectories\[1, 2, 3, 0\] is nan", {"trajectories": hole}),
                    (r"are \(5, 4, 2\)", {"trajectories": x[0]}), ("end in .npz", {"path": "f"}),
                    (r"\(n\) or \(runs, n\)", {"types": [1, 2]}), ("whole", {"types": [1, 2, 2, 2.5]}),
                    ("all species", {"types": one_each}), ("box should be 2", {"box": [3]}),
                    ("dt should", {"dt": -1}), ("'turns' of system", {"system": "title = a\nturns"}),
                    (r"energy is \(3, 4\)", {"energy": e[:, 1:]}), ("name 'a,b'", {"a,b": e})):
                with self.assertRaisesRegex(ValueError, says):
                    write(**{"path": path, "trajectories": x, **given})

    def test_notebook(self):
        """The notebook runs from its first cell to its last. It has no outputs."""
        path = Path(macroscope.__file__).with_name("own-system.ipynb")
        cells = [c for c in json.loads(path.read_text("utf-8"))["cells"] if c["cell_type"] == "code"]
        self.assertFalse(any(c["outputs"] or c["execution_count"] for c in cells))
        code = "\n".join("".join(c["source"]) for c in cells)
        with tempfile.TemporaryDirectory() as folder:
            run = subprocess.run([sys.executable, "-c", code], cwd=folder, capture_output=True, text=True)
        self.assertEqual(run.returncode, 0, run.stderr)
        for words in ("species = right = 1, left = 2", "(61, 2, 3)", "contacts   error", "speed      error"):
            self.assertIn(words, run.stdout)

    def test_files(self):
        """Reads a .macroscope file, and copies files of simulate and encode for TestPython."""
        whole, model = (macroscope.Model(p) for p in (
            CASES / "line.macroscope", MODELS / "line-ae-aug.safetensors"))
        x = np.linspace(-1, 1, 200)[:, None]
        self.assertTrue(np.array_equal(whole.encode(x), model.encode(x)))
        self.assertEqual(len(macroscope.pixels(np.ones((100, 200)))), 10_000)  # of 20,000
        run = macroscope.read_npz(CASES / "run.npz")
        self.assertEqual(run["trajectories"].ndim, 4)
        np.savez_compressed(CASES / "run-python.npz", **run)
        codes = macroscope.read_npz(CASES / "codes.npz")
        self.assertLessEqual(np.abs(codes["z"]).max(), 1)
        np.savez_compressed(CASES / "codes-python.npz", **codes)

    def test_refusals(self):
        """Bad input raises an error with a sentence."""
        whole = (MODELS / "line-flow-st.safetensors").read_bytes()
        with tempfile.TemporaryDirectory() as folder:
            bad = Path(folder) / "bad.safetensors"
            other = whole.replace(b"macroscope.experiment", b"microscope.experiment")
            for content in (b"", whole[:100], b"x" * 300, other):
                bad.write_bytes(content)
                self.assertRaisesRegex(ValueError, "safetensors|experiment", macroscope.Model, bad)
            bad.write_bytes(whole.replace(b'"alternate"', b'"random"   '))
            self.assertRaisesRegex(NotImplementedError, "flow.order", macroscope.Model, bad)
        line, x = MODELS / "line-ae-aug.safetensors", np.zeros((3, 1))
        self.assertRaisesRegex(ValueError, "choose neither", macroscope.Model, line, 0.1)
        line, atoms = macroscope.Model(line), macroscope.Model(MODELS / "mixing-laptop.safetensors")
        self.assertRaisesRegex(ValueError, "takes 200", line.encode, x)
        self.assertRaisesRegex(ValueError, "no dynamics", line.predict, x, x, 2)
        self.assertRaisesRegex(ValueError, r"should be \(..., n, 2\)", atoms.encode, x)
        for types in (None, [0, 1, 1], [1, 1, 1], [1, 2], [["1", "2", "1"]]):
            self.assertRaisesRegex(ValueError, "types", atoms.encode, np.zeros((3, 2)), types)
        one = macroscope.Model(MODELS / "particles-laptop.safetensors")
        for params in ({"a": 5.0}, {"alpha": 4.0}):
            with self.assertRaisesRegex(ValueError, "dynamics of"):
                one.predict(np.ones((3, 2)), [[1.0]], 2, **params)
        self.assertRaisesRegex(NotImplementedError, "sample", atoms.restore, np.zeros((2, 1)))


if __name__ == "__main__":
    unittest.main()
