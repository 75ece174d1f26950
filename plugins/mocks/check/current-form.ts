/** Brings documents of other versions into a form that the mocks serve. */
import { isRecord } from 'svc/toolkit'
import type { Bounds } from '../bounds.ts'
import { issue, type Issue } from '../document/issue.ts'
import { own, ownText, type Json, type JsonObject } from '../document/json.ts'
import { fragmentOf } from '../document/json-pointer.ts'
import { measure } from '../document/read.ts'

/** The member of a converted document with the version of the original. */
export const CONVERTED_FROM = 'x-svc-converted-from'

/** A document to serve, and what was done to get it. */
export type CurrentForm = { value: JsonObject; isConverted: boolean; warnings: Issue[] } | { error: Issue }

/** Converts Swagger 2.0 to OpenAPI 3.0. Documents of other versions stay as they are. */
export async function currentForm(root: JsonObject, bounds: Bounds): Promise<CurrentForm> {
  if (String(own(root, 'swagger')) !== '2.0' && own(root, 'swagger') !== 2)
    return { value: root, isConverted: false, warnings: [] }
  if (!isRecord(own(root, 'paths'))) return { error: issue('not_openapi', '#', 'the document has no paths') }
  let converted: Json
  try {
    // Loaded here, because few documents need it.
    const { convertObj } = await import('swagger2openapi')
    const copy = JSON.parse(JSON.stringify({ ...root, swagger: '2.0' })) as object
    converted = (await convertObj(copy, { patch: true, warnOnly: true, direct: true })) as Json
  } catch (error) {
    return {
      error: issue('conversion_failed', '#', `Swagger 2.0 can't be converted: ${messageOf(error)}`),
    }
  }
  if (!isRecord(converted)) return { error: issue('conversion_failed', '#', "Swagger 2.0 can't be converted") }
  // A schema that is used in several places may have become several.
  const problem = measure(converted, bounds)
  if (problem !== undefined) return { error: problem }
  const value = JSON.parse(JSON.stringify({ ...converted, [CONVERTED_FROM]: '2.0' })) as JsonObject
  const warnings = [issue('converted', '#/swagger', 'the document was converted from Swagger 2.0 to OpenAPI 3.0')]
  warnings.push(...takeWarnings(value))
  return { value, isConverted: true, warnings }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message.slice(0, 200) : 'unknown error'
}

const MAX_WARNINGS = 50

/** Removes the warnings that the converter has left in the document, and returns them. */
function takeWarnings(root: JsonObject): Issue[] {
  const issues: Issue[] = []
  const visit = (value: Json, tokens: readonly (string | number)[]): void => {
    if (Array.isArray(value)) for (const [index, item] of value.entries()) visit(item, [...tokens, index])
    if (!isRecord(value)) return
    const warning = ownText(value, 'x-s2o-warning')
    if (warning !== undefined && issues.length < MAX_WARNINGS)
      issues.push(issue('converted', fragmentOf(tokens), warning.slice(0, 300)))
    for (const key of Object.keys(value))
      if (key.startsWith('x-s2o-')) delete value[key]
      else visit(value[key] ?? null, [...tokens, key])
  }
  visit(root, [])
  return issues
}
