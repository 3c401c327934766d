package fit

// queue hands out the numbers 0 … n-1 that are not done, in order. It hands out a number twice
// only if the number is given back. It also records which numbers are done.
type queue struct {
	n, next int
	back    []int  // numbers that were given back
	there   []bool // for each number, whether it is done
	count   int    // how many numbers are done
	first   int    // the first number that is not done
}

func newQueue(n int) queue { return queue{n: n, there: make([]bool, n)} }

// take hands out a number that was given back. Without such a number, it hands out the next number
// below the limit. ok is false if the limit is reached.
func (q *queue) take(limit int) (i int, ok bool) {
	if last := len(q.back) - 1; last >= 0 {
		i, q.back = q.back[last], q.back[:last]
		return i, true
	}
	for q.next < q.n && q.there[q.next] {
		q.next++
	}
	if q.next >= min(limit, q.n) {
		return 0, false
	}
	q.next++
	return q.next - 1, true
}

// giveBack returns a number to the queue, which will hand it out again.
func (q *queue) giveBack(i int) { q.back = append(q.back, i) }

// put marks a number as done.
func (q *queue) put(i int) {
	q.there[i] = true
	q.count++
	for q.first < q.n && q.there[q.first] {
		q.first++
	}
}
