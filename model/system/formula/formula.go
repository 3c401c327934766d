// Package formula reads formulas of a few variables that a user types, such as "tanh(a*(1-r)) +
// b", and evaluates them.
//
// A formula has numbers, variables, pi, brackets and functions (see Functions). The usual
// precedence holds for + - * / and ^: ^ binds more tightly than a sign, and 2^3^2 is 2^(3^2).
// Comparisons with < > <= >= are 1 or 0. A formula has no loops and defines no names, so evaluating
// a formula from a link takes at most as many operations as the formula has letters. A value is the
// same on every processor (see math.go).
package formula

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"text/scanner"
)

const (
	maxLength = 200 // largest number of letters in a formula
	maxDepth  = 32  // largest number of values on the stack
)

// Formula is a parsed formula. It does not change.
type Formula struct {
	text string
	code []operation // in postfix order

	variables []string
	uses      []bool // which variables occur, by index
}

// operation takes its arguments from the stack and pushes its value onto the stack.
type operation struct {
	constant float64
	variable int // number of the variable, from 1; 0: no variable
	one      func(x float64) float64
	two      func(x, y float64) float64
	choose   bool // whether the operation is if(condition, x, y)
}

// functions lists the functions of one or two arguments. It needs no initialiser, so the linker
// drops it from programs that read no formulas.
var functions = [...]struct {
	name string
	one  func(x float64) float64
	two  func(x, y float64) float64
}{
	{"sqrt", math.Sqrt, nil}, {"exp", exp, nil}, {"log", log, nil}, {"sin", math.Sin, nil}, {"cos", math.Cos, nil}, {"tanh", tanh, nil}, {"sinh", sinh, nil}, {"cosh", cosh, nil},
	{"abs", math.Abs, nil}, {"sign", sign, nil}, {"step", step, nil}, {"min", nil, math.Min}, {"max", nil, math.Max},
}

// Functions lists the functions of formulas. These four need an explanation:
//
//	log(x)                    the natural logarithm
//	step(x)                   1 for x ≥ 0, otherwise 0
//	if(x > 1, y, z)           y for x > 1, otherwise z
//	curve(x, 2, 1, 0.2, -1)   goes smoothly through 1, 0.2 and -1 while x goes from 0 to 2, and is
//	                          constant outside [0, 2]
func Functions() (names []string) {
	for _, f := range functions {
		names = append(names, f.name)
	}
	return append(names, "if", "curve")
}

// fromKeyboard replaces characters that users type or paste, such as × and ², by characters of
// formulas.
func fromKeyboard(text string) string {
	return strings.NewReplacer("−", "-", "–", "-", "·", "*", "×", "*", "÷", "/", "²", "^2", "³", "^3", "**", "^", "≤", "<=", "≥", ">=", "π", "pi").Replace(text)
}

// Parse reads a formula of variables with these names. Its error message is the end of a
// sentence.
func Parse(text string, variables ...string) (*Formula, error) {
	text = strings.Join(strings.Fields(fromKeyboard(strings.ToValidUTF8(text, "?"))), " ")
	if n := len([]rune(text)); n > maxLength {
		return nil, fmt.Errorf("it has %d letters; use %d at most", n, maxLength)
	}
	p := parser{variables: variables, formula: &Formula{variables: variables, uses: make([]bool, len(variables))}}
	p.in.Init(strings.NewReader(text))
	p.in.Mode = scanner.ScanIdents | scanner.ScanFloats
	p.in.Error = func(_ *scanner.Scanner, what string) { p.fail("it cannot be read: %s", what) }
	p.next()
	p.expression(0)
	if p.at != scanner.EOF {
		if p.is == ")" {
			p.fail("there is a bracket “)” too many")
		}
		p.fail("between %s and %s an operator is missing, as the * in 2*r", p.was, p.name())
	}
	if p.err != nil {
		return nil, p.err
	}
	p.formula.text = strings.ReplaceAll(text, " ", "")
	return p.formula, nil
}

// String returns the formula in its normal form, without spaces.
func (f *Formula) String() string { return f.text }

// With returns the formula with numbers in place of variables. `values` has a number for each
// variable, in order. A variable with the value NaN stays.
func (f *Formula) With(values []float64) string {
	var in scanner.Scanner
	var out strings.Builder
	in.Init(strings.NewReader(f.text))
	in.Mode = scanner.ScanIdents | scanner.ScanFloats
	for in.Scan() != scanner.EOF {
		text := in.TokenText()
		if i := slices.Index(f.variables, text); i >= 0 && values[i] == values[i] {
			if text = strconv.FormatFloat(values[i], 'g', -1, 64); values[i] < 0 {
				text = "(" + text + ")"
			}
		}
		out.WriteString(text)
	}
	return out.String()
}

// Uses reports whether the formula contains the variable with this index.
func (f *Formula) Uses(variable int) bool { return f.uses[variable] }

// At returns the formula's value, given the values of its variables. It is NaN where the
// formula is undefined.
func (f *Formula) At(values []float64) float64 {
	var stack [maxDepth]float64
	n := 0
	for i := range f.code {
		switch o := &f.code[i]; {
		case o.two != nil:
			n--
			stack[n-1] = o.two(stack[n-1], stack[n])
		case o.one != nil:
			stack[n-1] = o.one(stack[n-1])
		case o.choose:
			n -= 2
			if stack[n-1] != 0 {
				stack[n-1] = stack[n]
			} else {
				stack[n-1] = stack[n+1]
			}
		case o.variable > 0:
			stack[n] = values[o.variable-1]
			n++
		default:
			stack[n] = o.constant
			n++
		}
	}
	return stack[0]
}

