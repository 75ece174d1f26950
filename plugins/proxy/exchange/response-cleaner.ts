/** Removes secrets from a response: those with names, and those of the request, which an upstream may repeat anywhere. */
import { isUtf8 } from 'node:buffer'
import { Pacer, Redactor, SecretValues } from 'svc/plugin'
import type { Json } from 'svc/plugin'
import type { Upstream } from '../config/upstream.ts'
import type { RecordedResponse } from '../recordings/recording.ts'
import { isJsonType, MAX_JSON_CHARACTERS } from '../recordings/request-shape.ts'
import { isSensitiveHeader, parseBoundedJson, redactJson } from '../redaction.ts'

export class ResponseCleaner {
  readonly #upstream: Upstream
  readonly #redactor = new Redactor()
  readonly #secrets: SecretValues

  constructor(upstream: Upstream, secrets: Iterable<string>) {
    this.#upstream = upstream
    this.#secrets = new SecretValues(secrets)
  }

  /** `name` in lower case. */
  header(name: string, value: string): string {
    const isSensitive = isSensitiveHeader(name, value, this.#upstream.redact)
    return this.#secrets.text(this.#redactor.header(name, value, isSensitive))
  }

  text(text: string): string {
    return this.#secrets.text(this.#redactor.text(text))
  }

  bytes(bytes: Buffer): Buffer {
    return this.#secrets.bytes(bytes)
  }

  /** Whether a complete JSON body has secrets. */
  changesJson(bytes: Buffer): boolean {
    const json = parseBoundedJson(bytes.toString('utf8'))
    return json !== undefined && JSON.stringify(json) !== JSON.stringify(this.#json(json))
  }

  /** A complete body of a media type. Yields between steps, each of which takes long for a large body. */
  async body(bytes: Buffer, type: string): Promise<Pick<RecordedResponse, 'json' | 'body' | 'base64'>> {
    const pacer = new Pacer()
    const yielded = <T>(value: T): T | Promise<T> => (pacer.isDue ? pacer.pause().then(() => value) : value)
    if (!isUtf8(bytes)) return { base64: this.bytes(bytes).toString('base64') }
    const text = await yielded(bytes.toString('utf8'))
    const json = isJsonType(type) ? await yielded(parseBoundedJson(text)) : undefined
    if (json !== undefined) {
      const shown = await yielded(this.#json(json))
      const printed = await yielded(JSON.stringify(shown))
      const isChanged = (await yielded(JSON.stringify(json))) !== printed
      // As a value only if replaying it gives the same bytes.
      if (text.length > MAX_JSON_CHARACTERS || !(isChanged || printed === text))
        return { body: isChanged ? printed : text }
      return { json: shown }
    }
    if (type === 'application/x-www-form-urlencoded') return { body: this.#secrets.text(this.#redactor.query(text)) }
    return { body: this.text(text) }
  }

  #json(json: Json): Json {
    return this.#secrets.json(redactJson(json, this.#upstream.redact, this.#redactor))
  }
}
