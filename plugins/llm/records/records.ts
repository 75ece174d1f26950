/** Records of mock LLM requests and responses, for `/ai/requests`. */
import { type Svc, type SvcInspector } from 'svc/plugin'
import { copyText, isSecretName, newestByTime, Redactor } from 'svc/toolkit'
import { maskKey } from '../headers/credentials.ts'
import type { GuardrailOutcome } from '../contract/neutral.ts'
import type { RequestHeaders } from '../contract/provider.ts'

/** The record of one request; plain data. */
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
  /** Names and values alternate: an object per record would take more memory. */
  headers: string[]
  /** Text of the body; with `json`, it is shown as a JSON value. */
  body: string
  json: boolean
  normalized_prompt: string
  prompt_tokens: number
  /** Prompt tokens that were read from the prompt cache. */
  cached_tokens: number
  completion_tokens: number
  finish_reason: string | null
  reply_preview: string
  /** The action of the guardrail; null if no guardrail was requested. */
  guardrail: GuardrailOutcome['action'] | null
  status: number
  fault: string | null
  /** Name of the rule that acted on the request. */
  rule: string | null
  /** The level at which it was checked, and what that found; null: nothing. */
  validation: string | null
  violations: RecordedViolation[]
  /** The directives of the prompt that applied to it; null: none. */
  directive: string | null
  /** Value of `X-Svc-Session`, and the displayed session (header or address). */
  session_header: string | null
  session: string
}

/** A violation of a rule of the vendor, with its message filled in. */
export interface RecordedViolation {
  rule: string
  at: string
  message: string
  confidence: string
  refused: boolean
}

const jsonBytes = 64 * 1024
const textBytes = 16 * 1024
const promptCharacters = 32 * 1024
const previewCharacters = 500
const lifetimeMs = 60 * 60 * 1000
const storeBytes = 64 * 1024 * 1024
const sigV4Characters = 77

/** The records of the instance. */
export interface Records {
  add(record: AiRecord): void
  /** Newest first. */
  newest(limit: number, where: (record: AiRecord) => boolean): Promise<AiRecord[]>
  /** The newest that matches. */
  find(where: (record: AiRecord) => boolean): Promise<AiRecord | undefined>
  /** Removes records; returns their number. */
  clear(where: (record: AiRecord) => boolean): Promise<number>
}

/** The record object, its list of headers, its numbers and its string references. */
const recordBytes = 1024
/** The object of a violation and its references, in characters. */
const VIOLATION = 100
/** Bytes of the JavaScript engine's string header. */
const textOverhead = 24

/**
 * Upper bound of a record's memory in bytes: at most two bytes per character. Runs for every request, so it reads only
 * lengths.
 */
export function recordMemory(record: AiRecord): number {
  let characters =
    record.request_id.length +
    record.provider.length +
    record.method.length +
    record.endpoint.length +
    (record.query?.length ?? 0) +
    (record.model?.length ?? 0) +
    (record.credential?.length ?? 0) +
    (record.fault?.length ?? 0) +
    (record.rule?.length ?? 0) +
    (record.directive?.length ?? 0) +
    (record.session_header?.length ?? 0) +
    record.session.length +
    record.body.length +
    record.normalized_prompt.length +
    record.reply_preview.length
  for (const text of record.headers) characters += text.length
  for (const { rule, at, message } of record.violations)
    characters += rule.length + at.length + message.length + VIOLATION
  return recordBytes + textOverhead * record.headers.length + 2 * characters
}

/** The log has one stream: clients see the records of all providers in one list. */
const STREAM = 'all'

/** Keeps the newest 1000 records (200 in public mode, none in load mode) for one hour, in at most 64 MiB of memory. */
export function createRequestRecords(svc: Svc<unknown>): Records {
  const maxCount = svc.config.publicMode ? 200 : 1000
  const log = svc.eventLog<AiRecord>('records', {
    maxPerStream: maxCount,
    maxCount,
    maxBytes: storeBytes,
    sizeOf: recordMemory,
    ttlMs: lifetimeMs,
    batched: true,
  })
  /** The log expires as a whole, an hour after its last entry. */
  const recent = (where: (record: AiRecord) => boolean): ((record: AiRecord) => boolean) => {
    const oldest = Date.now() - lifetimeMs
    return record => record.at > oldest && where(record)
  }
  const newest = async (limit: number, where: (record: AiRecord) => boolean): Promise<AiRecord[]> => {
    const found = await newestByTime(log, STREAM, { limit, timeOf: ({ at }) => at, where: recent(where) })
    return found.map(({ value }) => value)
  }
  return {
    add: svc.config.loadMode ? () => {} : record => void log.append(STREAM, record),
    newest,
    find: async where => (await newest(1, where))[0],
    clear: where => log.clear(STREAM, where),
  }
}

/**
 * The recorded body: up to 64 KiB in full, otherwise the first 16 KiB as text. `text` is the body, if it was already
 * decoded.
 */
export function keepBody(body: Buffer, line: string | undefined, text?: string): Pick<AiRecord, 'body' | 'json'> {
  if (line !== undefined) return { body: copyText(line), json: false }
  if (body.length <= jsonBytes) return { body: text ?? body.toString('utf8'), json: true }
  return { body: body.subarray(0, textBytes).toString('utf8'), json: false }
}

/** Always copies the text: a substring would keep the memory of the original text alive. */
export function keepPrompt(prompt: string): string {
  return copyText(prompt.slice(0, promptCharacters))
}

export function keepPreview(text: string): string {
  return copyText(text.slice(0, previewCharacters))
}

/** The recorded path, without the query, which is recorded separately. */
export function keepPath(path: string, hasQuery: boolean): string {
  return hasQuery ? copyText(path) : path
}

/** It knows the names of earlier headers. */
const redactor = new Redactor()
const authorizationHeaders = new Set(['authorization', 'proxy-authorization'])
/** Headers of most requests. */
const ordinaryHeaders = new Set(
  'accept accept-encoding accept-language connection content-length content-type host sec-fetch-mode user-agent x-request-id'.split(
    ' ',
  ),
)

/** Alternating lower-case names and values; credentials are masked, lists joined. */
export function keepHeaders(headers: RequestHeaders, inspector: SvcInspector): string[] {
  const kept: string[] = []
  for (const name in headers) {
    const value = headers[name]
    if (value === undefined) continue
    const text = typeof value === 'string' ? value : value.join(', ')
    // The core redacts its own credentials completely, before this masks all but four characters.
    const shown = maskHeader(name, inspector.redactHeader(name, text))
    kept.push(name, shown === text ? text : copyText(shown))
  }
  return kept
}

function maskHeader(name: string, value: string): string {
  if (ordinaryHeaders.has(name)) return value
  if (authorizationHeaders.has(name)) return maskAuthorization(value)
  return redactor.isSecret(name, value) ? maskKey(value) : value
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

/** The raw query with secrets masked; null if there is no query. */
export function keepQuery(url: string, inspector: SvcInspector): string | null {
  const at = url.indexOf('?')
  if (at < 0) return null
  const pairs = url
    .slice(at + 1)
    .split('&')
    .map(pair => {
      const equals = pair.indexOf('=')
      return equals > 0 && isSecretName(pair.slice(0, equals))
        ? pair.slice(0, equals + 1) + maskKey(pair.slice(equals + 1))
        : pair
    })
  return copyText(inspector.redactUrl(pairs.join('&')))
}
