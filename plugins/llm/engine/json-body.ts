/** Bodies of requests as JSON. */
import { isRecord, isTextNestedWithin } from 'svc/toolkit'
import { BadInput } from '../contract/errors.ts'

/** Rejects deeper JSON, which could overflow the stack of recursive code. */
const MAX_JSON_DEPTH = 200
const NOT_JSON = 'the request body must be a JSON object'

/** Parses a JSON object, whatever the content type. Throws for anything else. */
export function parseObject(text: string, message: string = NOT_JSON): Record<string, unknown> {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new BadInput(message)
  }
  if (!isRecord(value)) throw new BadInput(message)
  if (!isTextNestedWithin(text, MAX_JSON_DEPTH)) throw new BadInput(message)
  return value
}
