package formula

import "math"

// Bounds of the arguments of curve.
const (
	fewest, most      = 2, 40
	nearest, furthest = 1e-3, 1e3 // bounds of END, the second argument
	curveSays         = "curve is of a value, the end of its range and %d to %d numbers at equal distances from 0 to there, as in curve(r, 2, 1, 0.2, -1)"
	// steepest limits the slope at an end of the curve: it is at most `steepest` times the slope of
	// the outermost interval. The limit applies only if the slopes of the two outermost intervals
	// have different signs.
	steepest = 3
)

// curve reads the arguments of curve(x, END, y0, y1, …): y0, y1, … are the values at
// equidistant x from 0 to END.
func (p *parser) curve() {
	if p.is != "(" {
		p.fail("after curve a bracket “(” is missing, as in curve(r, 2, 1, 0.2, -1)")
		return
	}
	p.next()
	p.expression(0)
	var numbers []float64
	for p.err == nil && p.is == "," {
		p.next()
		numbers = append(numbers, p.number())
	}
	if p.close(); p.err != nil {
		return
	}
	if n := len(numbers) - 1; n < fewest || n > most || !(numbers[0] >= nearest && numbers[0] <= furthest) {
		p.fail(curveSays, fewest, most)
		return
	}
	p.emit(operation{one: through(numbers[0], numbers[1:])}, 1)
}

// number reads a number with or without a sign.
func (p *parser) number() float64 {
	sign := 1.0
	if p.is == "-" || p.is == "+" {
		if p.is == "-" {
			sign = -1
		}
		p.next()
	}
	if !p.atNumber() {
		p.fail(curveSays, fewest, most)
		return 0
	}
	return sign * p.constant()
}

// The function `through` returns a curve through the values y at equidistant points from 0 to
// `end`. The curve consists of cubic Hermite pieces with the slopes of Fritsch and Butland (1984).
// It never overshoots. Before 0 and beyond `end`, it is constant. The curve equals FritschButland
// of gonum's package interp. That package is not used, because it would add linear algebra to the
// page's first program.
func through(end float64, y []float64) func(x float64) float64 {
	last := len(y) - 1
	d := make([]float64, len(y)) // slope at each point: change of y per interval
	for i := 1; i < last; i++ {
		if a, b := y[i]-y[i-1], y[i+1]-y[i]; a*b > 0 {
			d[i] = 2 / (1/a + 1/b)
		}
	}
	d[0], d[last] = y[1]-y[0], y[last]-y[last-1]
	if last > 1 {
		d[0], d[last] = outer(d[0], y[2]-y[1]), outer(d[last], y[last-1]-y[last-2])
	}
	return func(x float64) float64 {
		t := x / end * float64(last)
		switch {
		case t != t:
			return math.NaN()
		case t <= 0:
			return y[0]
		case t >= float64(last):
			return y[last]
		}
		i := int(t)
		t -= float64(i)
		// The conversions forbid the compiler to fuse products with sums, so a value is the
		// same on every processor.
		rise := y[i+1] - y[i]
		c2 := 3*rise - float64(2*d[i]) - d[i+1]
		c3 := d[i] + d[i+1] - float64(2*rise)
		return y[i] + float64(t*(d[i]+float64(t*(c2+float64(t*c3)))))
	}
}

// outer returns the slope at an end, given the slopes of the first and the next interval.
func outer(first, next float64) float64 {
	switch slope := (float64(3*first) - next) / 2; {
	case slope*first <= 0:
		return 0
	case first*next <= 0 && math.Abs(slope) > steepest*math.Abs(first):
		return steepest * first
	default:
		return slope
	}
}
