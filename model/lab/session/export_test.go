package session

// NewAt returns a Session with the given clock.
var NewAt = newSession
