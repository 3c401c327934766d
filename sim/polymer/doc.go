// Package polymer simulates chains of beads that a flow unfolds, the system of the paper's section
// 4.4: Brownian dynamics without hydrodynamic interactions,
//
//	ζ (dr/dt - u(r)) = F + constraint forces + √(2 kT ζ) ξ(t),
//
// in the planar flow u = ε̇ (x, -y, 0), in a uniaxial flow or in a solvent at rest. Rods of length
// 1 or springs connect the N beads of a chain. With the rod, kT and ζ as units, the unit of time
// is τ_d, the time in which a bead diffuses over its own size.
//
// A step is an Euler–Maruyama step with constraint forces along the previous bonds (Liu, 1989).
// Flow, forces and noise displace beads. Newton's method then finds the multipliers λ_i that
// restore the length of every rod to within 5e-5. Its matrices are tridiagonal and are eliminated
// from both ends. If a step's constraints have no solution nearby, the step is split into two
// halves along the same Brownian path, and a half is split again if necessary. Noise is uniform
// with the variance of the Brownian increment. The scheme is of first weak order. At the default
// Δt = 0.002 extensions are 0.4 % too small, and ⟨R²⟩ is 0.6 % too small; both errors are
// proportional to Δt.
//
// The stationary distribution of rigid rods has the factor √det G; G is the tridiagonal matrix of
// the bonds. The metric force, which has the energy T/2 ln det G, cancels this factor: rods then
// have the distribution of infinitely stiff springs, and without a flow bonds are independent.
// Such stiff-limit rods, with repulsion between beads, are the default, because they reproduce the
// extensions of the published chains. Ideal rigid rods cost half as much.
//
// The state of a chain is its bonds, in float32, and a counter. Positions are sums of bonds, given
// relative to the centre of mass; the motion of the centre of mass is not stored. Random numbers
// are a function of a chain's key and the counter (threefry.go).
//
// Arrays of bonds and beads consist of rows, with one number per chain. In loops, the neighbour of
// an element is one row away. The same loops therefore compute either one chain, with several beads
// in a vector, or several chains side by side. ref.go and repel.go define them. lanes512.go has the
// vector form; the other widths are generated from it. Equal keys and starts give equal bits in all
// forms, on all processors and for any number of chains and workers: no operation is fused or
// estimated, no sum runs over several chains, and the order of sums is fixed.
package polymer
