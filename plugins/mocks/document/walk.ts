/** Visits the objects of a document whose keys are keywords; skips author-defined names and plain data. */
import type { Json, JsonObject } from './json.ts'

/** Members whose keys are author-defined names, where `$ref` or `example` is not a keyword. */
const NAME_MAPS = new Set([
  'properties',
  'patternProperties',
  'dependentSchemas',
  '$defs',
  'definitions',
  'schemas',
  'responses',
  'requestBodies',
  'headers',
  'securitySchemes',
  'links',
  'callbacks',
  'pathItems',
  'paths',
  'webhooks',
  'content',
  'encoding',
  'examples',
  'parameters',
])
/** Members with plain data, where `$ref` is not a keyword. */
const DATA = new Set(['example', 'default', 'enum', 'const', 'value', 'mapping', 'security', 'required'])

/** Calls back for each object whose keys are keywords. Recursion is safe, because documents have at most 100 levels. */
export function eachObject(
  root: JsonObject,
  visit: (object: JsonObject, tokens: readonly (string | number)[]) => void,
): void {
  const tokens: (string | number)[] = []
  const walk = (value: Json, isNameMap: boolean): void => {
    if (typeof value !== 'object' || value === null) return
    if (Array.isArray(value)) {
      for (const [index, child] of value.entries()) step(index, child, false)
      return
    }
    if (!isNameMap) visit(value, tokens)
    for (const [key, child] of Object.entries(value)) {
      if (isNameMap) step(key, child, false)
      else if (!DATA.has(key) && !key.startsWith('x-')) step(key, child, !Array.isArray(child) && NAME_MAPS.has(key))
    }
  }
  const step = (token: string | number, child: Json, isNameMap: boolean): void => {
    if (typeof child !== 'object' || child === null) return
    tokens.push(token)
    walk(child, isNameMap)
    tokens.pop()
  }
  walk(root, false)
}
