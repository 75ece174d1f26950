/** What is not recorded, in addition to what the core's rule finds: that of the configuration, and headers of svc. */
import { excessOfJsonText, isOrdinaryText, isSecretMember, isSecretName, setOwn, type Redactor } from 'svc/toolkit'
import type { Json, JsonObject } from 'svc/plugin'
import type { Exclusions } from './config/upstream.ts'

/** JSON that is deeper, or has more values, is treated as text. */
export const MAX_DEPTH = 200
const MAX_VALUES = 250_000

/** Whether the value of a header is not recorded. `name` in lower case. */
export function isSensitiveHeader(name: string, value: string, { headers }: Exclusions): boolean {
  if (headers.has(name) || name.startsWith('x-svc-')) return true
  return isSecretName(name) && !isOrdinaryText(name, value)
}

/** The value with secrets replaced. */
export function redactJson(value: Json, { json }: Exclusions, redactor: Redactor): Json {
  const isReplaced = (path: readonly string[]): boolean =>
    json.some(tokens => tokens.length === path.length && tokens.every((token, index) => token === path[index]))
  return redactor.json(value, json.length === 0 ? null : isReplaced)
}

/** A copy without secrets and without the members at `pointers`. `value` has at most `MAX_DEPTH` levels. */
export function removeJson(value: Json, pointers: readonly (readonly string[])[]): Json {
  if (typeof value !== 'object' || value === null) return value
  const isPointed = (name: string): boolean => pointers.some(tokens => tokens.length === 1 && tokens[0] === name)
  const below = (name: string, item: Json): Json =>
    removeJson(
      item,
      pointers.filter(tokens => tokens.length > 1 && tokens[0] === name).map(tokens => tokens.slice(1)),
    )
  if (Array.isArray(value))
    return value.flatMap((item, index) => (isPointed(String(index)) ? [] : [below(String(index), item)]))
  const kept: JsonObject = {}
  for (const [name, member] of Object.entries(value))
    if (!isPointed(name) && !(isSecretMember(name, member, value) && hasText(member)))
      setOwn(kept, name, below(name, member))
  return kept
}

function hasText(value: Json): boolean {
  if (typeof value !== 'object' || value === null) return typeof value === 'string'
  return Object.values(value).some(hasText)
}

/** Whether JSON is too large to be parsed: it has too many values, or is nested too deeply. */
export function isTooCostly(text: string): boolean {
  return excessOfJsonText(text, { levels: MAX_DEPTH, values: MAX_VALUES }) !== null
}

/** Parses JSON; undefined if it is not JSON or too costly. */
export function parseBoundedJson(text: string): Json | undefined {
  if (isTooCostly(text)) return undefined
  try {
    return JSON.parse(text) as Json
  } catch {
    return undefined
  }
}
