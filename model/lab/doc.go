// Package lab describes a system on the page. A Lab lists the models and files of a system.
// Settings holds the settings that every lab has in addition to the system's own settings.
// Panel makes the controls and figures for all settings. The names and texts of the controls
// are in assets/texts, which system.ReadPage reads.
package lab
