/**
 * References in the texts of a demo: `{{name}}`, with one operation `{{limit_ms * 0.7}}` for numbers or `{{not forward}}` for truth
 * values, and `{run}` in texts that begin with a slash. References of rules are left to the rules.
 */
import type { Json, JsonObject } from 'svc/plugin'
import { below, InputProblem, isRecord, RULE_REFERENCES, unknownName } from 'svc/toolkit'

const REFERENCE = /\{\{([^{}]{1,200})\}\}/g
const ONLY = /^\{\{([^{}]{1,200})\}\}$/
const NEGATION = /^not ([\w.-]+)$/
const OPERATION = /^([\w.-]+) ([-+*/]) ([\w.-]+)$/
/** Keys whose texts are rules, which have other references. */
const OF_RULES = new Set(['rules', 'match', 'mocks'])

export interface Scope {
  /** The value of a name; undefined if there is none. */
  valueOf(name: string): Json | undefined
  /** For suggestions. */
  names(): string[]
}

export interface Replaced {
  value: Json
  /** Names that were looked up. */
  used: ReadonlySet<string>
}

/** Replaces the references of a value. Throws `InputProblem` for one that the scope does not know, with the nearest name. */
export function replaceReferences(value: Json, at: string, scope: Scope): Replaced {
  const used = new Set<string>()
  return { value: replaceIn(value, at, { scope, used, isOfRules: false }), used }
}

interface Replacing {
  scope: Scope
  used: Set<string>
  isOfRules: boolean
}

function replaceIn(value: Json, at: string, replacing: Replacing): Json {
  if (typeof value === 'string') return replaceText(value, at, replacing)
  if (Array.isArray(value)) return value.map((item, index) => replaceIn(item, below(at, index), replacing))
  if (!isRecord(value)) return value
  const result: [string, Json][] = Object.entries(value as JsonObject).map(([key, member]) => {
    const inner = OF_RULES.has(key) ? { ...replacing, isOfRules: true } : replacing
    // Names of headers can be variables.
    const name = key.includes('{{') ? String(replaceText(key, at, inner)) : key
    return [name, replaceIn(member, below(at, key), inner)]
  })
  return Object.fromEntries(result)
}

function replaceText(text: string, at: string, replacing: Replacing): Json {
  const own = text.startsWith('/') ? text.replaceAll(/(?<!\{)\{run\}(?!\})/g, '{{run}}') : text
  if (!own.includes('{{')) return own
  const only = ONLY.exec(own)
  if (only !== null) return resolve(only[1]!.trim(), at, replacing) ?? own
  return own.replaceAll(REFERENCE, (whole, name: string) => {
    const found = resolve(name.trim(), at, replacing)
    return found === undefined ? whole : typeof found === 'string' ? found : JSON.stringify(found)
  })
}

/** Undefined: a reference of a rule, which is left as it is. */
function resolve(reference: string, at: string, replacing: Replacing): Json | undefined {
  const negated = NEGATION.exec(reference)
  if (negated !== null) return !truthOf(negated[1]!, at, replacing)
  const operation = OPERATION.exec(reference)
  if (operation === null) return lookUp(reference, at, replacing)
  const [, left, operator, right] = operation
  const a = numberOf(left!, at, replacing)
  const b = numberOf(right!, at, replacing)
  const result = operator === '+' ? a + b : operator === '-' ? a - b : operator === '*' ? a * b : a / b
  if (!Number.isFinite(result)) throw new InputProblem(at, `{{${reference}}} is not a number`)
  // 1000 * 1.1 is 1100, not 1100.0000000000002.
  return Math.round(result * 1e6) / 1e6
}

function truthOf(name: string, at: string, replacing: Replacing): boolean {
  const value = lookUp(name, at, replacing)
  if (typeof value === 'boolean') return value
  throw new InputProblem(at, `expected a variable that is true or false, got ${name.slice(0, 100)}`)
}

function numberOf(text: string, at: string, replacing: Replacing): number {
  if (/^\d{1,12}(?:\.\d{1,6})?$/.test(text)) return Number(text)
  const value = lookUp(text, at, replacing)
  if (typeof value === 'number') return value
  throw new InputProblem(at, `expected the number of a variable, got ${text.slice(0, 100)}`)
}

function lookUp(name: string, at: string, { scope, used, isOfRules }: Replacing): Json | undefined {
  const value = scope.valueOf(name)
  if (value !== undefined) {
    used.add(name)
    return value
  }
  const [word = ''] = name.split(/[.|]/, 1)
  if (isOfRules && Object.hasOwn(RULE_REFERENCES, word)) return undefined
  const { message, remedy } = unknownName('reference', name, scope.names())
  throw new InputProblem(at, message, remedy)
}

/** A scope of named values. */
export function scopeOf(values: Readonly<Record<string, Json>>): Scope {
  return {
    valueOf: name => (Object.hasOwn(values, name) ? values[name] : undefined),
    names: () => Object.keys(values),
  }
}
