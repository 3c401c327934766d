// Package chart holds the plots of the labs' pictures. There is one kind, the Chart: it is placed,
// titled, read, focused and dragged in one way. Its Axis says what x counts: the frames of a Clock,
// the Steps of a training, or what a Mark counts. It draws Curves over this axis (measured, predicted,
// bands, members, components of ẑ) and Marks: Bars, Ribbon, Portrait and Density.
//
// Nothing in this package is safe for concurrent use.
package chart
