package plot

import (
	"bytes"
	"math"
	"slices"
	"strconv"
)

// Ticks appends ticks for [lo, hi]: the multiples of a step that is 1, 2 or 5 times a power of ten.
// The step is the smallest that gives no more than `want` ticks. Ticks returns the ticks and the
// step. If the range is empty or not finite, it appends nothing.
func Ticks(dst []float64, lo, hi float64, want int) (ticks []float64, step float64) {
	if !(hi > lo) || want < 1 || math.IsInf(hi-lo, 0) {
		return dst, 0
	}
	const eps = 1e-9 // relative to the step; keeps a tick at an end in spite of rounding
	p := math.Pow(10, math.Floor(math.Log10((hi-lo)/float64(want))))
	for _, m := range [...]float64{1, 2, 5, 10, 20} {
		step = m * p
		first, last := math.Ceil(lo/step-eps), math.Floor(hi/step+eps)
		if last-first+1 > float64(want) {
			continue
		}
		for k := first; k <= last; k++ {
			dst = append(dst, k*step)
		}
		break
	}
	return dst, step
}

// LogTicks appends ticks for a logarithmic axis over [lo, hi], where lo > 0. The ticks are
// powers of ten. If there would be more than `want` ticks, it omits some; if there is room, it
// adds 2 and 5 times the powers.
func LogTicks(dst []float64, lo, hi float64, want int) []float64 {
	if !(lo > 0) || !(hi > lo) || want < 1 || math.IsInf(hi, 0) {
		return dst
	}
	const eps = 1e-9
	a, b := math.Log10(lo), math.Log10(hi)
	if decades := b - a; 3*decades+1 <= float64(want) {
		for k := math.Floor(a); k <= b; k++ {
			for _, m := range [...]float64{1, 2, 5} {
				if v := m * math.Pow(10, k); v >= lo*(1-eps) && v <= hi*(1+eps) {
					dst = append(dst, v)
				}
			}
		}
		return dst
	}
	first, last := math.Ceil(a-eps), math.Floor(b+eps)
	every := math.Max(1, math.Ceil((last-first+1)/float64(want)))
	for k := math.Ceil(first/every) * every; k <= last; k += every {
		dst = append(dst, math.Pow(10, k))
	}
	return dst
}

// AppendTick appends the label of the tick v on an axis with the given step between ticks. The
// label has as many decimals as the step, and a true minus sign. On a logarithmic axis `step` must
// be v. Values that are not finite get the label of AppendValue.
func AppendTick(dst []byte, v, step float64) []byte {
	if v == 0 {
		return append(dst, '0')
	}
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return AppendValue(dst, v)
	}
	if beyond(v) {
		return appendScientific(dst, v, max(0, magnitude(v)-magnitude(step)))
	}
	return appendSigned(dst, v, max(0, -magnitude(step)))
}

// AppendTickAmong appends the label of a tick like AppendTick. If the label of one of the axis's ticks is a power of ten, the
// labels of all of them are, except 0, 1 and 10.
func AppendTickAmong(dst []byte, v, step float64, ticks []float64) []byte {
	powers := slices.ContainsFunc(ticks, func(v float64) bool { return v != 0 && beyond(v) })
	if a := math.Abs(v); !powers || a == 0 || a == 1 || a == 10 || a-a != 0 {
		return AppendTick(dst, v, step)
	}
	return appendScientific(dst, v, max(0, magnitude(v)-magnitude(step)))
}

// beyond reports whether the label of a tick is a power of ten.
func beyond(v float64) bool { return math.Abs(v) >= 1e5 || math.Abs(v) < 0.99e-3 }

// magnitude returns the exponent of v as a power of ten.
func magnitude(v float64) int { return int(math.Floor(math.Log10(math.Abs(v)) + 1e-9)) }

// AppendValue appends v with three significant digits: 0.0153, 12.3, −4.20, 1.53×10⁻⁸. NaN
// means "not measured" and is written as an en dash.
func AppendValue(dst []byte, v float64) []byte {
	switch a := math.Abs(v); {
	case math.IsNaN(v):
		return append(dst, "–"...)
	case math.IsInf(v, 1):
		return append(dst, "infinite"...)
	case math.IsInf(v, -1):
		return append(dst, "−infinite"...)
	case a == 0:
		return append(dst, '0')
	case a >= 99999.5 || a < 1e-4:
		return appendScientific(dst, v, 2)
	default:
		// The factor 1.0005 makes 9.995 count as 10.0, the number to which it is rounded.
		return appendSigned(dst, v, max(0, 2-int(math.Floor(math.Log10(a*1.0005)))))
	}
}

// AppendShort appends v with up to three significant digits and no trailing
// zeros: 0.1, 0.025, 1×10⁻⁸.
func AppendShort(dst []byte, v float64) []byte {
	if a := math.Abs(v); a < 1e5 && a >= 1e-4 || a == 0 {
		var tmp [32]byte
		r, _ := strconv.ParseFloat(string(strconv.AppendFloat(tmp[:0], v, 'e', 2, 64)), 64)
		return appendText(dst, strconv.AppendFloat(tmp[:0], r, 'f', -1, 64))
	}
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return AppendValue(dst, v)
	}
	for digits := range 2 {
		if r := math.Pow(10, float64(digits)-math.Floor(math.Log10(math.Abs(v)))) * v; math.Abs(r-math.Round(r)) < 1e-3 {
			return appendScientific(dst, v, digits)
		}
	}
	return appendScientific(dst, v, 2)
}

// AppendCount appends a whole number.
func AppendCount(dst []byte, n int) []byte { return strconv.AppendInt(dst, int64(n), 10) }

// AppendPercent appends a share in percent.
func AppendPercent(dst []byte, share float64) []byte {
	return append(AppendTick(dst, 100*share, 1), " %"...)
}

func appendSigned(dst []byte, v float64, decimals int) []byte {
	var tmp [64]byte
	return appendText(dst, strconv.AppendFloat(tmp[:0], v, 'f', decimals, 64))
}

// appendText appends a number with a true minus sign.
func appendText(dst, num []byte) []byte {
	if num[0] == '-' {
		dst, num = append(dst, "−"...), num[1:]
	}
	return append(dst, num...)
}

var superscript = [...]string{"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"}

// appendScientific appends v as a mantissa with the given number of decimals and a power of
// ten. It omits a mantissa of 1.
func appendScientific(dst []byte, v float64, decimals int) []byte {
	var tmp [64]byte
	num := strconv.AppendFloat(tmp[:0], v, 'e', decimals, 64)
	e := bytes.IndexByte(num, 'e')
	if m := num[:e]; string(m) == "-1" {
		dst = append(dst, "−"...)
	} else if string(m) != "1" {
		dst = append(appendText(dst, m), "×"...)
	}
	dst = append(dst, "10"...)
	exponent, _ := strconv.Atoi(string(num[e+1:]))
	if exponent < 0 {
		dst, exponent = append(dst, "⁻"...), -exponent
	}
	for _, c := range strconv.AppendInt(tmp[:0], int64(exponent), 10) {
		dst = append(dst, superscript[c-'0']...)
	}
	return dst
}
