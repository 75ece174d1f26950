/** What it costs to compile a regular expression, judged by its text: compiling first would be too late. */

export interface PatternCost {
  /** Upper bound of the number of instructions. */
  size: number
  /** Of `StepBudget`. */
  steps: number
}

/** Steps for each character, and for each instruction; of an anchored pattern, for which a further form is built. */
const CHARACTER = 300
const INSTRUCTION = 150
const ANCHORED_INSTRUCTION = 800
const ANCHORED_CLASS = 2500
/** A Unicode class such as `\pL` has hundreds of ranges; comparing without case folds each of them. */
const UNICODE_CLASS = 15_000
const FOLDED_CLASS = 20_000
/** Folding a range beyond ASCII visits each of its characters, up to 125,251. */
const FOLDED_RANGE = 350_000
const ASCII_RANGE = 500

const REPETITION = /\{(\d{1,4})(,?)(\d{0,4})\}/y
const UNICODE = /\\[pP](?:\{[^}]*\})?/y
const IGNORES_CASE = /\(\?[imsU]*i/

/** The concatenation that is being read. */
interface Level {
  size: number
  /** Size of the item that a repetition would repeat. */
  last: number
}

export function costOfPattern(source: string): PatternCost {
  const folds = IGNORES_CASE.test(source)
  const isAnchored = source.includes('^') || source.includes('\\A')
  const unicodeClass = folds ? FOLDED_CLASS : UNICODE_CLASS
  const outer: Level[] = []
  let level: Level = { size: 0, last: 0 }
  let classes = 0
  let hasUnicode = false
  const add = (size: number): void => {
    level.size += size
    level.last = size
  }
  for (let at = 0; at < source.length; at++) {
    switch (source[at]) {
      case '\\':
        if (readAt(UNICODE, source, at) !== null) {
          classes += unicodeClass
          hasUnicode = true
        }
        at = endOfEscape(source, at)
        add(1)
        break
      case '[': {
        const end = endOfClass(source, at)
        const text = source.slice(at, end)
        const unicode = text.match(/\\[pP]/g)?.length ?? 0
        hasUnicode ||= unicode > 0
        classes += unicode * unicodeClass + rangeSteps(text, folds)
        at = end
        add(1)
        break
      }
      case '(':
        outer.push(level)
        level = { size: 0, last: 0 }
        break
      case ')': {
        const size = level.size + 2
        level = outer.pop() ?? { size: 0, last: 0 }
        add(size)
        break
      }
      case '|':
        add(1)
        break
      case '*':
      case '+':
      case '?':
        level.size++
        level.last++
        break
      case '{': {
        const found = readAt(REPETITION, source, at)
        if (found === null) {
          add(1)
          break
        }
        const [whole, min = '0', , max = ''] = found
        const repeated = Math.max(Number(min) + 1, Number(max)) * (level.last + 1)
        level.size += repeated - level.last
        level.last = repeated
        at += whole.length - 1
        break
      }
      default:
        add(1)
    }
  }
  const size = outer.reduce((sum, { size: own }) => sum + own, level.size) + 2
  const instruction = isAnchored ? ANCHORED_INSTRUCTION + (hasUnicode ? ANCHORED_CLASS : 0) : INSTRUCTION
  return { size, steps: source.length * CHARACTER + size * instruction + classes }
}

/** Steps for the ranges of a class, such as `[a-z]`. */
function rangeSteps(text: string, folds: boolean): number {
  const ranges = text.split('-').length - 1
  if (ranges === 0) return 0
  const isAscii = !/[^\x20-\x7e]|\\[xu]/.test(text)
  return ranges * (folds && !isAscii ? FOLDED_RANGE : ASCII_RANGE)
}

/** The index of the last character of an escape such as `\d`, `\x{1f600}` or `\pL`. */
function endOfEscape(source: string, at: number): number {
  if (source[at + 2] !== '{' || !/[pPx]/.test(source[at + 1] ?? '')) return at + 1
  const end = source.indexOf('}', at)
  return end === -1 ? source.length : end
}

/** The index of the bracket that ends a class, or the last index of the text. */
function endOfClass(source: string, at: number): number {
  let index = at + 1
  if (source[index] === '^') index++
  if (source[index] === ']') index++
  for (; index < source.length; index++) {
    if (source[index] === '\\') index++
    else if (source.startsWith('[:', index)) {
      const end = source.indexOf(':]', index + 2)
      if (end !== -1) index = end + 1
    } else if (source[index] === ']') return index
  }
  return source.length - 1
}

function readAt(pattern: RegExp, source: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at
  return pattern.exec(source)
}
