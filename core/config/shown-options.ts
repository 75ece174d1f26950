/**
 * Options of plugins as they may be shown: without secrets. An option is secret if its schema says so (`x-svc-secret: true` or
 * `writeOnly: true`), if its name belongs to a secret, or if it is a value of a map of headers or environment variables. Of
 * URLs, the user info and the query are secret.
 */
import { Redactor } from '../toolkit/redaction.ts'
import { isSecretName } from '../toolkit/secret-names.ts'
import type { JsonSchema } from '../contract/json-schema.ts'

const MASK = '***'
const TEXT_LIMIT = 200
/** Maximum depth of options that are shown; bounds the recursion. */
const DEPTH_LIMIT = 32
const MAPS = /^(?:[a-z_]{0,30}_)?(?:headers|env|environment)$/i
const redactor = new Redactor({ marker: MASK })

/** The options without secrets; long texts are truncated. `schema`: that of the plugin's definition. */
export function maskOptions(options: unknown, schema: JsonSchema = {}): unknown {
  return shown(options, { root: schema, schemas: expanded([schema], schema) }, 0)
}

/** The parts of the schema that apply to a value. */
interface Described {
  root: JsonSchema
  schemas: readonly JsonSchema[]
}

function shown(value: unknown, described: Described, depth: number): unknown {
  if (isDeclaredSecret(described)) return masked(value, depth)
  if (typeof value === 'string') return maskUrls(value).slice(0, TEXT_LIMIT)
  if (typeof value !== 'object' || value === null) return value
  if (depth === DEPTH_LIMIT) return MASK
  if (Array.isArray(value)) return value.map((item, index) => shown(item, below(described, index), depth + 1))
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => {
      const inner = below(described, key)
      if (isSecretName(key) && !isDeclaredOpen(inner)) return [key, maskUnlessNumber(item)]
      if (MAPS.test(key) && typeof item === 'object' && item !== null && !Array.isArray(item) && !isDeclaredOpen(inner))
        return [key, masked(item, depth + 1)]
      return [key, shown(item, inner, depth + 1)]
    }),
  )
}

function maskUnlessNumber(value: unknown): unknown {
  return typeof value === 'number' || typeof value === 'boolean' ? value : MASK
}

/** A secret value: of a map the names are shown, of a list the number of its items. */
function masked(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null || depth >= DEPTH_LIMIT) return MASK
  if (Array.isArray(value)) return value.map(item => masked(item, depth + 1))
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, masked(item, depth + 1)]))
}

/** A text without the user info and the query of the URL that it is or begins with, and without secrets in other URLs. */
export function maskUrls(text: string): string {
  const scheme = /^[a-z][a-z0-9+.-]{0,30}:\/\//i.exec(text)?.[0]
  if (scheme === undefined) return redactor.text(text)
  const query = text.search(/[?#]/)
  const address = query === -1 ? text : text.slice(0, query)
  const slash = address.indexOf('/', scheme.length)
  const authority = address.slice(scheme.length, slash === -1 ? undefined : slash)
  const at = authority.lastIndexOf('@')
  const host = at === -1 ? authority : `${MASK}@${authority.slice(at + 1)}`
  return `${scheme}${host}${slash === -1 ? '' : address.slice(slash)}${query === -1 ? '' : `${text[query]}${MASK}`}`
}

function isDeclaredSecret({ schemas }: Described): boolean {
  return schemas.some(schema => schema['x-svc-secret'] === true || schema.writeOnly === true)
}

function isDeclaredOpen({ schemas }: Described): boolean {
  return schemas.some(schema => schema['x-svc-secret'] === false)
}

/** The schemas of a member or item. All alternatives count: which one holds does not change what is secret. */
function below({ root, schemas }: Described, key: string | number): Described {
  const inner: unknown[] = []
  for (const schema of schemas) {
    if (typeof key === 'number') {
      const { prefixItems, items } = schema
      inner.push(Array.isArray(prefixItems) && key < prefixItems.length ? prefixItems[key] : items)
      continue
    }
    const member = ownSchema(schema.properties, key)
    if (member !== undefined) inner.push(member)
    else
      inner.push(
        schema.additionalProperties,
        schema.unevaluatedProperties,
        ...Object.values(schema.patternProperties ?? {}),
      )
  }
  return { root, schemas: expanded(inner, root) }
}

const COMBINED = ['anyOf', 'oneOf', 'allOf'] as const
const SINGLE = ['if', 'then', 'else', 'x-svc-editor'] as const
/** Schemas that one value can have. */
const MAX_SCHEMAS = 200

/** The schemas with those that they combine and refer to. */
function expanded(given: readonly unknown[], root: JsonSchema): readonly JsonSchema[] {
  const found = new Set<JsonSchema>()
  const pending = [...given]
  while (pending.length > 0 && found.size < MAX_SCHEMAS) {
    const next = pending.pop()
    if (typeof next !== 'object' || next === null || Array.isArray(next) || found.has(next as JsonSchema)) continue
    const schema = next as JsonSchema
    found.add(schema)
    for (const keyword of COMBINED) if (Array.isArray(schema[keyword])) pending.push(...(schema[keyword] as unknown[]))
    for (const keyword of SINGLE) pending.push(schema[keyword])
    if (typeof schema.$ref === 'string') pending.push(definition(schema.$ref, root))
  }
  return [...found]
}

/** The target of a reference within the schema, such as `#/$defs/account`. */
function definition(ref: string, root: JsonSchema): unknown {
  if (ref === '#') return root
  if (!ref.startsWith('#/')) return undefined
  let target: unknown = root
  for (const token of ref.slice(2).split('/'))
    target = ownSchema(target, token.replaceAll('~1', '/').replaceAll('~0', '~'))
  return target
}

function ownSchema(object: unknown, key: string): unknown {
  return typeof object === 'object' && object !== null && Object.hasOwn(object, key)
    ? (object as Record<string, unknown>)[key]
    : undefined
}
