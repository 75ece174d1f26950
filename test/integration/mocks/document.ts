/** Small documents for tests of the mocks. */
import { boundsFor } from '../../../plugins/mocks/bounds.ts'
import { CompiledApi } from '../../../plugins/mocks/api/compiled-api.ts'
import type { JsonObject } from '../../../plugins/mocks/document/json.ts'

/** A document with these paths; `more` adds top-level members. */
export function documentOf(paths: JsonObject, more: JsonObject = {}): JsonObject {
  return { openapi: '3.1.0', info: { title: 'Test', version: '1' }, paths, ...more }
}

/** An operation that responds with 200 and this JSON content. */
export function answering(media: JsonObject, more: JsonObject = {}): JsonObject {
  return { responses: { 200: { description: 'ok', content: { 'application/json': media } } }, ...more }
}

/** Compiles a document. */
export function compile(document: JsonObject): CompiledApi {
  return new CompiledApi(document, boundsFor(false))
}
