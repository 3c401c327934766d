//go:build !first

package dynamics

// withOnsager says whether the program has OnsagerNets. The page's first program has no system with dynamics, so it is
// built without them (see serve/dist).
const withOnsager = true
