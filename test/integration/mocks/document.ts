/** Small documents for tests of the mocks. */
import { boundsFor } from '../../../plugins/mocks/bounds.ts'
import { CompiledApi } from '../../../plugins/mocks/exchange/compiled-api.ts'
import type { JsonObject } from '../../../plugins/mocks/document/json.ts'

/** A document with these paths; `more` adds to its top level. */
export function documentOf(paths: JsonObject, more: JsonObject = {}): JsonObject {
  return { openapi: '3.1.0', info: { title: 'Test', version: '1' }, paths, ...more }
}

/** One operation that answers 200 with this JSON content. */
export function answering(media: JsonObject, more: JsonObject = {}): JsonObject {
  return { responses: { 200: { description: 'ok', content: { 'application/json': media } } }, ...more }
}

/** A document made ready to answer. */
export function compile(document: JsonObject): CompiledApi {
  return new CompiledApi(document, boundsFor(false))
}
