/** Validates archives of requests against the schemas of HAR 1.2. */
import { Ajv } from 'ajv'
import addFormats from 'ajv-formats'
import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)
const schemas = require('har-schema') as Record<string, object>
const ajv = new Ajv({ strict: false })
ajv.addMetaSchema(require('ajv/dist/refs/json-schema-draft-06.json') as object)
addFormats.default(ajv)
ajv.addSchema(Object.values(schemas))

/** What is wrong with an archive; null if it is valid. */
export function harProblem(archive: unknown): string | null {
  return ajv.validate('har.json#', archive) ? null : ajv.errorsText()
}
