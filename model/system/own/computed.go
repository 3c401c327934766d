package own

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"macroscope/model/net/cells"
	"macroscope/model/net/circle"
	"macroscope/model/setting"
	"macroscope/model/system"
	"macroscope/model/system/formula"
)

// observe computes an observable of a frame (N, D), given the species of its particles (N), from 1.
type observe func(points []float32, species []uint8) float64

// computable lists what can be computed, for sentences.
const computable = "count, gyration, extent AXIS, mean AXIS, above LEVEL AXIS, speed, polarisation, neighbours RADIUS, unlike SPECIES within RADIUS or pair FORMULA"

// compute returns the function for observable i. Its text form is
//
//	count                        number of particles
//	gyration                     root mean square distance from the mean position
//	extent AXIS, mean AXIS       of a coordinate
//	above LEVEL AXIS             share of the particles with a larger coordinate
//	speed                        mean size of the velocity
//	polarisation                 size of the sum of the velocities, relative to the sum of their sizes
//	neighbours RADIUS            mean number of other particles within a radius
//	unlike SPECIES within RADIUS share of other species among the neighbours of the particles of a species
//	pair FORMULA                 mean over all pairs of a formula of their distance r
//
// Distances are those of nearest images.
func (s *Spec) compute(i int) (observe, error) {
	of := strings.Fields(s.Observables[i].Of)
	fail := func(format string, args ...any) (observe, error) {
		return nil, fmt.Errorf("the observable %s cannot be %s: %s", setting.Quote(s.Observables[i].Name), setting.Quote(s.Observables[i].Of), fmt.Sprintf(format, args...))
	}
	positions, velocities := s.ofKind(Position), s.ofKind(Velocity)
	switch {
	case of[0] == "count" && len(of) == 1:
		return func(points []float32, _ []uint8) float64 { return float64(len(points) / len(s.Axes)) }, nil
	case of[0] == "above" && len(of) > 2:
		k := slices.Index(s.axisNames(), strings.Join(of[2:], " "))
		level, err := setting.Float(of[1])
		if err != nil || k < 0 {
			return fail("name a number and an axis, such as above 4 %s", s.Axes[len(s.Axes)-1].Name)
		}
		return s.above(k, level), nil
	case of[0] == "gyration" && len(of) == 1:
		if slices.ContainsFunc(positions, func(k int) bool { return s.Axes[k].Period > 0 }) || positions == nil {
			return fail("it needs positions that do not repeat")
		}
		return s.gyration(positions), nil
	case (of[0] == "extent" || of[0] == "mean") && len(of) > 1:
		k := slices.Index(s.axisNames(), strings.Join(of[1:], " "))
		if k < 0 {
			return fail("there is no axis %s", setting.Quote(strings.Join(of[1:], " ")))
		}
		if s.Axes[k].Period > 0 {
			return fail("the axis repeats, so it has no %s", of[0])
		}
		return s.coordinate(k, of[0] == "extent"), nil
	case (of[0] == "speed" || of[0] == "polarisation") && len(of) == 1:
		if velocities == nil {
			return fail("no axis is a velocity; say so in the line axes")
		}
		return s.speed(velocities, of[0] == "polarisation"), nil
	case of[0] == "neighbours" && len(of) == 2:
		radius, err := setting.Float(of[1])
		if err != nil || !(radius > 0) {
			return fail("the radius must be a number above 0")
		}
		return s.neighbours(positions, radius), nil
	case of[0] == "unlike" && len(of) == 4 && of[2] == "within":
		radius, err := setting.Float(of[3])
		species := slices.Index(s.speciesNames(), of[1])
		if err != nil || !(radius > 0) || species < 0 {
			return fail("name one of the species %s, and a radius above 0", strings.Join(s.speciesNames(), separator))
		}
		return s.unlike(positions, uint8(species+1), radius), nil
	case of[0] == "pair" && len(of) > 1:
		f, err := formula.Parse(strings.Join(of[1:], " "), "r")
		if err != nil {
			return fail("%v", err)
		}
		return s.pairs(positions, f), nil
	}
	return fail("use %s", computable)
}

// ofKind returns the coordinates of a kind.
func (s *Spec) ofKind(kind Kind) (axes []int) {
	for i, a := range s.Axes {
		if a.Kind == kind {
			axes = append(axes, i)
		}
	}
	return axes
}

func (s *Spec) gyration(axes []int) observe {
	d := len(s.Axes)
	return func(points []float32, _ []uint8) float64 {
		total, n := 0.0, float64(len(points)/d)
		for _, k := range axes {
			mean, square := 0.0, 0.0
			for i := k; i < len(points); i += d {
				mean += float64(points[i]) / n
			}
			for i := k; i < len(points); i += d {
				square += (float64(points[i]) - mean) * (float64(points[i]) - mean)
			}
			total += square / n
		}
		return math.Sqrt(total)
	}
}

func (s *Spec) coordinate(k int, extent bool) observe {
	d := len(s.Axes)
	return func(points []float32, _ []uint8) float64 {
		low, high, sum := math.Inf(1), math.Inf(-1), 0.0
		for i := k; i < len(points); i += d {
			v := float64(points[i])
			low, high, sum = min(low, v), max(high, v), sum+v
		}
		if extent {
			return high - low
		}
		return sum / float64(len(points)/d)
	}
}

