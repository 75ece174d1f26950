/** Records of what the mock LLM was asked and answered, for `/ai/requests`. */
import { RingBuffer, type Svc, type SvcInspector } from 'svc/plugin'
import { maskKey } from '../exchange/credentials.ts'
import type { GuardrailOutcome } from '../neutral.ts'
import type { RequestHeaders } from '../provider.ts'

/** What is kept of one request; plain data. */
export interface AiRecord {
  request_id: string
  /** Milliseconds since 1970; shown as `timestamp`. */
  at: number
  provider: string
  method: string
  endpoint: string
  query: string | null
  model: string | null
  mode: string | null
  stream: boolean
  credential: string | null
  /** Names and values in turn: records are many, and an object for each would be kept in memory for an hour. */
  headers: string[]
  /** Text of the body; `json` says that it is to be shown as a value. */
  body: string
  json: boolean
  normalized_prompt: string
  prompt_tokens: number
  completion_tokens: number
  finish_reason: string | null
  reply_preview: string
  /** What a guardrail did to the prompt or the reply; null where none was asked for. */
  guardrail: GuardrailOutcome['action'] | null
  status: number
  fault: string | null
  /** Value of `X-Svc-Session`, and the session as shown (header or address). */
  session_header: string | null
  session: string
}

const jsonBytes = 64 * 1024
const textBytes = 16 * 1024
const promptCharacters = 32 * 1024
const previewCharacters = 500
const lifetimeMs = 60 * 60 * 1000
const storeBytes = 64 * 1024 * 1024
const sigV4Characters = 77

export type Records = RingBuffer<AiRecord>

/** Kept one hour, the newest 1000 (200 in public mode), at most 64 MiB. */
export function createRecords(svc: Svc<unknown>): Records {
  return svc.shared(
    'records',
    () =>
      new RingBuffer<AiRecord>({
        maxCount: svc.config.publicMode ? 200 : 1000,
        maxBytes: storeBytes,
        sizeOf: record => 1024 + 2 * (record.body.length + record.normalized_prompt.length),
        ttlMs: lifetimeMs,
      }),
  )
}

/** The body as it is kept: JSON up to 64 KiB whole, else the first 16 KiB as text. `text` is the body, where it was read. */
export function keepBody(body: Buffer, line: string | undefined, text?: string): Pick<AiRecord, 'body' | 'json'> {
  if (line !== undefined) return { body: line, json: false }
  if (body.length <= jsonBytes) return { body: text ?? body.toString('utf8'), json: true }
  return { body: body.subarray(0, textBytes).toString('utf8'), json: false }
}

export function keepPrompt(prompt: string): string {
  return prompt.slice(0, promptCharacters)
}

export function keepPreview(text: string): string {
  return text.slice(0, previewCharacters)
}

const keyHeaders = new Set(['x-api-key', 'api-key', 'x-goog-api-key', 'cookie', 'x-amz-security-token'])
const authorizationHeaders = new Set(['authorization', 'proxy-authorization'])

/** Lower-case names and values in turn, every credential masked, lists joined. */
export function keepHeaders(headers: RequestHeaders, inspector: SvcInspector): string[] {
  const kept: string[] = []
  for (const name in headers) {
    const value = headers[name]
    // The core's redaction comes first: of its own credentials not even four characters stay.
    if (value !== undefined)
      kept.push(
        name,
        maskHeader(name, inspector.redactHeader(name, typeof value === 'string' ? value : value.join(', '))),
      )
  }
  return kept
}

function maskHeader(name: string, value: string): string {
  if (authorizationHeaders.has(name)) return maskAuthorization(value)
  return keyHeaders.has(name) ? maskKey(value) : value
}

function maskAuthorization(value: string): string {
  if (/^AWS4-HMAC-SHA256\s/i.test(value))
    return value.slice(0, Math.min(sigV4Characters, indexOrEnd(value, 'Signature=')))
  const text = value.trim()
  const end = text.search(/\s/)
  return end < 0 ? maskKey(text) : `${text.slice(0, end)} ${maskKey(text.slice(end).trimStart())}`
}

function indexOrEnd(text: string, part: string): number {
  const at = text.indexOf(part)
  return at < 0 ? text.length : at
}

/** The raw query with the value of `key` masked; null without one. */
export function keepQuery(url: string, inspector: SvcInspector): string | null {
  const at = url.indexOf('?')
  if (at < 0) return null
  return inspector.redactUrl(
    url
      .slice(at + 1)
      .replace(
        /(^|&)(key=)([^&]*)/gi,
        (_whole, before: string, name: string, value: string) => `${before}${name}${maskKey(value)}`,
      ),
  )
}
