package session

// NewAt returns a Session with the given clock.
var NewAt = newSession

// Headline contains the facts of the sentences above the picture.
type Headline = headline

// Standing compares a model with the settings.
type Standing = standing
