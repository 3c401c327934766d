package session

// NewAt returns a Session with the given clock.
var NewAt = newSession

// WidthWords is widthWords for tests.
var WidthWords = widthWords
