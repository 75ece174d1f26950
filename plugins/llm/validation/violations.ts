/** Finds the violations of a request, in the order in which its vendor would name them, and fills in their messages. */
import {
  PHASES,
  type CheckedRequest,
  type RouteValidation,
  type ValidationRule,
  type Violation,
  type ViolationError,
  type ViolationValues,
} from '../contract/validation.ts'
import { matches, type Level, type Strictness } from './level.ts'

/** What checking a request found, at the level in force. */
export interface CallValidation {
  level: Level
  violations: readonly Violation[]
  /** The one that the request was refused for. */
  refused: Violation | null
}

/** Violations that are kept of a request. */
export const MAX_VIOLATIONS = 20
/** Violations that are sorted at once. */
const BATCH = 4 * MAX_VIOLATIONS
/** Nodes of schemas that are visited in a request. */
export const MAX_NODES = 20_000
/** Of a place, and of a value that is filled in. */
const MAX_VALUE = 500

/** Places of rules in their list, by route. */
export interface RuleOrder {
  readonly rule: ValidationRule
  readonly place: number
}

/** The rules of a route by their ids. Throws if two have the same. */
export function orderOf({ rules, flavour }: RouteValidation): ReadonlyMap<string, RuleOrder> {
  const order = new Map<string, RuleOrder>()
  rules.forEach((rule, index) => {
    if (order.has(rule.rule)) throw new Error(`the validation ${flavour} has two rules with the id ${rule.rule}`)
    order.set(rule.rule, { rule, place: PHASES.indexOf(rule.phase) * rules.length + index })
  })
  return order
}

export interface FindOptions {
  order: ReadonlyMap<string, RuleOrder>
  except: readonly string[]
  /** A rule that is reported and not listed: an error of the plugin. */
  unknown(rule: string): void
}

/** The violations of a request, the first the one that its vendor would name. */
export function findViolations(
  validation: RouteValidation,
  request: CheckedRequest,
  { order, except, unknown }: FindOptions,
): readonly Violation[] {
  const found: (Violation & { place: number })[] = []
  const best = (): void => {
    if (found.length <= 1) return
    found.sort((one, other) => one.place - other.place)
    found.length = Math.min(found.length, MAX_VIOLATIONS)
  }
  validation.check(request, (id, at, values = {}) => {
    const known = order.get(id)
    if (known === undefined) return unknown(id)
    if (except.some(name => matches(name, id))) return
    found.push({ rule: known.rule, at: at.slice(0, MAX_VALUE), values, place: known.place })
    if (found.length >= BATCH) best()
  })
  best()
  return found
}

/** Whether a violation of the rule is refused at a strictness. */
export function isRefused({ rule, confidence }: ValidationRule, { level, also }: Strictness): boolean {
  return level === 'enforce' && (confidence !== 'assumed' || also.some(name => matches(name, rule)))
}

/** The error that the vendor would send. */
export function errorOfViolation({ rule, at, values }: Violation): ViolationError & { status: number } {
  const { form } = values
  const { message, param, code, type } = (typeof form === 'string' ? rule.forms?.[form] : undefined) ?? rule
  const fill = (text: string): string => fillIn(text, at, values)
  return {
    status: rule.status ?? 400,
    message: fill(message),
    ...(param === undefined ? {} : { param: fill(param) }),
    ...(code === undefined ? {} : { code: fill(code) }),
    ...(type === undefined ? {} : { type }),
  }
}

/** Unknown placeholders stay as they are. */
function fillIn(text: string, at: string, values: ViolationValues): string {
  return text.replace(/\{([a-z_]{1,20})\}/g, (whole, name: string) => {
    if (name === 'at') return at
    const value = Object.hasOwn(values, name) ? values[name] : undefined
    return value === undefined ? whole : (typeof value === 'string' ? value : JSON.stringify(value)).slice(0, MAX_VALUE)
  })
}

/** Ids in `X-Svc-Violations`. */
const MAX_SHOWN = 10

/** The ids of the violated rules, each once. */
export function idsOf(violations: readonly Violation[]): string[] {
  return [...new Set(violations.map(({ rule }) => rule.rule))]
}

/** The value of `X-Svc-Violations`. `first`: the one that is refused; null: none is. */
export function showViolations(violations: readonly Violation[], first: Violation | null): string {
  const ids = idsOf(first === null ? violations : [first, ...violations])
  const more = ids.length - MAX_SHOWN
  return [...ids.slice(0, MAX_SHOWN), ...(more > 0 ? [`+${more}`] : [])].join(', ')
}
