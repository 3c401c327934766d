"""Write the three examples of a system of your own: swarm.npz, flock.npz and mixture.npz. NumPy alone.

    python3 make.py [SEED [RUNS [FOLDER]]]

Each file has the array trajectories (runs, frames, particles, coordinates), an array (runs, frames) for each
observable, the time dt between two frames, and what else the program must know: box, the sides along which
positions repeat, types, and lines that describe the system.
"""
import sys
from pathlib import Path

import numpy as np


def swarm(g, n=50, frames=41):
    """Particles in space attract far and repel near one another, from two clouds. Observables: the energy of a pair, and
    the radius of gyration."""
    centres = g.normal(size=(2, 3))
    centres *= g.random((2, 1)) ** (1 / 3) / np.linalg.norm(centres, axis=1, keepdims=True)
    x = centres[g.integers(0, 2, n)] + 0.12 * g.normal(size=(n, 3))
    run = dict(trajectories=[], energy=[], gyration=[])
    for _ in range(frames):
        for step in range(3):
            d = x[:, None] - x
            r = np.sqrt((d ** 2).sum(-1) + 1e-12)
            if step == 0:
                pair = r[np.triu_indices(n, 1)]
                run["trajectories"].append(x)
                run["energy"].append((np.log(np.cosh(4 * (1 - pair))) / 4 + 0.1 * (1 - pair)).mean())
                run["gyration"].append(np.sqrt(x.var(0).sum()))
            force = (np.tanh(4 * (1 - r)) + 0.1) / r
            np.fill_diagonal(force, 0)
            x = x + 0.02 * (force[:, :, None] * d).mean(1)
    return run


def flock(g, n=50, frames=41, side=3.0):
    """Birds in a square that repeats turn towards the mean direction around them, and err (Vicsek and others, 1995).
    Coordinates: x, y, vx, vy. Observables: the polarisation, and a tenth of the mean number of neighbours."""
    x, angle = g.random((n, 2)) * side, g.uniform(-np.pi, np.pi) + g.uniform(-1, 1, n) * g.uniform(0.5, np.pi)
    run = dict(trajectories=[], polarisation=[], clustering=[])
    for _ in range(frames):
        v = 0.5 * np.stack([np.cos(angle), np.sin(angle)], 1)
        d = x[:, None] - x
        near = ((d - side * np.round(d / side)) ** 2).sum(-1) < 0.25
        run["trajectories"].append(np.concatenate([x, v], 1))
        run["polarisation"].append(np.linalg.norm(v.mean(0)) / 0.5)
        run["clustering"].append((near.sum(1) - 1).mean() / 10)
        mean = near @ v
        angle = np.arctan2(mean[:, 1], mean[:, 0]) + g.uniform(-0.5, 0.5, n)
        x = (x + 0.1 * np.stack([np.cos(angle), np.sin(angle)], 1)) % side
    return run


def mixture(g, n=60, frames=41, side=3.5):
    """Two species diffuse in a cube that repeats; at first, one fills a slab. Observables: the share of the other species
    among the neighbours of each."""
    x = g.random((n, 3)) * side
    types = np.where((x[:, g.integers(0, 3)] - g.random() * side) % side < side * g.uniform(0.3, 0.7), 1, 2)
    run = dict(trajectories=[], unlike_a=[], unlike_b=[])
    for _ in range(frames):
        d = x[:, None] - x
        near = (((d - side * np.round(d / side)) ** 2).sum(-1) < 1.2 ** 2) & ~np.eye(n, dtype=bool)
        unlike = near & (types[:, None] != types)
        run["trajectories"].append(x)
        for name, kind in (("unlike_a", 1), ("unlike_b", 2)):
            run[name].append(unlike[types == kind].sum() / max(1, near[types == kind].sum()))
        x = (x + np.sqrt(0.6 * np.where(types == 1, 0.05, 0.1))[:, None] * g.normal(size=x.shape)) % side
    return dict(run, types=types)


def write(path, make, lines, runs, seed, **also):
    """Simulate runs and write them, with positions in half precision."""
    made = [make(np.random.default_rng([seed, k])) for k in range(runs)]
    arrays = {name: np.array([run[name] for run in made], np.float32) for name in made[0]}
    arrays["trajectories"] = arrays["trajectories"].astype(np.float16)
    if "types" in arrays:
        arrays["types"] = arrays["types"].astype(np.uint8)
    np.savez_compressed(path, **arrays, **also, system=np.frombuffer(lines.encode(), np.uint8))


if __name__ == "__main__":
    seed, runs, folder = [*sys.argv[1:], *["11", "30", str(Path(__file__).parent)][len(sys.argv) - 1:]]
    seed, runs, folder = int(seed), int(runs), Path(folder)
    write(folder / "swarm.npz", swarm, "title = A swarm in space\nturns = true\n", runs, seed, dt=0.06)
    write(folder / "flock.npz", flock, "title = A flock in a box that repeats\n", runs, seed, dt=0.2, box=[3.0, 3.0, 0, 0])
    write(folder / "mixture.npz", mixture, "title = Two species that mix\n", runs, seed, dt=0.3, box=[3.5, 3.5, 3.5])
