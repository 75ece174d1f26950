/** Checks of values in events; their errors name the place and what was expected. */
import type { Engine } from '../llm/types.ts'

/** Returns the value to use; throws `engine.badInput`. `at` is the path of the value. */
export type Check = (engine: Engine, value: unknown, at: string) => unknown

function invalidType(engine: Engine, at: string, expected: string): Error {
  return engine.badInput(`Invalid type for '${at}': expected ${expected}.`, { param: at, code: 'invalid_type' })
}

export function invalidValue(engine: Engine, at: string, expected: string): Error {
  return engine.badInput(`Invalid value for '${at}': expected ${expected}.`, { param: at, code: 'invalid_value' })
}

export function missing(engine: Engine, at: string): Error {
  return engine.badInput(`Missing required parameter: '${at}'.`, { param: at, code: 'missing_required_parameter' })
}

export const string: Check = (engine, value, at) => {
  if (typeof value !== 'string') throw invalidType(engine, at, 'a string')
  return value
}

export const boolean: Check = (engine, value, at) => {
  if (typeof value !== 'boolean') throw invalidType(engine, at, 'a boolean')
  return value
}

export const anyObject: Check = (engine, value, at) => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw invalidType(engine, at, 'an object')
  return value
}

export function number(min: number, max: number): Check {
  return (engine, value, at) => {
    if (typeof value !== 'number') throw invalidType(engine, at, 'a number')
    if (!(value >= min && value <= max)) throw invalidValue(engine, at, `a number from ${min} to ${max}`)
    return value
  }
}

export function integer(min: number, max: number): Check {
  return (engine, value, at) => {
    if (typeof value !== 'number') throw invalidType(engine, at, 'an integer')
    if (!Number.isInteger(value) || value < min || value > max)
      throw invalidValue(engine, at, `an integer from ${min} to ${max}`)
    return value
  }
}

export function oneOf(...allowed: readonly (string | number)[]): Check {
  return (engine, value, at) => {
    if (!allowed.includes(value as string)) throw invalidValue(engine, at, `one of ${allowed.join(', ')}`)
    return value
  }
}

export function nullOr(check: Check): Check {
  return (engine, value, at) => (value === null ? null : check(engine, value, at))
}

/** The first check for texts, the second one for other values. */
export function textOr(forText: Check, other: Check): Check {
  return (engine, value, at) => (typeof value === 'string' ? forText : other)(engine, value, at)
}

export function list(check: Check): Check {
  return (engine, value, at) => {
    if (!Array.isArray(value)) throw invalidType(engine, at, 'an array')
    return value.map((item: unknown, index) => check(engine, item, `${at}[${index}]`))
  }
}

/** An object with known members only. */
export function object(members: Readonly<Record<string, Check>>, required: readonly string[] = []): Check {
  return (engine, value, at) => {
    const given = anyObject(engine, value, at) as Record<string, unknown>
    const pathOf = (name: string): string => (at === '' ? name : `${at}.${name}`)
    for (const name of required) if (given[name] == null) throw missing(engine, pathOf(name))
    return Object.fromEntries(
      Object.entries(given).map(([name, member]) => {
        const path = pathOf(name)
        const check = Object.hasOwn(members, name) ? members[name] : undefined
        if (check === undefined) throw unknownParameter(engine, path)
        return [name, check(engine, member, path)]
      }),
    )
  }
}

export function unknownParameter(engine: Engine, at: string): Error {
  const shown = at.slice(0, 200)
  return engine.badInput(`Unknown parameter: '${shown}'.`, { param: shown, code: 'unknown_parameter' })
}
