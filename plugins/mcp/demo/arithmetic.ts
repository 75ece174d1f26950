/** Evaluates arithmetic expressions by recursive descent, with bounded depth. */

/** A problem in an expression; the position is counted in characters from 0. */
export class ArithmeticError extends Error {
  readonly position: number
  constructor(problem: string, position: number) {
    super(`${problem} at position ${position}`)
    this.position = position
  }
}

const MAX_DEPTH = 64
const NUMBER = /(?:\d+(?:\.\d+)?|\.\d+)/y

/**
 * Precedence, lowest first: `+ -`, `* / %`, unary signs, `^`. `^` is right-associative: `-2^2` is -4, `2^-1` is 0.5.
 * Throws `ArithmeticError` if the expression is invalid or its result is not finite.
 */
export function evaluate(expression: string): number {
  const parser = new Parser(expression)
  return parser.parse()
}

class Parser {
  readonly #text: string
  #position = 0
  #depth = 0

  constructor(text: string) {
    this.#text = text
  }

  parse(): number {
    const value = this.#sum()
    if (this.#peek() !== '') throw this.#unexpected()
    // Turns -0 into 0.
    return value + 0
  }

  #sum(): number {
    let value = this.#product()
    for (let operator = this.#take('+-'); operator; operator = this.#take('+-')) {
      const position = this.#position - 1
      const right = this.#product()
      value = requireFinite(operator === '+' ? value + right : value - right, position)
    }
    return value
  }

  #product(): number {
    let value = this.#signed()
    for (let operator = this.#take('*/%'); operator; operator = this.#take('*/%')) {
      const position = this.#position - 1
      const right = this.#signed()
      value = requireFinite(
        operator === '*' ? value * right : operator === '/' ? value / right : value % right,
        position,
      )
    }
    return value
  }

  #signed(): number {
    const sign = this.#take('+-')
    if (!sign) return this.#power()
    const value = this.#nested(() => this.#signed())
    return sign === '-' ? -value : value
  }

  #power(): number {
    const base = this.#atom()
    if (!this.#take('^')) return base
    const position = this.#position - 1
    return requireFinite(base ** this.#nested(() => this.#signed()), position)
  }

  #atom(): number {
    if (this.#take('(')) {
      const value = this.#nested(() => this.#sum())
      if (!this.#take(')')) throw this.#unexpected('")"')
      return value
    }
    this.#skipBlanks()
    NUMBER.lastIndex = this.#position
    const number = NUMBER.exec(this.#text)?.[0]
    if (number === undefined) throw this.#unexpected('a number')
    const position = this.#position
    this.#position += number.length
    return requireFinite(Number(number), position)
  }

  #nested(parse: () => number): number {
    if (++this.#depth > MAX_DEPTH) throw new ArithmeticError(`nested deeper than ${MAX_DEPTH} levels`, this.#position)
    const value = parse()
    this.#depth--
    return value
  }

  /** Consumes the next character if it is one of these. */
  #take(characters: string): string | null {
    const next = this.#peek()
    if (next === '' || !characters.includes(next)) return null
    this.#position++
    return next
  }

  #peek(): string {
    this.#skipBlanks()
    return this.#text.charAt(this.#position)
  }

  #skipBlanks(): void {
    while (this.#position < this.#text.length && /\s/.test(this.#text.charAt(this.#position))) this.#position++
  }

  #unexpected(expected = 'an operator'): ArithmeticError {
    const found = this.#peek()
    return new ArithmeticError(
      `${found === '' ? 'unexpected end' : `unexpected "${found}"`} (expected ${expected})`,
      this.#position,
    )
  }
}

function requireFinite(value: number, position: number): number {
  if (!Number.isFinite(value)) throw new ArithmeticError('the result is not finite', position)
  return value
}
