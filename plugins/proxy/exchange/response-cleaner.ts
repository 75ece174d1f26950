/** Removes secrets from a response: those with names, and those of the request, which an upstream may repeat anywhere. */
import { isUtf8 } from 'node:buffer'
import { Pacer, type Json } from 'svc/plugin'
import { Redactor, SecretValues } from 'svc/toolkit'
import type { Upstream } from '../config/upstream.ts'
import type { RecordedResponse } from '../recordings/recording.ts'
import { isJsonType, MAX_JSON_CHARACTERS } from '../recordings/request-shape.ts'
import { isSensitiveHeader, parseBoundedJson, redactJson } from '../redaction.ts'

type CleanBody = Pick<RecordedResponse, 'json' | 'body' | 'base64'>

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

  /** A complete body of a media type. */
  async body(bytes: Buffer, type: string): Promise<CleanBody> {
    if (!isUtf8(bytes)) return { base64: this.bytes(bytes).toString('base64') }
    const text = bytes.toString('utf8')
    const json = isJsonType(type) ? await this.#cleanJson(text) : null
    if (json !== null) {
      const { shown, printed, isChanged } = json
      // As a value only if replaying it gives the same bytes.
      if (text.length > MAX_JSON_CHARACTERS || !(isChanged || printed === text))
        return { body: isChanged ? printed : text }
      return { json: shown }
    }
    if (type === 'application/x-www-form-urlencoded') return { body: this.#secrets.text(this.#redactor.query(text)) }
    return { body: this.text(text) }
  }

  /** A complete JSON body that has secrets; null for others. */
  async changedJson(bytes: Buffer): Promise<CleanBody | null> {
    const text = bytes.toString('utf8')
    const json = await this.#cleanJson(text)
    if (json === null || !json.isChanged) return null
    return text.length > MAX_JSON_CHARACTERS ? { body: json.printed } : { json: json.shown }
  }

  /** Null for a text that is not parsed. Yields between steps, each of which takes long for a large text. */
  async #cleanJson(text: string): Promise<{ shown: Json; printed: string; isChanged: boolean } | null> {
    const pacer = new Pacer()
    const yielded = <T>(value: T): T | Promise<T> => (pacer.isDue ? pacer.pause().then(() => value) : value)
    const json = await yielded(parseBoundedJson(text))
    if (json === undefined) return null
    const redacted = await yielded(redactJson(json, this.#upstream.redact, this.#redactor))
    const shown = await yielded(this.#secrets.json(redacted))
    const printed = await yielded(JSON.stringify(shown))
    return { shown, printed, isChanged: JSON.stringify(json) !== printed }
  }
}
