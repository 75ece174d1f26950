/** JSON Schema (2020-12) for forms: references, types, choices and initial values. */

export interface FormSchema {
  type?: string | string[]
  title?: string
  description?: string
  properties?: Record<string, FormSchema>
  required?: string[]
  additionalProperties?: boolean | FormSchema
  items?: FormSchema
  enum?: unknown[]
  enumNames?: string[]
  const?: unknown
  oneOf?: FormSchema[]
  anyOf?: FormSchema[]
  allOf?: FormSchema[]
  default?: unknown
  minimum?: number
  maximum?: number
  minItems?: number
  maxLength?: number
  format?: string
  $ref?: string
  [keyword: string]: unknown
}

const MAX_REFS = 16
const MAX_DEPTH = 6

/** Resolves `$ref` within the document, and an `allOf` with one item. */
export function resolveSchema(schema: FormSchema, root: FormSchema): FormSchema {
  let current = schema
  for (let hops = 0; hops < MAX_REFS; hops++) {
    const { $ref, ...siblings } = current
    if (typeof $ref === 'string' && $ref.startsWith('#')) current = { ...target($ref, root), ...siblings }
    else if (current.allOf?.length === 1) {
      const { allOf, ...rest } = current
      current = { ...allOf[0], ...rest }
    } else return current
  }
  return current
}

/** The schema without references: all of them are resolved, and one that leads back to itself after some levels allows anything. */
export function resolveAll(schema: FormSchema, root: FormSchema): FormSchema {
  return withoutReferences(schema, root, 0) as FormSchema
}

function withoutReferences(value: unknown, root: FormSchema, references: number): unknown {
  if (Array.isArray(value)) return value.map(item => withoutReferences(item, root, references))
  if (typeof value !== 'object' || value === null) return value
  const isReference = typeof (value as FormSchema).$ref === 'string'
  if (isReference && references === MAX_DEPTH) return {}
  const resolved = isReference ? resolveSchema(value as FormSchema, root) : value
  const below = isReference ? references + 1 : references
  return Object.fromEntries(
    Object.entries(resolved).map(([name, member]) => [name, withoutReferences(member, root, below)]),
  )
}

function target(reference: string, root: FormSchema): FormSchema {
  const segments = reference
    .slice(1)
    .split('/')
    .slice(1)
    .map(segment => decodeURIComponent(segment).replace(/~1/g, '/').replace(/~0/g, '~'))
  let current: unknown = root
  for (const segment of segments)
    current =
      typeof current === 'object' && current !== null && Object.hasOwn(current, segment)
        ? (current as Record<string, unknown>)[segment]
        : undefined
  return typeof current === 'object' && current !== null ? (current as FormSchema) : {}
}

export type FormType = 'object' | 'array' | 'string' | 'number' | 'integer' | 'boolean' | 'json'

/** The type of control for a schema; `json` if none fits. A type with `null` counts as optional. */
export function typeOf(schema: FormSchema): FormType {
  const types = (Array.isArray(schema.type) ? schema.type : [schema.type]).filter(
    (type): type is string => typeof type === 'string' && type !== 'null',
  )
  const type = types.length === 1 ? types[0] : schema.properties && types.length === 0 ? 'object' : undefined
  return type === 'object' ||
    type === 'array' ||
    type === 'string' ||
    type === 'number' ||
    type === 'integer' ||
    type === 'boolean'
    ? type
    : 'json'
}

/** The choices of `enum`, `const`, or a `oneOf` of constants; null: not a choice. */
export function enumOf({
  enum: values,
  enumNames,
  const: constant,
  oneOf,
  anyOf,
}: FormSchema): { value: unknown; title?: string }[] | null {
  if (values !== undefined)
    return values.map((value, index) =>
      enumNames?.[index] === undefined ? { value } : { value, title: enumNames[index] },
    )
  if (constant !== undefined) return [{ value: constant }]
  const branches = oneOf ?? anyOf
  if (!branches?.length || !branches.every(branch => branch.const !== undefined)) return null
  return branches.map(({ const: value, title }) => (title === undefined ? { value } : { value, title }))
}

export function isRequired(schema: FormSchema, name: string): boolean {
  return schema.required?.includes(name) ?? false
}

/** Initial value of a form: defaults, and minimal values for required members. */
export function emptyValue(schema: FormSchema, root: FormSchema = schema, depth = 0): unknown {
  const resolved = resolveSchema(schema, root)
  if (resolved.default !== undefined) return structuredClone(resolved.default)
  const choices = enumOf(resolved)
  if (choices?.length) return choices[0]!.value
  switch (depth > MAX_DEPTH ? 'json' : typeOf(resolved)) {
    case 'object':
      return Object.fromEntries(
        Object.entries(resolved.properties ?? {})
          .filter(
            ([name, property]) => isRequired(resolved, name) || resolveSchema(property, root).default !== undefined,
          )
          .map(([name, property]) => [name, emptyValue(property, root, depth + 1)])
          .filter(([, value]) => value !== undefined),
      )
    case 'array':
      return Array.from({ length: Math.min(resolved.minItems ?? 0, 20) }, () =>
        emptyValue(resolved.items ?? {}, root, depth + 1),
      )
    case 'string':
      return ''
    case 'boolean':
      return false
    default:
      return undefined
  }
}
