/** The `Prefer` header (RFC 7240) and its query forms. */

export interface Preferences {
  code: number | null
  example: string | null
  dynamic: boolean | null
  seed: string | null
}

const NONE: Preferences = { code: null, example: null, dynamic: null, seed: null }
const QUERY_FORMS = new Map([
  ['__code', 'code'],
  ['__example', 'example'],
  ['__dynamic', 'dynamic'],
  ['__seed', 'seed'],
])
/** A token and an optional value, quoted or not, without surrounding whitespace. */
const PREFERENCE = /^([\w-]{1,40})(?:\s*=\s*(?:"((?:[^"\\]|\\.){0,200})"|([^",;\s]{0,200})))?$/
const MAX_LENGTH = 4096

/** The preferences of a request. Unknown tokens and invalid values are ignored. The header overrides the query. */
export function readPreferences(
  header: string | undefined,
  query: readonly (readonly [string, string])[],
): Preferences {
  const isAsked = header !== undefined || query.some(([name]) => QUERY_FORMS.has(name))
  if (!isAsked) return NONE
  const preferences = { ...NONE }
  for (const [name, value] of query) {
    const token = QUERY_FORMS.get(name)
    if (token) apply(preferences, token, value)
  }
  const tokens =
    header !== undefined && header.length <= MAX_LENGTH ? header.match(/(?:"(?:[^"\\]|\\.)*"|[^,;"])+/g) : null
  const named = new Map<string, string>()
  for (const token of tokens ?? []) {
    const match = PREFERENCE.exec(token.trim())
    const name = match?.[1]?.toLowerCase()
    // RFC 7240, 2: of several preferences with the same name, the first counts.
    if (match && name !== undefined && !named.has(name))
      named.set(name, match[2]?.replaceAll(/\\(.)/g, '$1') ?? match[3] ?? '')
  }
  for (const [name, value] of named) apply(preferences, name, value)
  return preferences
}

function apply(preferences: Preferences, token: string, value: string): void {
  if (token === 'code' && /^[1-5]\d\d$/.test(value)) preferences.code = Number(value)
  else if (token === 'example' && value !== '') preferences.example = value
  else if (token === 'dynamic' && (value === 'true' || value === 'false')) preferences.dynamic = value === 'true'
  else if (token === 'seed' && value !== '') preferences.seed = value.slice(0, 64)
}

/** The query without parameters for the mock. */
export function withoutPreferences(
  query: readonly (readonly [string, string])[],
): readonly (readonly [string, string])[] {
  return query.some(([name]) => QUERY_FORMS.has(name)) ? query.filter(([name]) => !QUERY_FORMS.has(name)) : query
}

/** `Preference-Applied` (RFC 7240, 3) for the applied preferences; undefined without any. */
export function appliedPreferences(used: Preferences): string | undefined {
  const quote = (text: string): string =>
    /^[\w.~-]+$/.test(text) ? text : JSON.stringify(text.replaceAll(/[^\x20-\x7e]/g, ''))
  const parts = [
    used.code === null ? null : `code=${used.code}`,
    used.example === null ? null : `example=${quote(used.example)}`,
    used.dynamic === null ? null : `dynamic=${used.dynamic}`,
    used.seed === null ? null : `seed=${quote(used.seed)}`,
  ].filter(part => part !== null)
  return parts.length > 0 ? parts.join(', ') : undefined
}
