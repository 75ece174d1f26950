/** Reads the fields of messages, whose names may be in camelCase or snake_case. */
import { isRecord } from 'svc/toolkit'
import type { Engine } from '../llm/types.ts'

export type Fields = Record<string, unknown>

/** The fields with names in camelCase. Throws `engine.badInput` for another value, and for unknown names. */
export function readFields(engine: Engine, value: unknown, at: string, known: readonly string[]): Fields {
  const place = at === '' ? '' : ` at '${at}'`
  if (!isRecord(value)) throw engine.badInput(`Invalid JSON payload received: expected an object${place}.`)
  return Object.fromEntries(
    Object.entries(value).map(([given, member]) => {
      const name = camelCase(given)
      if (!known.includes(name))
        throw engine.badInput(
          `Invalid JSON payload received. Unknown name "${given.slice(0, 40)}"${place}: Cannot find field.`,
        )
      return [name, member]
    }),
  )
}

/** A field of a message that the caller does not check completely. */
export function fieldOf(engine: Engine, value: unknown, name: string): unknown {
  return engine.json.own(value, name) ?? engine.json.own(value, name.replace(/[A-Z]/g, '_$&').toLowerCase())
}

function camelCase(name: string): string {
  return name.length > 100 ? name : name.replace(/_([a-z])/g, (_match, letter: string) => letter.toUpperCase())
}
