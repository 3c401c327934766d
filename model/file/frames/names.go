package frames

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"macroscope/model/file/data"
	"macroscope/model/setting"
)

// column is what a column of a table contains.
type column int

// The columns. A table can have several columns of the same kind, such as a frame and a step; the
// one that comes first in its list of names is read.
const (
	unknown  column = iota
	frameOf         // the number of a frame
	timeOf          // its time
	particle        // the name of a particle
	species
	run   // the name of a run
	track // the name of a particle, or of a run if another column names the particles
	image // the number of a frame, if no other column tells the frames apart
	axisX
	axisY
	axisZ
)

// known lists the names of the columns, as words in lower case, the best first.
var known = map[column][]string{
	frameOf:  {"frame", "frames", "frame number", "frame no", "frame nr", "frame n", "frame index", "frame idx", "frame id", "step", "timestep", "time step"},
	timeOf:   {"time", "t"},
	particle: {"particle", "particle id", "particles", "track", "track id", "track number", "track no", "track nr", "track n", "atom", "atom id", "id", "tid", "pid", "cell", "cell id", "person", "person id", "pedestrian", "pedestrian id", "agent", "agent id", "object", "object id", "individual", "animal", "animal id"},
	species:  {"type", "species", "particle type", "atom type", "element", "kind"},
	run:      {"run", "run id", "run number", "run no", "run nr", "run n", "experiment", "replicate", "movie", "trial", "simulation"},
	track:    {"trajectory"},
	image:    {"slice", "slice n", "image", "image number"},
	axisX:    {"xu", "x"},
	axisY:    {"yu", "y"},
	axisZ:    {"zu", "z"},
}

// kindOf returns what a column with this name contains. A smaller rank is a better name.
func kindOf(name string) (kind column, rank int) {
	text := strings.Join(words(name), " ")
	for c := frameOf; c <= axisZ; c++ {
		if i := slices.Index(known[c], text); i >= 0 {
			return c, i
		}
	}
	return unknown, 0
}

// Place reports whether a column with this name has x, y or z.
func Place(name string) bool {
	kind, _ := kindOf(name)
	return kind == axisX || kind == axisY || kind == axisZ
}

// Words that say nothing about which coordinate a column contains.
var (
	places = []string{"pos", "position", "positions", "coord", "coordinate", "coordinates", "centroid", "center", "centre", "location", "loc"}
	units  = []string{"um", "µm", "μm", "nm", "mm", "cm", "m", "a", "å", "px", "pixel", "pixels", "micron", "microns", "s", "sec", "ms", "ps", "fs", "sigma", "σ"}
)

// words splits a name such as “Position X [µm]”, “pos_x” or “TrackID” into words in lower case. It
// leaves out brackets, units after another word, and words such as “position”.
func words(name string) []string {
	if i := strings.IndexAny(name, "([{"); i > 0 {
		name = name[:i]
	}
	var found []string
	var word []rune
	end := func() {
		if len(word) > 0 {
			found = append(found, strings.ToLower(string(word)))
			word = nil
		}
	}
	before := ' '
	for _, r := range name {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			end()
		case unicode.IsUpper(r) && unicode.IsLower(before):
			end()
			fallthrough
		default:
			word = append(word, r)
		}
		before = r
	}
	end()
	found = slices.DeleteFunc(found, func(w string) bool { return len(found) > 1 && slices.Contains(places, w) })
	if last := len(found) - 1; last > 0 && slices.Contains(units, found[last]) {
		found = found[:last]
	}
	return found
}

// Divide divides a text such as “speed [m/s]” into a name and a unit.
func Divide(text string) (name, unit string) {
	text = strings.TrimSpace(text)
	if at := strings.LastIndex(text, "["); at >= 0 && strings.HasSuffix(text, "]") {
		return strings.TrimSpace(text[:at]), strings.TrimSpace(text[at+1 : len(text)-1])
	}
	return text, ""
}

// matching returns the index of the column with a name that the user has given, in the same letters or without units
// and words such as “position”; -1: there is none.
func matching(header []string, name string) int {
	if i := slices.IndexFunc(header, func(s string) bool { return strings.EqualFold(s, name) }); i >= 0 {
		return i
	}
	given := words(name)
	return slices.IndexFunc(header, func(s string) bool { return len(given) > 0 && slices.Equal(words(s), given) })
}

func noColumn(name string, header []string) error {
	return fmt.Errorf("there is no column %s; there are %s", setting.Quote(name), data.List(header))
}
