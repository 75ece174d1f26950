/** Serializes a value as XML with the `xml` keywords of its schema (OpenAPI 3.1.1, 4.26). */
import { type OutputBudget, type StepBudget } from 'svc/plugin'
import { isRecord } from 'svc/toolkit'
import { own, ownObject, ownText, type Json } from '../document/json.ts'
import type { ApiDocument } from '../document/api-document.ts'
import type { Flattener } from '../schema/flat-schema.ts'

/** Replaces characters that are not allowed in XML names, so that any member name results in well-formed XML. */
function xmlName(name: string): string {
  const safe = name.replaceAll(/[^\p{L}\p{N}._-]/gu, '_')
  return /^[\p{L}_]/u.test(safe) ? safe : `_${safe}`
}

/** Characters that XML does not allow, which are removed (XML 1.0, 2.2). */
// eslint-disable-next-line no-control-regex
const FORBIDDEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g
/** Characters that are escaped in one piece, because a replacement keeps a list of all its matches. */
const PIECE = 4096

const [QUOTE, AMPERSAND, LESS, GREATER] = [0x22, 0x26, 0x3c, 0x3e]

function escape(text: string): string {
  if (text.length <= PIECE)
    return text
      .replaceAll(FORBIDDEN, '')
      .replaceAll('&', '&amp;')
      .replaceAll('<', '&lt;')
      .replaceAll('>', '&gt;')
      .replaceAll('"', '&quot;')
  const pieces: string[] = []
  for (let start = 0; start < text.length; start += PIECE) pieces.push(escape(text.slice(start, start + PIECE)))
  return pieces.join('')
}

/** The most characters that a text has once it is escaped. */
function escapedLength(text: string): number {
  let length = text.length
  for (let at = 0; at < text.length; at++) {
    const char = text.charCodeAt(at)
    if (char === QUOTE) length += '&quot;'.length - 1
    else if (char === AMPERSAND) length += '&amp;'.length - 1
    else if (char === LESS || char === GREATER) length += '&lt;'.length - 1
  }
  return length
}

/** What the writer works with. */
export interface XmlMeans {
  document: ApiDocument
  flattener: Flattener
  /** What is written is taken from it first. */
  output: OutputBudget
  steps: StepBudget
}

/** Steps for escaping a character. The largest answer takes most of a budget. */
const ESCAPE_STEPS = 0.25

/**
 * A complete document. The name of the root element is `xml.name`, else the schema's name, else `root`. Throws
 * `OutputTooLarge`.
 */
export function writeXml(value: Json, schema: Json | undefined, means: XmlMeans): string {
  takeTexts(value, means)
  const writer = new XmlWriter(means)
  const name = writer.hint(schema).name ?? means.flattener.flatten(schema).componentName ?? 'root'
  return `<?xml version="1.0" encoding="UTF-8"?>\n${writer.element(name, value, schema)}`
}

/** Takes what all texts of a value are once they are escaped, before the first one is. */
function takeTexts(value: Json, means: Pick<XmlMeans, 'output' | 'steps'>): void {
  if (value === null) return
  if (typeof value === 'object') {
    for (const member of Object.values(value)) takeTexts(member, means)
    return
  }
  const text = String(value)
  means.steps.take(text.length * ESCAPE_STEPS)
  means.output.take(escapedLength(text))
}

interface Hint {
  name: string | undefined
  prefix: string | undefined
  namespace: string | undefined
  attribute: boolean
  wrapped: boolean
}

/** Brackets of two tags. */
const TAG_CHARACTERS = 5

class XmlWriter {
  readonly #document: ApiDocument
  readonly #flattener: Flattener
  readonly #output: OutputBudget

  constructor({ document, flattener, output }: XmlMeans) {
    this.#document = document
    this.#flattener = flattener
    this.#output = output
  }

  /** The `xml` object of a schema or of the schema that it references. */
  hint(schema: Json | undefined): Hint {
    const xml = isRecord(schema)
      ? (ownObject(schema, 'xml') ?? ownObject(this.#document.resolve(schema), 'xml'))
      : undefined
    return {
      name: ownText(xml, 'name'),
      prefix: ownText(xml, 'prefix'),
      namespace: ownText(xml, 'namespace'),
      attribute: own(xml, 'attribute') === true,
      wrapped: own(xml, 'wrapped') === true,
    }
  }

  element(fallback: string, value: Json, schema: Json | undefined): string {
    const { name, open } = this.#tag(fallback, schema)
    if (Array.isArray(value)) return `<${open}>${this.#items(value, schema, fallback)}</${name}>`
    if (!isRecord(value)) return value === null ? `<${open}/>` : `<${open}>${escape(String(value))}</${name}>`
    const properties = this.#flattener.flatten(schema).properties
    let attributes = ''
    let children = ''
    for (const [key, member] of Object.entries(value)) {
      const property = properties.get(key)
      const hint = this.hint(property)
      if (hint.attribute && typeof member !== 'object')
        attributes += ` ${this.#name(hint.name ?? key, hint)}="${escape(String(member))}"`
      else children += this.#member(key, member, property, hint)
    }
    return children === '' ? `<${open}${attributes}/>` : `<${open}${attributes}>${children}</${name}>`
  }

  #member(key: string, member: Json, schema: Json | undefined, hint: Hint): string {
    if (!Array.isArray(member)) return this.element(key, member, schema)
    if (!hint.wrapped) return this.#items(member, schema, hint.name ?? key)
    const { name, open } = this.#tag(key, schema)
    return `<${open}>${this.#items(member, schema, hint.name ?? key)}</${name}>`
  }

  #items(items: Json[], schema: Json | undefined, fallback: string): string {
    const itemSchema = this.#flattener.flatten(schema).items
    return items.map(item => this.element(this.hint(itemSchema).name ?? fallback, item, itemSchema)).join('')
  }

  #tag(fallback: string, schema: Json | undefined): { name: string; open: string } {
    const hint = this.hint(schema)
    const name = this.#name(hint.name ?? fallback, hint)
    const namespace =
      hint.namespace === undefined
        ? ''
        : ` xmlns${hint.prefix ? `:${xmlName(hint.prefix)}` : ''}="${escape(hint.namespace)}"`
    this.#output.take(namespace.length)
    return { name, open: `${name}${namespace}` }
  }

  /** The name of an element, which its end tag repeats, or of an attribute. */
  #name(name: string, hint: Hint): string {
    const qualified = this.#qualified(name, hint)
    this.#output.take(2 * qualified.length + TAG_CHARACTERS)
    return qualified
  }

  #qualified(name: string, hint: Hint): string {
    return hint.prefix ? `${xmlName(hint.prefix)}:${xmlName(name)}` : xmlName(name)
  }
}