// parser reads a formula by precedence climbing. After an error it skips the rest of the text.
type parser struct {
	in        scanner.Scanner
	variables []string
	formula   *Formula
	depth     int
	at        rune   // kind of the present token
	is, was   string // text of the present and of the previous token
	err       error  // the first error
}

func (p *parser) fail(format string, args ...any) {
	if p.err == nil {
		p.err = fmt.Errorf(format, args...)
	}
	p.at, p.is = scanner.EOF, ""
}

func (p *parser) next() {
	if p.err != nil {
		return
	}
	p.was = p.is
	p.at, p.is = p.in.Scan(), p.in.TokenText()
	if p.err != nil { // the scanner has reported an error
		p.at, p.is = scanner.EOF, ""
		return
	}
	if (p.is == "<" || p.is == ">") && p.in.Peek() == '=' {
		p.in.Next()
		p.is += "="
	}
}

// name returns the present token for an error message.
func (p *parser) name() string {
	if p.at == scanner.EOF {
		return "the end"
	}
	return strconv.Quote(p.is)
}

// emit adds an operation. `takes` is the number of arguments that the operation takes from the
// stack.
func (p *parser) emit(o operation, takes int) {
	if p.depth += 1 - takes; p.depth > maxDepth {
		p.fail("it is nested too deeply; compute fewer things within one another")
	}
	p.formula.code = append(p.formula.code, o)
}

// operators have two arguments and a precedence. A sign binds more tightly than * and less than
// ^: -r^2 is -(r^2), and -r*2 is (-r)*2.
var operators = [...]struct {
	name  string
	binds int
	of    func(x, y float64) float64
}{
	{"<", 1, func(x, y float64) float64 { return truth(x < y) }}, {"<=", 1, func(x, y float64) float64 { return truth(x <= y) }},
	{">", 1, func(x, y float64) float64 { return truth(x > y) }}, {">=", 1, func(x, y float64) float64 { return truth(x >= y) }},
	{"+", 2, func(x, y float64) float64 { return x + y }}, {"-", 2, func(x, y float64) float64 { return x - y }},
	{"*", 3, func(x, y float64) float64 { return x * y }}, {"/", 3, func(x, y float64) float64 { return x / y }},
	{"^", powerBinds, pow},
}

const signBinds, powerBinds = 4, 5

// expression reads operators with their operands, until it meets an operator with a precedence
// below `least`.
func (p *parser) expression(least int) {
	p.operand()
	for p.err == nil {
		i := 0
		for i < len(operators) && operators[i].name != p.is {
			i++
		}
		if i == len(operators) || operators[i].binds < least {
			return
		}
		p.next()
		o := &operators[i]
		if o.binds == powerBinds {
			p.expression(powerBinds) // 2^3^2 is 2^(3^2)
		} else {
			p.expression(o.binds + 1)
		}
		p.emit(operation{two: o.of}, 2)
	}
}

// operand reads a number, a variable or a function call, with or without a sign.
func (p *parser) operand() {
	switch is := p.is; {
	case p.atNumber():
		p.emit(operation{constant: p.constant()}, 0)
	case is == "-" || is == "+":
		p.next()
		p.expression(signBinds)
		if is == "-" {
			p.emit(operation{one: func(x float64) float64 { return -x }}, 1)
		}
	case is == "(":
		p.next()
		p.expression(0)
		p.close()
	case p.at == scanner.Ident:
		p.next()
		p.named(is)
	default:
		p.fail("before %s a number, a variable or a function is missing", p.name())
	}
}

func (p *parser) atNumber() bool { return p.at == scanner.Int || p.at == scanner.Float }

// constant reads a number without a sign.
func (p *parser) constant() float64 {
	v, err := strconv.ParseFloat(p.is, 64)
	if err != nil {
		p.fail("%s is no number", p.name())
	}
	p.next()
	return v
}

// close reads a closing bracket.
func (p *parser) close() {
	if p.err == nil && p.is != ")" {
		p.fail("before %s a bracket “)” or an operator is missing", p.name())
	}
	p.next()
}

// named reads the text after a name: the arguments of a function, or nothing after a variable.
func (p *parser) named(name string) {
	if i := slices.Index(p.variables, name); i >= 0 {
		p.formula.uses[i] = true
		p.emit(operation{variable: i + 1}, 0)
		return
	}
	if name == "pi" {
		p.emit(operation{constant: math.Pi}, 0)
		return
	}
	if name == "curve" {
		p.curve()
		return
	}
	o, takes := operation{choose: name == "if"}, 3
	for _, f := range functions {
		if f.name == name {
			if o.one, o.two, takes = f.one, f.two, 1; f.two != nil {
				takes = 2
			}
		}
	}
	if !o.choose && takes == 3 {
		p.fail("there is no %q; it can have %s, pi, and the functions %s", name, strings.Join(p.variables, ", "), strings.Join(Functions(), ", "))
		return
	}
	if p.is != "(" {
		p.fail("after %s a bracket “(” is missing, as in %s(r)", name, name)
		return
	}
	there := 0
	for ok := true; ok && p.err == nil; ok = p.is == "," {
		p.next()
		p.expression(0)
		there++
	}
	if p.close(); p.err == nil && there != takes {
		p.fail("%s is of %d values, and here it has %d", name, takes, there)
	}
	p.emit(o, takes)
}
