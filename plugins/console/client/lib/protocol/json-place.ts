/** Where the cursor is in a JSON text that may be incomplete, and what its schema allows there. */

export interface JsonSchema {
  [keyword: string]: unknown
}

export interface JsonPlace {
  /** From the outermost value: names of members, and null for items of lists. */
  path: (string | null)[]
  expects: 'name' | 'value'
  /** Names that the object around the cursor already has. */
  names: ReadonlySet<string>
  /** The part of the text that a completion replaces. */
  from: number
  to: number
}

interface Frame {
  isObject: boolean
  names: Set<string>
  /** Name of the member whose value follows. */
  name: string | null
  expects: 'name' | 'colon' | 'value' | 'comma'
}

const TOKEN = /"(?:[^"\\\n]|\\.)*"?|[{}[\]:,]|[^\s"{}[\]:,]+/g

/** Null where neither a name nor a value can be: after a value, and inside a name or text that is not being typed. */
export function jsonPlaceAt(text: string, position: number): JsonPlace | null {
  const frames: Frame[] = [{ isObject: false, names: new Set(), name: null, expects: 'value' }]
  let place: JsonPlace | null = null
  let isFound = false
  const find = (from: number, to: number): void => {
    isFound = true
    const { expects, names } = frames.at(-1)!
    if (expects !== 'name' && expects !== 'value') return
    const path = frames.slice(1).map(frame => (frame.isObject ? frame.name : null))
    if (expects === 'name') path.pop()
    place = { path, expects, names, from, to }
  }
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    const end = index + token.length
    const isPunctuation = token.length === 1 && '{}[]:,'.includes(token)
    if (!isFound && position <= index) find(position, position)
    else if (!isFound && !isPunctuation && position <= end) find(index, isOpenText(token) ? position : end)
    take(frames, token, isFound && place !== null && index < (place as JsonPlace).to)
  }
  if (!isFound) find(position, position)
  return place
}

/** A text without its closing quote reaches too far. */
function isOpenText(token: string): boolean {
  return token.startsWith('"') && (token.length === 1 || !token.endsWith('"'))
}

/** Updates the frames by a token. A name at the cursor is being typed, so it does not count as one that exists. */
function take(frames: Frame[], token: string, isAtCursor: boolean): void {
  const frame = frames.at(-1)!
  if (token === '{' || token === '[')
    frames.push({ isObject: token === '{', names: new Set(), name: null, expects: token === '{' ? 'name' : 'value' })
  else if (token === '}' || token === ']') {
    if (frames.length > 1) frames.pop()
    frames.at(-1)!.expects = 'comma'
  } else if (token === ':') frame.expects = 'value'
  else if (token === ',') frame.expects = frame.isObject ? 'name' : 'value'
  else if (frame.expects === 'name') {
    frame.name = token.replaceAll('"', '')
    if (!isAtCursor) frame.names.add(frame.name)
    frame.expects = 'colon'
  } else frame.expects = 'comma'
}

/** The schemas of the value at a path, without combinations. */
export function schemasAt(schema: JsonSchema, path: JsonPlace['path']): JsonSchema[] {
  let schemas = alternativesOf(schema)
  for (const step of path)
    schemas = schemas.flatMap(each => {
      const next = step === null ? each.items : (recordOf(each.properties)?.[step] ?? each.additionalProperties)
      return alternativesOf(next)
    })
  return schemas
}

export interface SchemaOption {
  /** JSON text of the name or value. */
  text: string
  about: string
  /** Names: the beginning of the value, with `|` at the place of the cursor. */
  value?: string
}

/** What can be at the place: names that are not there yet, or values. */
export function optionsAt(schema: JsonSchema, { path, expects, names }: JsonPlace): SchemaOption[] {
  const schemas = schemasAt(schema, path)
  const options =
    expects === 'value'
      ? schemas.flatMap(valuesOf)
      : schemas.flatMap(({ properties }) =>
          Object.entries(recordOf(properties) ?? {})
            .filter(([name]) => !names.has(name))
            .map(([name, value]) => {
              const of = alternativesOf(value)
              return { text: JSON.stringify(name), about: aboutOf(recordOf(value), of), value: startOf(of) }
            }),
        )
  return [...new Map(options.map(option => [option.text, option])).values()]
}

function valuesOf(schema: JsonSchema): SchemaOption[] {
  const about = typeof schema.description === 'string' ? schema.description : ''
  const known = Array.isArray(schema.enum) ? schema.enum : 'const' in schema ? [schema.const] : []
  if (known.length > 0) return known.map(value => ({ text: JSON.stringify(value), about }))
  const simple = typesOf(schema).includes('boolean') ? [true, false] : []
  const standard = schema.default === undefined ? [] : [schema.default]
  return [...simple, ...standard].map(value => ({ text: JSON.stringify(value), about }))
}

function aboutOf(schema: JsonSchema | null, alternatives: readonly JsonSchema[]): string {
  if (typeof schema?.description === 'string') return schema.description
  const known = alternatives.flatMap(each => (Array.isArray(each.enum) ? each.enum : []))
  return known.length > 0 ? known.join(', ') : [...new Set(alternatives.flatMap(typesOf))].join(' or ')
}

/** The beginning of a value of the first type. Known values are completed with their quotes. */
function startOf(alternatives: readonly JsonSchema[]): string {
  const first = alternatives[0]
  if (Array.isArray(first?.enum)) return '|'
  const type = first && typesOf(first)[0]
  return type === 'object' ? '{|}' : type === 'array' ? '[|]' : type === 'string' ? '"|"' : '|'
}

function typesOf({ type }: JsonSchema): string[] {
  return Array.isArray(type) ? type.map(String) : typeof type === 'string' ? [type] : []
}

function alternativesOf(schema: unknown): JsonSchema[] {
  const record = recordOf(schema)
  if (record === null) return []
  const nested = [record.anyOf, record.oneOf, record.allOf].flatMap(list => (Array.isArray(list) ? list : []))
  return nested.length === 0 ? [record] : nested.flatMap(alternativesOf)
}

function recordOf(value: unknown): JsonSchema | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonSchema) : null
}
