package particle

import (
	"context"

	"macroscope/sim/simd"
)

//go:generate go run macroscope/serve/generate pairs512.go 256

// impl is one implementation of the pass over all pairs. Calling `pairs` adds Σ_j F(r)(x_i - x_j)/r
// to vx[i], vy[i] and returns E. During the pass, the function checks ctx from time to time (see
// the constant checked). If ctx has ended, the function returns the error of ctx.
type impl struct {
	name  string
	pairs func(ctx context.Context, p *pass) (energy float64, err error)
}

// checked is the number of pairs between two checks of ctx. These pairs take a few
// milliseconds.
const checked = 1 << 20

var plain = impl{"plain", func(ctx context.Context, p *pass) (energy float64, err error) {
	x, y, vx, vy := p.x[:p.n], p.y[:p.n], p.vx[:p.n], p.vy[:p.n]
	rows := max(1, checked/p.n)
	for from := 0; from < p.n; from += rows {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		energy = refRows(energy, p.law(), x, y, vx, vy, from, min(from+rows, p.n))
	}
	return energy, nil
}}

// tiled returns the implementation that calls `run` for tiles of `width` lanes. If the force is
// tabulated, the implementation calls `table` for tiles of `tableWidth` lanes instead.
func tiled(name string, width int, run tile, tableWidth int, table tile) impl {
	return impl{name, func(ctx context.Context, p *pass) (float64, error) {
		if p.table != nil {
			return p.tiled(ctx, tableWidth, table)
		}
		return p.tiled(ctx, width, run)
	}}
}

// Form returns the implementation's name. The comment of Implementation lists all names.
func (im impl) Form() string { return im.name }

var choice = simd.Choice[impl]{Package: "particle", List: implementations}

// active is the implementation in use.
func active() *impl { return choice.Serving() }

// Implementation returns the name of the form in use: "plain", "avx2", "avx512",
// "neon" or "simd128".
func Implementation() string { return active().name }

// Use selects the named form of the pair loop until `restore` is called. No simulation may run
// during Use or restore.
func Use(name string) (restore func(), err error) { return choice.Use(name) }
