//go:build first

package dynamics

const withOnsager = false
