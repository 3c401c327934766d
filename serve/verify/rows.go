package verify

import (
	"context"
	"path"
	"slices"
	"strconv"
	"strings"

	"macroscope/model/file/data"
)

// A row recomputes the cases of one kind.
type row struct {
	// arrays lists the arrays in an archive of this kind. A name may have a shape with numbers or
	// letters as lengths; each letter stands for one length. Names in brackets are results. An
	// archive must contain at least one result, and all results that it contains are checked. In
	// the name of a result, * matches any text.
	arrays string
	double func(*check[float64])
	single func(*check[float32]) // nil if Macroscope computes this kind only in float64
}

var rows = []row{
	{"widths(n,k) heights(n,k) derivatives bound x(n) y(n)", splineDouble, splineSingle},
	{"points(n,d) counts w0 b0 w1 b1 w2 b2 w3 b3 [z] [grad_*]", deepSet[float64], deepSet[float32]},
	{"points(n,d) counts heads in_w isab0_inducing isab0_a1_q_w isab0_ff0_b pma_seed pma_ff1_b out_w out_b [z] [grad_*]",
		setTransformer[float64], setTransformer[float32]},
	{"particles(m,d) eps x(n,d) log_q(n)", smoothed[float64], smoothed[float32]},
	{"x(n,d) alpha gamma pot_w0 pot_b0 pot_w1 pot_b1 diss_w0 diss_b0 diss_w1 diss_b1 cons_w0 cons_b0 cons_w1 cons_b1 " +
		"[potential] [grad_potential] [drift]", onsager[float64], onsager[float32]},
	{"x(n,d) rate(n,d) beta min_d trunk0_w trunk0_b matrix_w matrix_b pot_w pot_b pot_in_w pot_in_b force_w force_b " +
		"[potential] [grad_*] [drift] [loss]", resNet[float64], resNet[float32]},
	{"z0(n,d) z1(n,d) dt drift_w0 drift_b0 drift_w1 drift_b1 drift_w2 drift_b2 diff_w0 diff_b0 diff_w1 diff_b1 diff_w2 diff_b2 " +
		"[drift] [diffusion] [rk4(r,t,d)] [nll] [grad_*]", stochastic[float64], stochastic[float32]},
	{"frames(k,n,2) frame_index(k) dt a b", interactingDouble, interactingSingle},
	{"pred(n,t,d) true(n,t,d) [per_trajectory(n)] [mre]", relativeError, nil},
	{"positions(n,2) types(n) cutoff [forces] [potential] [ratios]", lennardJonesDouble, lennardJonesSingle},
	{"pred(n,t,d) true(m,t,d) [per_step(t)] [mmd]", discrepancy, nil},
	{"a(n,d) b(m,d) chamfer", chamfer[float64], chamfer[float32]},
	{"x(s,n,d) x_next(s,n,d) permutation(s,n) dt zbar zbar_next [aug_loss] [aeinve_loss] [aeinvecd_loss] [inve_ode_loss] [inve_sde_loss]",
		autoencodersDouble, autoencoders[float32]},
	{"x(n,c,h,w) z(n,d) conv0_w conv0_b enc_w enc_b dec_w dec_b deconv0_w deconv0_b", convolutions[float64], convolutions[float32]},
	{"x(n,c,h,w) z(n,d) heads patch embed_w embed_b cls pos dec_pos enc0_ff0_b to_z_w from_z_w pixels_w", patches[float64], patches[float32]},
	{"[exact(n,14)] [trimer(m,6)] [start_*_init]", chains, nil},
	{"beads(k,n,3) images(k,h,w)", pictureDouble, pictureSingle},
	{"x0(n,d) x1(n,d) t(n) which(n) z(s,k) sigma steps v0_w v0_b v1_w v1_b v2_w v2_b [points(p,d)] [points_z(p,k)] [log_density(p)] [loss] [grad_*]",
		flowMatching[float64], flowMatching[float32]},
}

