package lj

import (
	"cmp"
	"slices"
)

// skin is the distance by which a list's reach exceeds the cutoff. A list is valid until an
// atom has moved half the skin.
const skin = 0.5

// list orders the atoms so that each atom's neighbours lie in three contiguous ranges. The box
// is cut into horizontal strips at least as high as the list's reach. Atoms are ordered by
// strip and by x within a strip. An atom's position in this order is its slot.
//
// The order depends only on the positions at which the list was made. Arrays that vectors read
// extend maxWidth elements beyond the atoms.
type list struct {
	id    []int32   // (N): the atom in a slot
	from  []int32   // (N), by slot: the atom's slot in the previous list
	place []float64 // (N, 2), by slot: positions when the list was made
	kind  []uint8   // (N), by slot: species - 1

	// The atom in slot j acts on an atom of kind k at the distance r with the force
	// (a[k][j]/r¹² - b[k][j]/r⁶)/r.
	a, b [2][]float32

	// near[row[i]:row[i+1]] contains all slots that can be within reach of the atom in slot i,
	// including slot i itself, as blocks.
	near []block
	row  []int32 // (N+1)

	first []int32 // (strips+1): first slot of a strip
}

// block is a run of adjacent slots, at most one vector long.
type block struct{ begin, lanes int32 }

func newList(n int) *list {
	l := &list{
		id: make([]int32, n), from: make([]int32, n),
		place: alignedOf[float64](padded(2 * n)),
		kind:  make([]uint8, n),
		row:   make([]int32, n+1),
	}
	for k := range l.a {
		l.a[k], l.b[k] = alignedOf[float32](n+maxWidth), alignedOf[float32](n+maxWidth)
	}
	return l
}

// build makes the list for atoms at positions x (N, 2). x and id have the order of the previous
// list.
func (l *list) build(x []float64, id []int32, reach, height float64) {
	strips := max(1, int(height/reach))
	per := float64(strips) / height
	strip := func(k int32) int { return min(max(int(x[2*k+1]*per), 0), strips-1) }

	l.reserve(0, strips+1)
	l.first = l.first[:strips+1]
	clear(l.first)
	for k := range id {
		l.first[strip(int32(k))+1]++
	}
	for s := range strips {
		l.first[s+1] += l.first[s]
	}
	order := l.from
	for k := range int32(len(id)) {
		at := &l.first[strip(k)]
		order[*at] = k
		*at++
	}
	copy(l.first[1:], l.first[:strips])
	l.first[0] = 0

	// Insertion sort, because the order changes little from one list to the next.
	for s := range strips {
		begin, end := l.first[s], l.first[s+1]
		for at := begin + 1; at < end; at++ {
			k := order[at]
			to := at
			for ; to > begin; to-- {
				other := order[to-1]
				if x[2*other] < x[2*k] || x[2*other] == x[2*k] && id[other] < id[k] {
					break
				}
				order[to] = other
			}
			order[to] = k
		}
	}
	for at, k := range order {
		l.id[at] = id[k]
		l.place[2*at], l.place[2*at+1] = x[2*k], x[2*k+1]
	}
	l.search(reach)
}

// search sets the fields `near` and `row`, the neighbours of every slot.
func (l *list) search(reach float64) {
	l.near = l.near[:0]
	strips := len(l.first) - 1
	place, width := l.place, int32(active().width)
	for s := range strips {
		// For each strip: the first slot right of x - reach, and the first slot that is not left of
		// x + reach.
		var left, right [3]int32
		low, high := max(s-1, 0), min(s+1, strips-1)
		for k := low; k <= high; k++ {
			left[k-low], right[k-low] = l.first[k], l.first[k]
		}
		for i := l.first[s]; i < l.first[s+1]; i++ {
			x, y := place[2*i], place[2*i+1]
			l.row[i] = int32(len(l.near))
			for k := low; k <= high; k++ {
				end := l.first[k+1]
				from, to := left[k-low], right[k-low]
				for from < end && place[2*from] <= x-reach {
					from++
				}
				for to < end && place[2*to] < x+reach {
					to++
				}
				left[k-low], right[k-low] = from, to
				for from < to && apart(place, from, x, y) >= reach*reach {
					from++
				}
				for from < to && apart(place, to-1, x, y) >= reach*reach {
					to--
				}
				for ; from < to; from += width {
					l.near = append(l.near, block{from, min(width, to-from)})
				}
			}
		}
	}
	l.row[len(l.id)] = int32(len(l.near))
	l.reserve(len(l.near)+len(l.near)/8, len(l.first))
}

// reserve makes room for the given numbers of blocks and strips. If there is too little room for
// blocks, it allocates 1.5 times the given number, plus one block per atom. Later lists are a
// little longer, and steps must not allocate.
func (l *list) reserve(blocks, strips int) {
	if cap(l.near) < blocks {
		l.near = slices.Grow(l.near, len(l.id)+blocks+blocks/2-len(l.near))
	}
	if cap(l.first) < strips {
		l.first = make([]int32, 0, strips)
	}
}

// apart returns the squared distance of slot k from (x, y).
func apart(place []float64, k int32, x, y float64) float64 {
	dx, dy := place[2*k]-x, place[2*k+1]-y
	return dx*dx + dy*dy
}

// label sets the fields `kind`, `a` and `b` from the atoms' species (N).
func (l *list) label(species []uint8, pairs *pairTable) {
	for i, atom := range l.id {
		kind := species[atom] - 1
		l.kind[i] = kind
		for k := range l.a {
			l.a[k][i], l.b[k][i] = float32(12*pairs.c12[k][kind]), float32(6*pairs.c6[k][kind])
		}
	}
}

// byX returns the indices 0, 1, … in order of x.
func byX(x []float64) []int {
	order := make([]int, len(x))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(x[i], x[j]) })
	return order
}
