package core

import (
	"sync"

	"macroscope/model/setting"
	"macroscope/model/system"
)

// OncePage is a page that is made on its first use. A variable made by sync.OnceValue would bring the page's
// texts into programs that never show the page.
type OncePage struct {
	once sync.Once
	page *system.Page
}

// Get returns the page. The first call makes it.
func (o *OncePage) Get(make func() *system.Page) *system.Page {
	o.once.Do(func() { o.page = make() })
	return o.page
}

// CompletePresets adds the named settings to every preset of a page that lacks them. Their values come from the
// table.
func CompletePresets(p *system.Page, table setting.Table, names ...string) {
	for _, s := range p.Systems {
		for _, name := range names {
			if _, ok := s.Values[name]; !ok {
				s.Values[name] = table.Find(name).Text()
			}
		}
	}
}
