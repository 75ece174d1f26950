/** JSON texts compared value by value, with numbers as they are written. */

export interface JsonDifferences {
  /** Paths that only the second text has. */
  added: string[]
  /** Paths that only the first text has. */
  missing: string[]
  /** Paths whose value reads otherwise. */
  changed: string[]
  /** Numbers that are written otherwise and read the same. */
  rewritten: string[]
}

const MAX_VALUES = 20_000

/** Every scalar and every empty container by its path: strings decoded, numbers as written. Null if it is not JSON. */
export function jsonValues(text: string): Map<string, string> | null {
  try {
    JSON.parse(text)
  } catch {
    return null
  }
  const values = new Map<string, string>()
  let at = 0
  const skipBlanks = (): void => {
    while (/\s/.test(text[at] ?? '')) at++
  }
  const string = (): string => {
    const from = at++
    while (text[at] !== '"') at += text[at] === '\\' ? 2 : 1
    return JSON.parse(text.slice(from, ++at)) as string
  }
  const container = (path: string, isArray: boolean): void => {
    at++
    let count = 0
    for (skipBlanks(); text[at] !== ']' && text[at] !== '}'; skipBlanks()) {
      if (text[at] === ',') at++
      skipBlanks()
      let key = String(count++)
      if (!isArray) {
        key = string()
        skipBlanks()
        at++
      }
      value(`${path}/${key}`)
    }
    at++
    if (count === 0) values.set(path, isArray ? '[]' : '{}')
  }
  const value = (path: string): void => {
    skipBlanks()
    const first = text[at]
    if (values.size >= MAX_VALUES) throw new Error('too many values')
    if (first === '{' || first === '[') return container(path, first === '[')
    if (first === '"') return void values.set(path, `"${string()}`)
    const from = at
    while (at < text.length && !/[\s,\]}]/.test(text[at]!)) at++
    values.set(path, text.slice(from, at))
  }
  value('')
  return values
}

/** Null if one of them is not JSON. */
export function jsonDifferences(before: string, after: string): JsonDifferences | null {
  const first = jsonValues(before)
  const second = jsonValues(after)
  if (first === null || second === null) return null
  const found: JsonDifferences = { added: [], missing: [], changed: [], rewritten: [] }
  for (const [path, value] of first) {
    const other = second.get(path)
    if (other === undefined) found.missing.push(path)
    else if (other !== value) (isSameNumber(value, other) ? found.rewritten : found.changed).push(path)
  }
  found.added = [...second.keys()].filter(path => !first.has(path))
  return found
}

/** Whether a text has all members of a value, unchanged. */
export function hasSameValues(value: object, text: string): boolean {
  const changes = jsonDifferences(JSON.stringify(value), text)
  return changes !== null && changes.missing.length === 0 && changes.changed.length === 0
}

function isSameNumber(a: string, b: string): boolean {
  const first = exact(a)
  return first !== null && first === exact(b)
}

/** A number as sign, digits without zeros at the ends, and exponent. */
function exact(text: string): string | null {
  const match = /^(-?)(\d{1,400})(?:\.(\d{1,400}))?(?:e([+-]?\d{1,5}))?$/i.exec(text)
  if (match === null) return null
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = match
  const all = `${whole}${fraction}`
  const start = all.search(/[1-9]/)
  if (start === -1) return '0'
  let end = all.length
  while (all[end - 1] === '0') end--
  return `${sign}${all.slice(start, end)}e${Number(exponent) - fraction.length + (all.length - end)}`
}