func (s *Spec) above(k int, level float64) observe {
	d := len(s.Axes)
	return func(points []float32, _ []uint8) float64 {
		n := 0
		for i := k; i < len(points); i += d {
			if float64(points[i]) > level {
				n++
			}
		}
		return float64(n) / float64(len(points)/d)
	}
}

func (s *Spec) speed(axes []int, relative bool) observe {
	d := len(s.Axes)
	return func(points []float32, _ []uint8) float64 {
		sum, sizes := make([]float64, len(axes)), 0.0
		for i := 0; i < len(points); i += d {
			square := 0.0
			for j, k := range axes {
				v := float64(points[i+k])
				sum[j] += v
				square += v * v
			}
			sizes += math.Sqrt(square)
		}
		if !relative {
			return sizes / float64(len(points)/d)
		}
		square := 0.0
		for _, v := range sum {
			square += v * v
		}
		if sizes == 0 {
			return 0
		}
		return math.Sqrt(square) / sizes
	}
}

// distance returns the squared distance of the nearest images of two particles.
func (s *Spec) distance(axes []int, a, b []float32) (square float64) {
	for _, k := range axes {
		v := float64(a[k]) - float64(b[k])
		if p := s.Axes[k].Period; p > 0 {
			v -= p * math.Round(v/p)
		}
		square += v * v
	}
	return square
}

// nearer returns a function that calls another one with every pair of particles that are nearer than a radius.
func (s *Spec) nearer(axes []int, radius float64) func(points []float32, do func(i, j int)) {
	var circles circle.Set
	var radii []float64
	for k, a := range s.Axes {
		if a.Period > 0 {
			circles |= 1 << k
		}
	}
	unit := func(k int) float64 { // in which a circle has the length 2
		if p := s.Axes[k].Period; p > 0 {
			return p / circle.Round
		}
		return 1
	}
	for _, k := range axes {
		radii = append(radii, radius*(1+1e-9)/unit(k)) // so that rounding loses no pair
	}
	c, d := cells.New(axes, circles, radii), len(s.Axes)
	var places []float64
	return func(points []float32, do func(i, j int)) {
		places = places[:0]
		for i, v := range points {
			places = append(places, float64(v)/unit(i%d))
		}
		c.Fit(places, d)
		for i := range len(points) / d {
			at := c.Place(places[i*d : (i+1)*d])
			for _, cell := range c.Around(at) {
				for j := c.Last(cell); j >= 0; j = c.Before(j) {
					if s.distance(axes, points[i*d:(i+1)*d], points[j*d:(j+1)*d]) < radius*radius {
						do(i, j)
					}
				}
			}
			c.Add(i, at)
		}
	}
}

func (s *Spec) neighbours(axes []int, radius float64) observe {
	nearer := s.nearer(axes, radius)
	return func(points []float32, _ []uint8) float64 {
		n := 0
		nearer(points, func(_, _ int) { n += 2 })
		return float64(n) / float64(len(points)/len(s.Axes))
	}
}

func (s *Spec) unlike(axes []int, of uint8, radius float64) observe {
	nearer := s.nearer(axes, radius)
	return func(points []float32, species []uint8) float64 {
		unlike, all := 0, 0
		nearer(points, func(i, j int) {
			for _, pair := range [2][2]uint8{{species[i], species[j]}, {species[j], species[i]}} {
				if pair[0] != of {
					continue
				}
				all++
				if pair[1] != of {
					unlike++
				}
			}
		})
		return float64(unlike) / float64(max(all, 1))
	}
}

func (s *Spec) pairs(axes []int, f *formula.Formula) observe {
	return func(points []float32, _ []uint8) float64 {
		sum, n, d, r := 0.0, 0, len(s.Axes), []float64{0}
		for i := range len(points) / d {
			for j := range i {
				r[0] = math.Sqrt(s.distance(axes, points[i*d:(i+1)*d], points[j*d:(j+1)*d]))
				sum += f.At(r)
				n++
			}
		}
		return sum / float64(max(n, 1))
	}
}

// columns lists the columns of the file with the observables, "" for those that are computed.
func (s *Spec) columns() (columns []string) {
	for _, o := range s.Observables {
		if o.Of != "" {
			columns = append(columns, "")
			continue
		}
		columns = append(columns, o.Name)
	}
	return columns
}

// observer returns an Observer that computes the observables that are not in the file.
func (s *Spec) observer() (system.Observer, error) {
	of := make([]observe, len(s.Observables))
	for i, o := range s.Observables {
		if o.Of == "" {
			continue
		}
		var err error
		if of[i], err = s.compute(i); err != nil {
			return nil, err
		}
	}
	return func(macro []float64, frame []float32, t *system.Trajectory) error {
		for i, observe := range of {
			if observe == nil {
				continue
			}
			if macro[i] = observe(frame, t.Species); macro[i]-macro[i] != 0 {
				return fmt.Errorf("the observable %s is %v; correct its formula", setting.Quote(s.Observables[i].Name), macro[i])
			}
		}
		return nil
	}, nil
}
