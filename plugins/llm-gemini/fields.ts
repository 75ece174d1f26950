/** Request fields, whose names may be in camelCase or snake_case (protobuf JSON). */
import { isRecord } from 'svc/toolkit'
import type { Engine } from '../llm/types.ts'

/** Reads a field such as `responseSchema` or `response_schema`. */
export function field(engine: Engine, object: unknown, name: string): unknown {
  if (!isRecord(object)) return undefined
  return engine.json.own(object, name) ?? engine.json.own(object, name.replace(/[A-Z]/g, '_$&').toLowerCase())
}
