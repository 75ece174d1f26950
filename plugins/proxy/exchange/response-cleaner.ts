/** Removes secrets from a response: those with names, and those of the request, which an upstream may repeat anywhere. */
import { isUtf8 } from 'node:buffer'
import { Redactor, SecretValues } from 'svc/plugin'
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

  /** A complete body of a media type. */
  body(bytes: Buffer, type: string): Pick<RecordedResponse, 'json' | 'body' | 'base64'> {
    if (!isUtf8(bytes)) return { base64: this.bytes(bytes).toString('base64') }
    const text = bytes.toString('utf8')
    const json = isJsonType(type) ? parseBoundedJson(text) : undefined
    if (json !== undefined) {
      const shown = this.#json(json)
      const printed = JSON.stringify(shown)
      const isChanged = JSON.stringify(json) !== printed
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
