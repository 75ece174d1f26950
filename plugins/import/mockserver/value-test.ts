/** Texts of MockServer, which are compared without case, and as patterns of the whole value. */
import type { Json, JsonObject } from 'svc/plugin'
import { isRecord } from 'svc/toolkit'
import { type Stub, textOf } from '../stub/stub.ts'
import type { ItemPath } from '../types.ts'

const SPECIAL = /[\\[\]{}()*+?^$|.]/
/** A dot between letters or digits is meant as a dot. */
const PLAIN_DOT = /(?<=[A-Za-z0-9])\.(?=[A-Za-z0-9])/g

/** A name with its marks: `!name` must not be there, `?name` need not. */
export interface MarkedName {
  name: string
  isNegated: boolean
  isOptional: boolean
}

/** Undefined for a name that is a pattern. */
export function readName(text: string): MarkedName | undefined {
  const mark = text[0]
  const name = mark === '!' || mark === '?' ? text.slice(1) : text
  if (name === '' || SPECIAL.test(name.replaceAll(PLAIN_DOT, ''))) return undefined
  return { name, isNegated: mark === '!', isOptional: mark === '?' }
}

/** The test of one value; undefined if a finding says why there is none. */
export function readText(value: Json, path: ItemPath, stub: Stub): JsonObject | undefined {
  if (isRecord(value)) return readObject(value as JsonObject, path, stub)
  const text = textOf(value)
  const mark = text[0]
  const isMarked = mark === '!' || mark === '?'
  const test = plainTest(isMarked ? text.slice(1) : text, path, stub)
  return test === undefined ? undefined : marked(test, { isNegated: mark === '!', isOptional: mark === '?' })
}

function readObject(value: JsonObject, path: ItemPath, stub: Stub): JsonObject | undefined {
  const { not, optional, value: text, schema, ...others } = value
  const unknown = Object.keys(others)[0]
  if (unknown !== undefined) return void stub.disabled([...path, unknown], 'svc import does not know this member')
  if (isRecord(schema) && schema.type !== 'string')
    return void stub.disabled([...path, 'schema'], 'values are texts, which schemas of other types refuse')
  const test = isRecord(schema) ? { schema: schema as JsonObject } : plainTest(textOf(text), path, stub)
  return test === undefined ? undefined : marked(test, { isNegated: not === true, isOptional: optional === true })
}

function marked(test: JsonObject, { isNegated, isOptional }: Omit<MarkedName, 'name'>): JsonObject {
  if (isNegated) return { exists: true, not: test }
  return isOptional ? { any: [{ exists: false }, test] } : test
}

/** Equal, or a pattern of the whole value; an empty text is any value. */
function plainTest(text: string, path: ItemPath, stub: Stub): JsonObject | undefined {
  if (text === '') return { exists: true }
  if (!SPECIAL.test(text.replaceAll(PLAIN_DOT, ''))) return { equals: text, ignore_case: true }
  const pattern = stub.pattern(path, text)
  return pattern === undefined ? undefined : { any: [{ equals: text }, pattern], ignore_case: true }
}
