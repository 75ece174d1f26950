/** JSON text of a large value in chunks, so that it need not be in memory as a whole, and can be counted before it is sent. */

/** Characters of a chunk before they are escaped, about. */
const CHUNK = 32_768

/**
 * A list whose items are made each time they are read. In JSON it is an array. Its items are small: each is
 * written as a whole.
 */
export class JsonList<T> implements Iterable<T> {
  readonly #make: () => Iterable<T>

  constructor(make: () => Iterable<T>) {
    this.#make = make
  }

  [Symbol.iterator](): Iterator<T> {
    return this.#make()[Symbol.iterator]()
  }

  toJSON(): T[] {
    return [...this.#make()]
  }
}

/** The text of `JSON.stringify(value)` in chunks of a bounded size. */
export function* jsonChunks(value: unknown): Generator<string> {
  let text = ''
  for (const part of partsOf(value)) {
    text += part
    if (text.length < CHUNK) continue
    yield text
    text = ''
  }
  if (text !== '') yield text
}

/** Bytes of `JSON.stringify(value)`, which is not made as a whole. */
export function jsonBytes(value: unknown): number {
  let bytes = 0
  for (const chunk of jsonChunks(value)) bytes += Buffer.byteLength(chunk)
  return bytes
}

function* partsOf(given: unknown): Generator<string> {
  const value = isLazyList(given) ? given : plain(given)
  if (isLazyList(value)) yield* lazyParts(value)
  else if (Array.isArray(value)) yield* listParts(value)
  else if (typeof value === 'object' && value !== null) yield* objectParts(value)
  else if (typeof value === 'string') yield* textParts(value)
  else yield JSON.stringify(value) ?? 'null'
}

/** Recognized by its members: after a reload there can be two copies of the class. */
function isLazyList(value: unknown): value is Iterable<unknown> {
  return hasToJson(value) && !ArrayBuffer.isView(value) && Symbol.iterator in value
}

function hasToJson(value: unknown): value is { toJSON(): unknown } {
  return typeof value === 'object' && value !== null && typeof (value as { toJSON?: unknown }).toJSON === 'function'
}

function plain(value: unknown): unknown {
  return hasToJson(value) ? value.toJSON() : value
}

/** A value that is written at once. */
function isSmall(value: unknown): boolean {
  return typeof value === 'string' ? value.length <= CHUNK : typeof value !== 'object' || value === null
}

function* lazyParts(list: Iterable<unknown>): Generator<string> {
  let text = '['
  let isFirst = true
  for (const item of list) {
    text += (isFirst ? '' : ',') + (JSON.stringify(item) ?? 'null')
    isFirst = false
    if (text.length < CHUNK) continue
    yield text
    text = ''
  }
  yield `${text}]`
}

function* listParts(list: readonly unknown[]): Generator<string> {
  let text = '['
  for (let index = 0; index < list.length; index++) {
    const item = list[index]
    if (index > 0) text += ','
    // `JSON.stringify` of a single number takes twice as long.
    text = Number.isFinite(item) ? text + (item as number) : yield* valueParts(text, item)
  }
  yield `${text}]`
}

function* objectParts(object: object): Generator<string> {
  let text = '{'
  let isFirst = true
  for (const [name, member] of Object.entries(object)) {
    if (member === undefined || typeof member === 'function' || typeof member === 'symbol') continue
    text += `${isFirst ? '' : ','}${JSON.stringify(name)}:`
    isFirst = false
    text = yield* valueParts(text, member)
  }
  yield `${text}}`
}

/** A value after this text. Returns the text that is not large enough for a chunk. */
function* valueParts(before: string, value: unknown): Generator<string, string> {
  if (!isSmall(value)) {
    yield before
    yield* partsOf(value)
    return ''
  }
  const text = before + (JSON.stringify(value) ?? 'null')
  if (text.length < CHUNK) return text
  yield text
  return ''
}

function* textParts(value: string): Generator<string> {
  yield '"'
  for (let start = 0; start < value.length; ) {
    let end = Math.min(start + CHUNK, value.length)
    // Half a surrogate pair would be escaped.
    if (isHighSurrogate(value.charCodeAt(end - 1)) && end < value.length) end += 1
    yield JSON.stringify(value.slice(start, end)).slice(1, -1)
    start = end
  }
  yield '"'
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff
}
