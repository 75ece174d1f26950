/** Removes credentials from a report. */
import { isOrdinaryText, isSecretName, Redactor } from 'svc/toolkit'

const MASK = '***'

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

/**
 * Masks secrets in the text of a configuration file, whatever its format: what stands behind the name of a secret up to the end
 * of its line, if it is longer than 7 characters and not a path; the text of a block in YAML; private keys in PEM; and what the
 * project masks in any text, such as user info of URLs.
 */
export function maskedConfiguration(text: string): string {
  const redactor = new Redactor({ marker: MASK })
  /** Indentation of the name whose block is masked. */
  let block: number | null = null
  let isPrivateKey = false
  return text
    .split('\n')
    .map(original => {
      const line = redactor.text(original)
      if (block !== null && (line.trim() === '' || indentOf(line) > block)) return maskedContent(line)
      block = null
      if (isPrivateKey) {
        if (!PEM_END.test(line)) return maskedContent(line)
        isPrivateKey = false
        return line
      }
      isPrivateKey = PEM_BEGIN.test(line) && !PEM_END.test(line)
      const secret = isPrivateKey ? null : secretIn(line)
      if (secret === null) return line
      if (YAML_BLOCK.test(secret.value)) block = indentOf(line)
      if (secret.value.trim().length <= 7 || /^[./~]/.test(secret.value)) return line
      return `${line.slice(0, secret.start)}${MASK}`
    })
    .join('\n')
}

const NAME = /[A-Za-z][\w.-]{0,127}/g
const PEM_BEGIN = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY-----/
const PEM_END = /-----END [A-Z0-9 ]{0,40}PRIVATE KEY-----/
const YAML_BLOCK = /^[|>][+-]?\d?[+-]?\s*$/

function indentOf(line: string): number {
  return line.length - line.trimStart().length
}

function maskedContent(line: string): string {
  return line.trim() === '' ? line : `${line.slice(0, indentOf(line))}${MASK}`
}

/** What follows the first name of a secret in a line. */
function secretIn(line: string): { start: number; value: string } | null {
  for (const { 0: name, index } of line.matchAll(NAME)) {
    if (!isSecretName(name)) continue
    const behind = line.slice(index + name.length)
    const value = behind.replace(/^[\s:="']+/, '')
    if (value === behind) continue
    if (value !== '' && isOrdinaryText(name, value.trim())) continue
    return { start: line.length - value.length, value }
  }
  return null
}
