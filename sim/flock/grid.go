package flock

// grid sorts birds into square cells that are at least 1 wide, so that all neighbours of a bird are in its own cell or in
// the eight around it. A cell's birds are in the order of their indices, which makes sums reproducible.
type grid struct {
	side   float32
	across int     // number of cells along a side, at least 3
	wide   float32 // cells per unit of length
	start  []int32 // (cells+1): where the birds of each cell begin in birds
	order  []int32 // (N): the birds, cell by cell
	of     []int32 // (N): the cell of each bird
}

// size prepares the grid for n birds in a square.
func (g *grid) size(side float64, n int) {
	g.side, g.across = float32(side), int(side)
	g.wide = float32(float64(g.across) / side)
	g.start, g.order, g.of = make([]int32, g.across*g.across+1), make([]int32, n), make([]int32, n)
}

// fill sorts birds (N, 4) into the cells.
func (g *grid) fill(birds []float32) {
	clear(g.start)
	for i := range g.of {
		g.of[i] = int32(g.row(birds[Dim*i+1])*g.across + g.row(birds[Dim*i]))
		g.start[g.of[i]+1]++
	}
	for c := 1; c < len(g.start); c++ {
		g.start[c] += g.start[c-1]
	}
	for i, c := range g.of { // start of a cell grows to its end
		g.order[g.start[c]] = int32(i)
		g.start[c]++
	}
	copy(g.start[1:], g.start)
	g.start[0] = 0
}

// row returns the row or column of the cell of a coordinate in [0, side).
func (g *grid) row(x float32) int { return min(int(x*g.wide), g.across-1) }

// around returns the sum of the velocities of bird i and its neighbours, and their number, itself included.
func (g *grid) around(birds []float32, i int) (vx, vy float64, near int) {
	x, y := birds[Dim*i], birds[Dim*i+1]
	column, row := g.row(x), g.row(y)
	for r := row - 1; r <= row+1; r++ {
		at, up := g.image(r)
		for c := column - 1; c <= column+1; c++ {
			in, right := g.image(c)
			cell := at*g.across + in
			for _, j := range g.order[g.start[cell]:g.start[cell+1]] {
				b := birds[Dim*j : Dim*j+Dim : Dim*j+Dim]
				if dx, dy := b[0]-x+right, b[1]-y+up; dx*dx+dy*dy <= 1 {
					vx, vy, near = vx+float64(b[2]), vy+float64(b[3]), near+1
				}
			}
		}
	}
	return vx, vy, near
}

// image returns the row of which row r, from -1 to across, is an image, and how far the image is from it.
func (g *grid) image(r int) (of int, shift float32) {
	switch {
	case r < 0:
		return r + g.across, -g.side
	case r == g.across:
		return 0, g.side
	}
	return r, 0
}
