package lab

import "macroscope/model/setting"

// Sheet contains the settings of a lab with their table. The table is made only once.
type Sheet struct {
	Settings
	lab   *Lab
	table setting.Table
}

// NewSheet returns the settings with which a lab opens.
func NewSheet(l *Lab) *Sheet {
	s := &Sheet{Settings: Defaults(l), lab: l}
	s.table = s.Settings.Table(l)
	return s
}

// Table lists the settings, like Settings.Table.
func (s *Sheet) Table() setting.Table { return s.table }
