// Package chart holds the plots of the labs' pictures: quantities over time with their bands,
// training curves, bars and ribbons of ẑ, densities on a line, and the latent portrait.
//
// A Chart has an Axis (what x counts), Curves over it, and Marks. Nothing in this package is safe for
// concurrent use.
package chart
