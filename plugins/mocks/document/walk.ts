/** Visits the objects of a document whose keys are keywords; skips author-defined names and plain data. */
import { isRecord } from 'svc/toolkit'
import { setOwn, type Json, type JsonObject } from './json.ts'

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
/** The other files of a document that consists of several: contents by folder and name. */
export const FILES = 'x-svc-files'

/** Members with plain data, where `$ref` is not a keyword. */
const DATA = new Set(['example', 'default', 'enum', 'const', 'value', 'dataValue', 'mapping', 'security', 'required'])

/** Whether a member has plain data. `examples` of a schema is a list of values, elsewhere a map of Example Objects. */
function isData(key: string, value: Json): boolean {
  return DATA.has(key) || (key === 'examples' && Array.isArray(value))
}

/**
 * A copy of the document in which plain data has no member that begins with `$`. Validators that do not know where data is
 * take these for references and schema ids.  */
export function withoutKeywordsInData(root: JsonObject): JsonObject {
  const copyOf = (value: Json, isNameMap: boolean): Json => {
    if (typeof value !== 'object' || value === null) return value
    if (Array.isArray(value)) return value.map(item => copyOf(item, false))
    const copy: JsonObject = {}
    for (const [key, child] of Object.entries(value)) {
      const isPlain = !isNameMap && key !== FILES && (isData(key, child) || key.startsWith('x-'))
      setOwn(copy, key, isPlain ? withoutKeywords(child) : copyOf(child, !isNameMap && isNameMapAt(key, child)))
    }
    return copy
  }
  return copyOf(root, false) as JsonObject
}

function isNameMapAt(key: string, child: Json): boolean {
  return !Array.isArray(child) && NAME_MAPS.has(key)
}

function withoutKeywords(value: Json): Json {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(withoutKeywords)
  const copy: JsonObject = {}
  for (const [key, child] of Object.entries(value)) if (!key.startsWith('$')) setOwn(copy, key, withoutKeywords(child))
  return copy
}

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
      else if (key === FILES) eachFile(key, child)
      else if (!isData(key, child) && !key.startsWith('x-')) step(key, child, isNameMapAt(key, child))
    }
  }
  const step = (token: string | number, child: Json, isNameMap: boolean): void => {
    if (typeof child !== 'object' || child === null) return
    tokens.push(token)
    walk(child, isNameMap)
    tokens.pop()
  }
  const eachFile = (key: string, folders: Json): void => {
    if (!isRecord(folders)) return
    for (const [folder, files] of Object.entries(folders)) {
      if (!isRecord(files)) continue
      tokens.push(key, folder)
      for (const [name, content] of Object.entries(files)) step(name, content, false)
      tokens.length -= 2
    }
  }
  walk(root, false)
}
