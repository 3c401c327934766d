package lj

import (
	"cmp"
	"math"
	"slices"
)

// skin is how much further than the cutoff a list reaches. It holds until an
// atom has moved half of that.
const skin = 0.4

// list is the atoms in an order in which the neighbours of each lie in three
// contiguous ranges: the box is cut into horizontal strips at least as high as
// the list's reach, and atoms are ordered by strip, in a strip by x. An atom's
// place in that order is its slot.
//
// The order is a function of the positions from which it was made.
type list struct {
	id    []int32   // (N): which atom is in a slot
	from  []int32   // (N): which slot of the list before it was in
	place []float64 // (N, 2), by slot: positions when the list was made
	kind  []float32 // (N), by slot: species - 1

	// near holds, by slot, the ranges [begin, end) of slots in the strips
	// below, own and above where atoms within reach can be.
	near  []ranges
	first []int32 // (strips+1): first slot of a strip
}

// ranges is three pairs of begin and end.
type ranges [6]int32

func newList(n int) *list {
	return &list{
		id: make([]int32, n), from: make([]int32, n),
		place: alignedOf[float64](padded(2 * n)),
		kind:  alignedOf[float32](n + maxWidth),
		near:  make([]ranges, n),
	}
}

// build makes the list for atoms at positions x (N, 2), which are in the order
// of another list, whose id is given.
func (l *list) build(x []float64, id []int32, reach, height float64) {
	strips := max(1, int(height/reach))
	per := float64(strips) / height
	strip := func(k int32) int { return min(max(int(x[2*k+1]*per), 0), strips-1) }

	if cap(l.first) < strips+1 {
		l.first = make([]int32, strips+1)
	}
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

	// Insertion: from one list to the next little changes.
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
	for s := range strips {
		for k, other := range [3]int{s - 1, s, s + 1} {
			l.search(s, other, k, reach, height/float64(strips))
		}
	}
}

// search fills range k of the atoms in one strip with those of another.
func (l *list) search(s, other, k int, reach, strip float64) {
	low, high, end := int32(0), int32(0), int32(0)
	if other >= 0 && other < len(l.first)-1 {
		low, high, end = l.first[other], l.first[other], l.first[other+1]
	}
	for at := l.first[s]; at < l.first[s+1]; at++ {
		x, y := l.place[2*at], l.place[2*at+1]
		for low < end && l.place[2*low] <= x-reach {
			low++
		}
		for high < end && l.place[2*high] < x+reach {
			high++
		}
		from, to := low, high
		// What of a neighbouring strip is within reach is narrower than twice
		// the reach.
		var dy float64
		switch {
		case other < s:
			dy = y - float64(s)*strip
		case other > s:
			dy = float64(s+1)*strip - y
		}
		if dy > 0 {
			half := math.Sqrt(max(0, reach*reach-dy*dy))
			for from < to && l.place[2*from] < x-half {
				from++
			}
			for from < to && l.place[2*to-2] > x+half {
				to--
			}
		}
		l.near[at][2*k], l.near[at][2*k+1] = from, to
	}
}

// label sets kinds from the species of atoms (N).
func (l *list) label(species []uint8) {
	for at, atom := range l.id {
		l.kind[at] = float32(species[atom] - 1)
	}
}

// byX returns 0, 1, …, in the order of x.
func byX(x []float64) []int {
	order := make([]int, len(x))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(x[i], x[j]) })
	return order
}
