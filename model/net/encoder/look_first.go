//go:build first

package encoder

// look panics. The page's first program has no system with circles or neighbourhoods, so it is built without them (see
// serve/dist).
func look(Net, Shape) Net { panic("encoder: this program sees neither circles nor neighbourhoods") }
