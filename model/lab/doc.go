// Package lab is what the page says of a system before anything happens: which
// models and files come with it (Lab), the settings that every lab has beside the
// system's own (Settings), and the panel of controls and numbers that is made of
// both (Panel). What all of them are called and say is in assets/texts, as
// system.ReadPage reads it.
package lab
