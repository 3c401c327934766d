package session

// NewAt returns a Session with its own clock.
var NewAt = newSession
