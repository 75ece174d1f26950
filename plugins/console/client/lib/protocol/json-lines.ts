/** Finds the line of a JSON Pointer (RFC 6901) in a JSON text, for marks in an editor. */

/** Line, from 1, of the value at a pointer (with or without `#`), or of its nearest existing parent. */
export function lineOfPointer(text: string, pointer: string): number {
  const wanted = pointer
    .replace(/^#/, '')
    .split('/')
    .slice(1)
    .map(segment => safeDecode(segment).replace(/~1/g, '/').replace(/~0/g, '~'))
  const walker = new Walker(text, wanted)
  walker.value(0, true)
  return text.slice(0, walker.found).split('\n').length
}

function safeDecode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Maximum depth of the search, to bound the recursion. */
const MAX_DEPTH = 200

class Walker {
  /** Offset of the deepest match so far. */
  found = 0
  #at = 0
  readonly #text: string
  readonly #wanted: readonly string[]

  constructor(text: string, wanted: readonly string[]) {
    this.#text = text
    this.#wanted = wanted
  }

  /** Walks one value. `isOnPath`: all its parents match the pointer. */
  value(depth: number, isOnPath: boolean): void {
    this.#blank()
    const open = this.#text[this.#at]
    if (depth < MAX_DEPTH && (open === '{' || open === '[')) this.#container(open === '{', depth, isOnPath)
    else if (open === '"') this.#string()
    else while (this.#at < this.#text.length && !/[,\]}\s]/.test(this.#text[this.#at]!)) this.#at++
  }

  #container(isObject: boolean, depth: number, isOnPath: boolean): void {
    this.#at++
    for (let index = 0; this.#at < this.#text.length; index++) {
      this.#blank()
      const start = this.#at
      if (/[}\]]/.test(this.#text[start] ?? '}')) break
      const key = isObject ? this.#string() : String(index)
      if (isObject) {
        this.#blank()
        if (this.#text[this.#at] === ':') this.#at++
      }
      const matches = isOnPath && this.#wanted[depth] === key
      if (matches) this.found = start
      this.value(depth + 1, matches)
      this.#blank()
      if (this.#text[this.#at] !== ',') {
        // Skips invalid characters, so that the walk ends.
        if (this.#at === start) this.#at++
        break
      }
      this.#at++
    }
    this.#blank()
    if (/[}\]]/.test(this.#text[this.#at] ?? '')) this.#at++
  }

  #string(): string {
    const start = this.#at++
    while (this.#at < this.#text.length && this.#text[this.#at] !== '"')
      this.#at += this.#text[this.#at] === '\\' ? 2 : 1
    this.#at++
    try {
      return JSON.parse(this.#text.slice(start, this.#at)) as string
    } catch {
      return ''
    }
  }

  #blank(): void {
    while (/\s/.test(this.#text[this.#at] ?? '')) this.#at++
  }
}
