/** What routes add to the span of a request. */
import type { RequestSpan, SpanAttributeValue } from '../contract/plugin.ts'
import type { SpanAttributes } from './tracer.ts'

const MAX_ATTRIBUTES = 64
const MAX_ITEMS = 32
const MAX_TEXT = 512

export class SpanDetails implements RequestSpan {
  readonly #redact: (text: string) => string
  readonly attributes: SpanAttributes = {}
  name: string | null = null

  /** `redact` replaces secrets. */
  constructor(redact: (text: string) => string) {
    this.#redact = redact
  }

  rename(name: string): void {
    this.name = this.#text(name)
  }

  set(attributes: Readonly<Record<string, SpanAttributeValue | undefined>>): void {
    for (const [name, value] of Object.entries(attributes)) {
      if (value === undefined) continue
      if (!(name in this.attributes) && Object.keys(this.attributes).length >= MAX_ATTRIBUTES) return
      this.attributes[name] =
        typeof value === 'string'
          ? this.#text(value)
          : typeof value === 'object'
            ? value.slice(0, MAX_ITEMS).map(item => this.#text(item))
            : value
    }
  }

  #text(text: string): string {
    return this.#redact(text.slice(0, MAX_TEXT))
  }
}
