/** Removes credentials from what is recorded. */
import { isNestedWithin, setOwn } from 'svc/plugin'
import type { Json, JsonObject } from 'svc/plugin'
import type { Exclusions } from './config/upstream.ts'

export const REDACTED = 'REDACTED'

/** Names of members and parameters with credentials, in lower case with `_`. */
const MEMBERS = new Set([
  'key',
  'api_key',
  'apikey',
  'access_token',
  'refresh_token',
  'id_token',
  'token',
  'password',
  'secret',
  'client_secret',
])
const HEADERS = new Set(['authorization', 'proxy-authorization', 'cookie', 'set-cookie', 'api-key'])
/** Deeper values are treated as text. */
export const MAX_DEPTH = 200
/** Shorter values may occur in ordinary text. */
const MIN_SECRET = 8

export function isSensitiveName(name: string): boolean {
  return MEMBERS.has(name.toLowerCase().replaceAll('-', '_'))
}

/** `name` in lower case. */
export function isSensitiveHeader(name: string, { headers }: Exclusions): boolean {
  return HEADERS.has(name) || name.endsWith('-api-key') || name.startsWith('x-svc-') || headers.has(name)
}

/** The value of a header as it may be written. `name` in lower case. */
export function redactHeader(name: string, value: string, redact: Exclusions): string {
  if (name === 'location') return redactUrl(value)
  if (!isSensitiveHeader(name, redact)) return value
  // Clients need the name and the attributes of a cookie.
  if (name !== 'set-cookie') return REDACTED
  const [pair = '', ...attributes] = value.split(';')
  return [`${pair.split('=', 1)[0]}=${REDACTED}`, ...attributes].join(';')
}

/** The same URL with the values of credential parameters replaced. */
function redactUrl(url: string): string {
  const mark = url.indexOf('?')
  return mark < 0 ? url : `${url.slice(0, mark)}?${redactParameters(url.slice(mark + 1))}`
}

/** The same query or form with the values of credential parameters replaced. */
export function redactParameters(text: string): string {
  return text
    .split('&')
    .map(pair => {
      const [name = '', ...value] = pair.split('=')
      return value.length > 0 && isSensitiveName(name) ? `${name}=${REDACTED}` : pair
    })
    .join('&')
}

/** How `editJson` treats a member: keep it, remove it, or replace its value. */
export type Treatment = 'keep' | 'remove' | 'replace'

/** A copy without, or with other values of, some members. `value` has at most `MAX_DEPTH` levels. */
export function editJson(
  value: Json,
  decide: (name: string) => Treatment,
  pointers: readonly { tokens: readonly string[]; treatment: Treatment }[],
): Json {
  if (typeof value !== 'object' || value === null) return value
  const below = (name: string): typeof pointers =>
    pointers
      .filter(({ tokens }) => tokens.length > 1 && tokens[0] === name)
      .map(({ tokens, treatment }) => ({ tokens: tokens.slice(1), treatment }))
  const treatmentOf = (name: string, isMember: boolean): Treatment => {
    const pointed = pointers.find(({ tokens }) => tokens.length === 1 && tokens[0] === name)
    return pointed?.treatment ?? (isMember ? decide(name) : 'keep')
  }
  if (Array.isArray(value))
    return value.flatMap((item, index) => {
      const treatment = treatmentOf(String(index), false)
      return treatment === 'remove'
        ? []
        : [treatment === 'replace' ? REDACTED : editJson(item, decide, below(String(index)))]
    })
  const edited: JsonObject = {}
  for (const [name, member] of Object.entries(value)) {
    const treatment = treatmentOf(name, true)
    if (treatment !== 'remove')
      setOwn(edited, name, treatment === 'replace' ? REDACTED : editJson(member, decide, below(name)))
  }
  return edited
}

/** The value with credentials replaced. Null stays: it is not a credential. */
export function redactJson(value: Json, redact: Exclusions): Json {
  return editJson(
    value,
    name => (isSensitiveName(name) ? 'replace' : 'keep'),
    redact.json.map(tokens => ({ tokens, treatment: 'replace' })),
  )
}

/** Parses JSON of bounded depth; undefined if it is not JSON or nested too deeply. */
export function parseBoundedJson(text: string): Json | undefined {
  try {
    const value = JSON.parse(text) as Json
    return isNestedWithin(value, MAX_DEPTH) ? value : undefined
  } catch {
    return undefined
  }
}

const MEMBER_IN_TEXT =
  /("(?:key|api[_-]key|apikey|access[_-]token|refresh[_-]token|id[_-]token|token|password|secret|client[_-]secret)"\s{0,20}:\s{0,20})"(?:[^"\\]|\\.)*"/gi

/** Text with the values of JSON members that hold credentials, and all `secrets`, replaced. */
export function redactText(text: string, secrets: readonly string[]): string {
  let shown = text.replace(MEMBER_IN_TEXT, `$1"${REDACTED}"`)
  for (const secret of secrets) if (shown.includes(secret)) shown = shown.replaceAll(secret, REDACTED)
  return shown
}

/** Credentials in header values that an upstream could echo. */
export function secretsIn(headers: Iterable<readonly [name: string, value: string]>): string[] {
  const found = new Set<string>()
  for (const [, value] of headers)
    for (const part of [value, value.slice(value.indexOf(' ') + 1)]) if (part.length >= MIN_SECRET) found.add(part)
  // The longest first: one may contain another.
  return [...found].sort((a, b) => b.length - a.length)
}
