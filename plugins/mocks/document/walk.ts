/** Walks the objects of a document in which keys are keywords, past the names and the plain data in it. */
import type { Json, JsonObject } from './json.ts'

/** Members whose keys are names chosen by the author, so that `$ref` or `example` among them is no keyword. */
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
/** Members that hold plain data: a `$ref` inside is just a word. */
const DATA = new Set(['example', 'default', 'enum', 'const', 'value', 'mapping', 'security', 'required'])

/** Calls back for each object whose keys are keywords. Documents are at most 100 levels deep, so recursion is safe. */
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
