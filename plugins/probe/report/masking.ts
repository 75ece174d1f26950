/** Removes credentials from a report. */

const MASK = '***'
const SECRET_WORD = /password|secret|token|key|authorization/i

/** Replaces the secrets wherever they occur in the texts of a value. */
export function masked<T>(value: T, secrets: readonly string[]): T {
  const long = secrets.filter(secret => secret.length > 0).toSorted((a, b) => b.length - a.length)
  return long.length === 0 ? value : (replaceIn(value, long) as T)
}

function replaceIn(value: unknown, secrets: readonly string[]): unknown {
  if (typeof value === 'string') return secrets.reduce((text, secret) => text.replaceAll(secret, MASK), value)
  if (Array.isArray(value)) return value.map(one => replaceIn(one, secrets))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, replaceIn(one, secrets)]))
}

/** Masks what looks like a secret in a configuration file: longer than 7 characters, and not a path. */
export function maskedConfiguration(text: string): string {
  return text.split('\n').map(maskedLine).join('\n')
}

function maskedLine(line: string): string {
  const found = SECRET_WORD.exec(line)
  if (found === null) return line
  const behind = line.slice(found.index + found[0].length)
  const value = behind.replace(/^[\s:="']+/, '')
  if (value.trim().length <= 7 || /^[./~]/.test(value)) return line
  return `${line.slice(0, line.length - value.length)}${MASK}`
}