// An entry is one array in a row's list.
type entry struct {
	name, shape string // shape is "" if any shape will do
	optional    bool
}

// spec parses the row's list of arrays.
func (r row) spec() (entries []entry) {
	for _, array := range strings.Fields(r.arrays) {
		inner, optional := strings.CutPrefix(array, "[")
		name, shape, _ := strings.Cut(strings.TrimSuffix(strings.TrimSuffix(inner, "]"), ")"), "(")
		entries = append(entries, entry{name, shape, optional})
	}
	return entries
}

// matches returns the names in an archive that match the entry.
func (e entry) matches(arrays map[string]*data.Array) (names []string) {
	for name := range arrays {
		if ok, err := path.Match(e.name, name); ok && err == nil {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// fits reports whether an archive has the arrays of a row: all required arrays and, if the row
// has names in brackets, at least one of these.
func (r row) fits(arrays map[string]*data.Array) bool {
	optional, found := false, false
	for _, e := range r.spec() {
		there := len(e.matches(arrays)) > 0
		if !there && !e.optional {
			return false
		}
		optional, found = optional || e.optional, found || e.optional && there
	}
	return found || !optional
}

// lengths returns a map from letters to lengths. Each letter in the row's shapes stands for a
// length.
func (r row) lengths(arrays map[string]*data.Array) map[string]int {
	known := map[string]int{}
	for _, e := range r.spec() {
		for _, name := range e.matches(arrays) {
			if e.shape != "" {
				e.measure(name, arrays[name].Shape, known)
			}
		}
	}
	return known
}

// measure checks the shape of a matching array. A letter in the entry's shape stands for a length.
// When a letter first occurs, measure stores this length in `known`.
func (e entry) measure(name string, got []int, known map[string]int) {
	want := strings.Split(e.shape, ",")
	fits := len(got) == len(want)
	for k := 0; fits && k < len(got); k++ {
		length, err := strconv.Atoi(want[k])
		if err != nil {
			if known[want[k]] == 0 {
				known[want[k]] = got[k]
			}
			length = known[want[k]]
		}
		fits = got[k] == length && length > 0
	}
	if !fits {
		failf("%s has the shape %v and should have (%s), with %v", name, got, e.shape, known)
	}
}

// Tolerances of the relative error. In float64, results differ from the references only by the
// order of summation. In float32, the rounding errors of 24-bit numbers accumulate in networks and
// in sums of hundreds of terms.
const (
	tolerance64 = 1e-9
	tolerance32 = 1e-4
)

// An error is divided by the reference value, but at least by this share of the array's largest
// element. The limit is needed in float64, because an element that cancels to zero has no
// significant digits. In float32, the inputs are rounded by up to 2^-24 of the largest input, and
// steep functions magnify this rounding, so all errors are divided by the largest element.
const floor64, floor32 = 1e-3, 1

// results recomputes an archive of the row's kind. `left` lists the parts that were not recomputed.
func (r row) results(ctx context.Context, arrays map[string]*data.Array) (done []comparison, left []string) {
	lengths, seen := r.lengths(arrays), map[string]bool{}
	double := comparison{tolerance: tolerance64, floor: floor64}
	r.double(&check[float64]{ctx, arrays, seen, "", lengths, &double})
	if double.count == 0 {
		failf("there is nothing in it that can be compared: %s", strings.Join(double.left, ", "))
	}
	done = append(done, double)
	if r.single != nil {
		single := comparison{precision: ".float32", tolerance: tolerance32, floor: floor32}
		r.single(&check[float32]{ctx, arrays, seen, "", lengths, &single})
		if single.count > 0 {
			done = append(done, single)
		}
	}
	for _, c := range done {
		left = append(left, c.left...)
	}
	for name := range arrays {
		if !seen[name] {
			left = append(left, name)
		}
	}
	slices.Sort(left)
	return done, left
}
