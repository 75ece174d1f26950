/** Removes secrets from what is written to files or shown to others, by their names (`isSecretName`). */
import { setOwn, type Json, type JsonObject } from '../contract/json.ts'
import { isOrdinaryText, isSecretName } from './secret-names.ts'
import { findParameters, findSecrets, type FoundSecret } from './secret-scanner.ts'

export interface RedactorOptions {
  /** What replaces a secret. Default: `REDACTED`. */
  marker?: string
  /** Called with every secret that is replaced, decoded. */
  onSecret?: (secret: string) => void
}

/** Whether a member of JSON or an item of a list is replaced as a whole, whatever it is; otherwise its name decides. */
export type IsReplaced = (path: readonly string[]) => boolean

/** Deeper JSON is replaced. */
const MAX_DEPTH = 200
/** Names that are remembered. */
const MAX_NAMES = 1000
/** Characters of a name that is remembered. */
const MAX_NAME = 100

/** Replaces secrets in headers, URLs, forms, JSON and any other text. */
export class Redactor {
  readonly marker: string
  readonly #onSecret: ((secret: string) => void) | undefined
  /** Whether names belong to secrets: the objects of a list have the same names. */
  readonly #names = new Map<string, boolean>()
  readonly #isSecretName = (name: string): boolean => {
    let isSecret = this.#names.get(name)
    if (isSecret === undefined) {
      isSecret = isSecretName(name)
      if (this.#names.size < MAX_NAMES && name.length <= MAX_NAME) this.#names.set(name, isSecret)
    }
    return isSecret
  }

  constructor({ marker = 'REDACTED', onSecret }: RedactorOptions = {}) {
    this.marker = marker
    this.#onSecret = onSecret
  }

  /** The value of a header. `Set-Cookie` keeps the names and the attributes of the cookie, which clients need. */
  header(name: string, value: string, isSecret = isSecretName(name)): string {
    if (!isSecret || isOrdinaryText(name, value)) return this.text(value)
    if (name.toLowerCase() !== 'set-cookie') return this.#replace(value)
    const [pair = '', ...attributes] = value.split(';')
    const equals = pair.indexOf('=')
    return [`${pair.slice(0, equals + 1)}${this.#replace(pair.slice(equals + 1))}`, ...attributes].join(';')
  }

  /** Whether the value of a header, or the decoded value of a parameter, is a secret. */
  isSecret(name: string, value: string): boolean {
    return this.#isSecretName(name) && !isOrdinaryText(name, value)
  }

  /** The decoded value of a parameter of a query or form. */
  parameter(name: string, value: string): string {
    return this.isSecret(name, value) ? this.#replace(value) : this.text(value)
  }

  /** A whole query or form, encoded and without `?`. */
  query(text: string): string {
    return this.#without(text, findParameters(text, this.#isSecretName))
  }

  /** Any text: see `findSecrets`. */
  text(text: string): string {
    return this.#without(text, findSecrets(text, this.#isSecretName))
  }

  /** A copy of JSON. The texts below a secret's name are replaced; numbers, booleans and null are kept. */
  json(value: Json, isReplaced: IsReplaced | null = null): Json {
    return this.#json(value, 0, [], isReplaced)
  }

  /** A copy of JSON with all texts replaced. */
  allTexts(value: Json): Json {
    if (typeof value === 'string') return this.#replace(value)
    if (typeof value !== 'object' || value === null) return value
    if (Array.isArray(value)) return value.map(item => this.allTexts(item))
    const copy: JsonObject = {}
    for (const [name, member] of Object.entries(value)) setOwn(copy, name, this.allTexts(member))
    return copy
  }

  #json(value: Json, depth: number, path: readonly string[], isReplaced: IsReplaced | null): Json {
    if (typeof value === 'string') return this.text(value)
    if (typeof value !== 'object' || value === null) return value
    if (depth >= MAX_DEPTH) return this.marker
    const below = (name: string, item: Json, isSecret: boolean): Json => {
      const at = isReplaced === null ? path : [...path, name]
      if (isReplaced?.(at)) return this.#replace(typeof item === 'string' ? item : JSON.stringify(item))
      return isSecret ? this.allTexts(item) : this.#json(item, depth + 1, at, isReplaced)
    }
    if (Array.isArray(value)) return value.map((item, index) => below(String(index), item, false))
    const copy: JsonObject = {}
    for (const [name, member] of Object.entries(value))
      setOwn(copy, name, below(name, member, isSecretMember(name, member, value, this.#isSecretName(name))))
    return copy
  }

  #without(text: string, secrets: readonly FoundSecret[]): string {
    if (secrets.length === 0) return text
    const parts: string[] = []
    let from = 0
    for (const { start, end, value } of secrets) {
      parts.push(text.slice(from, start), this.#replace(value))
      from = end
    }
    return parts.join('') + text.slice(from)
  }

  #replace(secret: string): string {
    if (secret !== '' && secret !== this.marker) this.#onSecret?.(secret)
    return this.marker
  }
}

/** Whether the decoded value of a parameter of a query or form is a secret. */
export function isSecretParameter(name: string, value: string): boolean {
  return isSecretName(name) && !isOrdinaryText(name, value)
}

/** Whether the texts of a member of JSON are secrets. A list of keys (RFC 7517, 5) is described by its own members. */
export function isSecretMember(name: string, value: Json, members: JsonObject, isSecret = isSecretName(name)): boolean {
  if (!isSecret) return false
  if (typeof value === 'string') return !isOrdinaryText(name, value, members)
  if (typeof value !== 'object' || value === null) return false
  if (!Array.isArray(value)) return !isSchema(value)
  return !/^keys$/i.test(name) && value.some(item => typeof item !== 'string' || !isOrdinaryText(name, item, members))
}

const JSON_TYPES = new Set(['array', 'boolean', 'integer', 'null', 'number', 'object', 'string'])

/** Whether an object describes values (JSON Schema), such as an argument of a tool that is called `code`. */
function isSchema({ type }: JsonObject): boolean {
  return [type].flat().every(name => typeof name === 'string' && JSON_TYPES.has(name))
}
