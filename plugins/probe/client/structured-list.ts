/** Lists of strings and tokens with parameters, as `Proxy-Status` is one (RFC 9651, 3.1; RFC 9209, 2). */

export type ItemKind = 'string' | 'token' | 'integer' | 'decimal' | 'boolean' | 'bytes'

export interface BareItem {
  kind: ItemKind
  /** As it is written; of a string its content. */
  text: string
}

export interface ListMember extends BareItem {
  parameters: ReadonlyMap<string, BareItem>
}

const KEY = /[a-z*][a-z0-9_.*-]*/y
const FORMS: readonly (readonly [ItemKind, RegExp])[] = [
  ['string', /"(?:[ !#-[\]-~]|\\["\\])*"/y],
  ['token', /[A-Za-z*][A-Za-z0-9!#$%&'*+.^_`|~:/-]*/y],
  ['decimal', /-?\d{1,12}\.\d{1,3}/y],
  ['integer', /-?\d{1,15}/y],
  ['boolean', /\?[01]/y],
  ['bytes', /:[A-Za-z0-9+/]*={0,2}:/y],
]

/** The members of a list; null if it is not one, or a member is neither a string nor a token. */
export function readItemList(text: string): ListMember[] | null {
  const reader = new Reader(text)
  const members: ListMember[] = []
  reader.skip(' ')
  do {
    reader.skip(' \t')
    const item = reader.item()
    if (item === null || (item.kind !== 'string' && item.kind !== 'token')) return null
    const parameters = reader.parameters()
    if (parameters === null) return null
    members.push({ ...item, parameters })
    reader.skip(' \t')
  } while (reader.take(','))
  return reader.isAtEnd ? members : null
}

class Reader {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  get isAtEnd(): boolean {
    return this.#at === this.#text.length
  }

  skip(characters: string): void {
    while (this.#at < this.#text.length && characters.includes(this.#text[this.#at]!)) this.#at++
  }

  take(character: string): boolean {
    if (this.#text[this.#at] !== character) return false
    this.#at++
    return true
  }

  item(): BareItem | null {
    for (const [kind, form] of FORMS) {
      const found = this.#match(form)
      if (found === null) continue
      return { kind, text: kind === 'string' ? found.slice(1, -1).replaceAll(/\\(.)/g, '$1') : found }
    }
    return null
  }

  /** Null if they are malformed. */
  parameters(): Map<string, BareItem> | null {
    const parameters = new Map<string, BareItem>()
    while (this.take(';')) {
      this.skip(' ')
      const key = this.#match(KEY)
      if (key === null) return null
      const value: BareItem | null = this.take('=') ? this.item() : { kind: 'boolean', text: '?1' }
      if (value === null) return null
      parameters.set(key, value)
    }
    return parameters
  }

  #match(form: RegExp): string | null {
    form.lastIndex = this.#at
    const found = form.exec(this.#text)?.[0] ?? null
    if (found !== null) this.#at += found.length
    return found
  }
}
