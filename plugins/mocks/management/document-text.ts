/** The documents of mocks as text. Writing a large one takes seconds, so it is done once, with pauses, and not for each URL. */
import { Pacer, type Svc } from 'svc/plugin'
import { BoundedMap, writeYaml } from 'svc/toolkit'
import type { Live } from '../exchange/engine.ts'
import type { JsonObject } from '../document/json.ts'
import { effectiveDocument } from './export.ts'
import type { ApiMock } from './mock.ts'

/** Of OpenAPI documents. */
export type TextFormat = 'json' | 'yaml'

const MAX_KEPT = 8
/** Longer texts are not kept. Requests for one that is being written wait for it. */
const MAX_KEPT_CHARACTERS = 1 << 20
/** The URL with which a document is written, and which is replaced for each request. */
const PLACEHOLDER = 'http://mock-url.invalid'
/** A URL that is the same in JSON and YAML. */
const PLAIN_URL = /^https?:\/\/[\w.:/%~[\]-]+$/

interface Written {
  live: Live
  /** The text between the places of the URL. */
  parts: Promise<string[]>
}

export class DocumentTexts {
  readonly #budgets: Svc['budgets']
  readonly #written = new BoundedMap<Written>(MAX_KEPT)

  constructor(budgets: Svc['budgets']) {
    this.#budgets = budgets
  }

  /** The document with the URLs of the mock as servers. */
  async of(mock: ApiMock, url: string, format: TextFormat): Promise<Buffer> {
    if (!PLAIN_URL.test(url)) return Buffer.from(await this.write(effectiveDocument(mock, url), format))
    const key = `${format} ${mock.name}`
    let written = this.#written.get(key)
    if (written?.live !== mock.live) {
      written = { live: mock.live, parts: this.#parts(mock, format) }
      this.#written.set(key, written)
      this.#release(key, written)
    }
    return Buffer.from((await written.parts).join(url))
  }

  /** Any value as text. */
  async write(value: JsonObject, format: TextFormat): Promise<string> {
    const pacer = new Pacer(this.#budgets.workMs)
    await pacer.pause()
    return format === 'json' ? JSON.stringify(value) : writeYaml(value, pacer, { aliasDuplicateObjects: false })
  }

  async #parts(mock: ApiMock, format: TextFormat): Promise<string[]> {
    return (await this.write(effectiveDocument(mock, PLACEHOLDER), format)).split(PLACEHOLDER)
  }

  #release(key: string, written: Written): void {
    const forget = (): void => {
      if (this.#written.get(key) === written) this.#written.delete(key)
    }
    written.parts.then(parts => {
      if (parts.reduce((sum, { length }) => sum + length, 0) > MAX_KEPT_CHARACTERS) forget()
    }, forget)
  }
}
