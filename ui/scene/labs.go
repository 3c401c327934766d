package scene

import "macroscope/model/wire"

// labs lists the scenes by the names of their labs.
var labs = map[string]func() *Scene{
	wire.Demo:   line,
	"particles": particles,
	"mixing":    mixing,
	"polymer":   polymer,
	"flock":     own,
	"own":       own,
}
