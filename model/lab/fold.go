package lab

import (
	"slices"

	"macroscope/model/wire"
)

// mainControls lists the controls that stand first next to the whole picture, if the lab has them. The simple view of the
// page shows a few of them.
var mainControls = []string{"preset", "method", "n", "boundary", "rate", "temperature", "eps", "zdim", "survey", "train", "shuffle", "another", "portrait", "drift", "shipped", "release"}

// mostMain is the largest number of main controls. A longer list would be hard to take in. The
// control "release" does not count, because it is hidden except while the user holds z.
const mostMain = 11

// fold moves the main controls into a new group and closes the other groups. Groups with Peek
// stay unchanged and come before the new group. A phone always shows them. The controls `own`, which a system
// names, come first.
func fold(groups []wire.Group, title string, own ...string) []wire.Group {
	first := wire.Group{ID: "main", Title: title}
	var peeks, others []wire.Group
	for _, g := range groups {
		if g.Peek {
			peeks = append(peeks, g)
		} else {
			others = append(others, g)
		}
	}
	for _, id := range slices.Concat(own, mainControls) {
		for i := range others {
			of := &others[i].Controls
			at := slices.IndexFunc(*of, func(c wire.Control) bool { return c.ID == id })
			if at < 0 || len(first.Controls) >= mostMain && id != "release" {
				continue
			}
			c := (*of)[at]
			c.Beside = false
			first.Controls = append(first.Controls, c)
			*of = slices.Delete(slices.Clone(*of), at, at+1)
		}
	}
	for i := range others {
		others[i].Closed = true
	}
	others = slices.DeleteFunc(others, func(g wire.Group) bool { return len(g.Controls) == 0 })
	if len(first.Controls) == 0 {
		return append(peeks, others...)
	}
	return slices.Concat(peeks, []wire.Group{first}, others)
}
