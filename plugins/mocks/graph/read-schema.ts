/** Reads a schema: SDL or an introspection result, with the definitions that it uses without containing them. */
import {
  buildASTSchema,
  buildClientSchema,
  concatAST,
  GraphQLError,
  Kind,
  parse,
  printSchema,
  TokenKind,
  validateSchema,
  type DefinitionNode,
  type DirectiveDefinitionNode,
  type DocumentNode,
  type GraphQLSchema,
  type IntrospectionQuery,
} from 'graphql'
import { validateSDL } from 'graphql/validation/validate.js'
import { DEFER_AND_STREAM, FEDERATION_DIRECTIVES, isRecord } from 'svc/toolkit'
import type { GraphBounds } from '../bounds.ts'
import { issue, type Issue } from '../document/issue.ts'
import { own, ownObject, parseJson } from '../document/json.ts'
import {
  federationOf,
  isTypeNode,
  keysOf,
  namesOf,
  type Federation,
  type KeyFields,
  type TypeNode,
} from './federation.ts'

export interface GraphSchema {
  /** With what the federation protocol adds. */
  schema: GraphQLSchema
  /** As deployed: of an introspection result, the schema printed. */
  sdl: string
  document: DocumentNode
  /** Null if the schema is not that of a subgraph. */
  federation: Federation | null
  /** The keys of each type. */
  keys: ReadonlyMap<string, readonly KeyFields[]>
}

export type ReadSchema = { graph: GraphSchema; errors: null } | { graph: null; errors: Issue[] }

/** Directives of graphql-faker, which schemas use with or without a definition. */
const FAKER_DIRECTIVES = `
directive @examples(values: [svc__Examples]!) on FIELD_DEFINITION | SCALAR
directive @listLength(min: Int!, max: Int!) on FIELD_DEFINITION
directive @fake(type: svc__Examples, options: svc__Examples, locale: svc__Examples) on FIELD_DEFINITION | SCALAR
scalar svc__Examples
`
const MAX_ERRORS = 100
const MAX_NESTING = 100
const TOO_DEEP = 'the schema is nested too deeply'
const OPENING: ReadonlySet<string> = new Set([TokenKind.BRACE_L, TokenKind.BRACKET_L, TokenKind.PAREN_L])
const CLOSING: ReadonlySet<string> = new Set([TokenKind.BRACE_R, TokenKind.BRACKET_R, TokenKind.PAREN_R])

/** Reads and validates a schema. Errors have the line in SDL. */
export function readSchema(text: string, bounds: GraphBounds): ReadSchema {
  const sdl = sdlOf(text)
  if (typeof sdl !== 'string') return refused(sdl)
  const parsed = parseSdl(sdl)
  if (!('kind' in parsed)) return refused(parsed.error)
  const problem = documentProblem(parsed, bounds)
  if (problem !== null) return refused(problem)
  const federation = federationOf(parsed)
  if (federation?.isSupergraph === true)
    return refused(issue('supergraph_document', null, 'this is a supergraph; deploy its subgraphs one by one'))
  if (federation === null && !hasQuery(parsed))
    return refused(issue('no_query_type', null, 'the schema has no query type'))
  const { document, keys } = completeDocument(parsed, federation)
  const wrong = validateSDL(document)
  if (wrong.length > 0) return { graph: null, errors: wrong.slice(0, MAX_ERRORS).map(schemaIssue) }
  const schema = buildASTSchema(document, { assumeValidSDL: true })
  const invalid = validateSchema(schema)
  if (invalid.length > 0) return { graph: null, errors: invalid.slice(0, MAX_ERRORS).map(schemaIssue) }
  return { graph: { schema, sdl, document: parsed, federation, keys }, errors: null }
}

/** A schema that `readSchema` has accepted, for execution. */
export function compileSchema(sdl: string): GraphSchema {
  const parsed = parse(sdl, { noLocation: true })
  const federation = federationOf(parsed)
  const { document, keys } = completeDocument(parsed, federation)
  return { schema: buildASTSchema(document, { assumeValid: true }), sdl, document: parsed, federation, keys }
}

function refused(problem: Issue): ReadSchema {
  return { graph: null, errors: [problem] }
}

/** The text itself, or the schema of an introspection result, printed. */
function sdlOf(text: string): string | Issue {
  if (!text.trimStart().startsWith('{')) return text
  const value = parseJson(text)
  const root = isRecord(value) ? value : {}
  const introspection = own(root, '__schema') === undefined ? ownObject(root, 'data') : root
  if (introspection === undefined || own(introspection, '__schema') === undefined)
    return issue('parse_error', null, 'this is not the result of an introspection query')
  try {
    return printSchema(buildClientSchema(introspection as unknown as IntrospectionQuery))
  } catch (error) {
    return issue(
      'schema_invalid',
      null,
      error instanceof RangeError ? TOO_DEEP : (error as Error).message.slice(0, 300),
    )
  }
}

function parseSdl(sdl: string): DocumentNode | { error: Issue } {
  try {
    return parse(sdl)
  } catch (error) {
    if (error instanceof GraphQLError)
      return { error: issue('parse_error', null, error.message, error.locations?.[0]?.line) }
    // The parser is recursive.
    if (error instanceof RangeError) return { error: issue('parse_error', null, TOO_DEEP) }
    throw error
  }
}

function documentProblem(document: DocumentNode, { types, fields }: GraphBounds): Issue | null {
  const { definitions } = document
  const deep = tooDeepLine(document)
  if (deep !== null) return issue('parse_error', null, TOO_DEEP, deep)
  let typeCount = 0
  let fieldCount = 0
  for (const node of definitions) {
    if (node.kind === Kind.OPERATION_DEFINITION || node.kind === Kind.FRAGMENT_DEFINITION)
      return issue('schema_invalid', null, 'a schema contains no operations or fragments', node.loc?.startToken.line)
    if (!isTypeNode(node)) continue
    typeCount++
    if ('fields' in node) fieldCount += node.fields?.length ?? 0
  }
  if (typeCount > types)
    return issue('too_many_types', null, `the schema has ${typeCount} types, more than the maximum of ${types}`)
  if (fieldCount > fields)
    return issue('too_many_types', null, `the schema has ${fieldCount} fields, more than the maximum of ${fields}`)
  return null
}

/** The line on which brackets are nested too deeply; null if none are. What walks types and values is recursive. */
function tooDeepLine({ loc }: DocumentNode): number | null {
  let depth = 0
  for (let token = loc?.startToken ?? null; token !== null; token = token.next) {
    if (OPENING.has(token.kind)) depth++
    else if (CLOSING.has(token.kind)) depth--
    if (depth > MAX_NESTING) return token.line
  }
  return null
}

function hasQuery({ definitions }: DocumentNode): boolean {
  const schema = definitions.filter(node => node.kind === Kind.SCHEMA_DEFINITION || node.kind === Kind.SCHEMA_EXTENSION)
  const roots = schema.flatMap(node => node.operationTypes ?? [])
  if (roots.length > 0) return roots.some(({ operation }) => operation === 'query')
  return definitions.some(node => node.kind === Kind.OBJECT_TYPE_DEFINITION && node.name.value === 'Query')
}

/** The document with what it uses without containing it, and the keys of its types. */
function completeDocument(
  parsed: DocumentNode,
  federation: Federation | null,
): { document: DocumentNode; keys: Map<string, KeyFields[]> } {
  const keys = new Map<string, KeyFields[]>()
  const additions = [parse(`${DEFER_AND_STREAM}${FAKER_DIRECTIVES}`, { noLocation: true })]
  if (federation === null)
    return { document: concatAST([parsed, ...additions.map(extra => withoutKnown(extra, parsed))]), keys }
  const definitions = withoutOrphans(parsed.definitions)
  for (const node of definitions) {
    if (!isTypeNode(node)) continue
    const own = keysOf(node, federation)
    if (own.length > 0) keys.set(node.name.value, [...(keys.get(node.name.value) ?? []), ...own])
  }
  additions.push(federationDocument(federation), entryPoints(definitions, keys))
  const document = { kind: Kind.DOCUMENT, definitions } as DocumentNode
  return { document: concatAST([document, ...additions.map(extra => withoutKnown(extra, document))]), keys }
}

/** Without a definition of its type, the first extension becomes one: subgraphs extend types of others, and `Query`. */
function withoutOrphans(definitions: readonly DefinitionNode[]): DefinitionNode[] {
  const defined = new Set(
    definitions.flatMap(node => (isTypeNode(node) && node.kind.endsWith('Definition') ? [node.name.value] : [])),
  )
  return definitions.map(node => {
    if (node.kind === Kind.SCHEMA_EXTENSION && !definitions.some(({ kind }) => kind === Kind.SCHEMA_DEFINITION))
      return node
    if (!isTypeNode(node) || !node.kind.endsWith('Extension') || defined.has(node.name.value)) return node
    defined.add(node.name.value)
    return { ...node, kind: node.kind.replace('Extension', 'Definition') } as TypeNode
  })
}

/** The directives of federation, also under the names that the document gives them. */
function federationDocument(federation: Federation): DocumentNode {
  const { definitions } = parse(FEDERATION_DIRECTIVES, { noLocation: true })
  const named = definitions.flatMap((node): DefinitionNode[] => {
    if (node.kind !== Kind.DIRECTIVE_DEFINITION) return [node]
    return [...new Set(namesOf(node.name.value, federation))].map(
      (name): DirectiveDefinitionNode => ({ ...node, name: { ...node.name, value: name } }),
    )
  })
  return { kind: Kind.DOCUMENT, definitions: named }
}

/** `_service` and `_entities`. */
function entryPoints(
  definitions: readonly DefinitionNode[],
  keys: ReadonlyMap<string, readonly KeyFields[]>,
): DocumentNode {
  const entities = definitions.flatMap(node =>
    node.kind === Kind.OBJECT_TYPE_DEFINITION && isEntity(keys.get(node.name.value)) ? [node.name.value] : [],
  )
  const query = queryName(definitions)
  const word = definitions.some(node => node.kind === Kind.OBJECT_TYPE_DEFINITION && node.name.value === query)
    ? 'extend type'
    : 'type'
  return parse(
    `scalar _Any
    scalar _FieldSet
    type _Service { sdl: String }
    ${entities.length === 0 ? '' : `union _Entity = ${entities.join(' | ')}`}
    ${word} ${query} {
      _service: _Service!
      ${entities.length === 0 ? '' : '_entities(representations: [_Any!]!): [_Entity]!'}
    }`,
    { noLocation: true },
  )
}

export function isEntity(keys: readonly KeyFields[] | undefined): boolean {
  return keys?.some(({ isResolvable }) => isResolvable) === true
}

function queryName(definitions: readonly DefinitionNode[]): string {
  for (const node of definitions)
    if (node.kind === Kind.SCHEMA_DEFINITION || node.kind === Kind.SCHEMA_EXTENSION)
      for (const { operation, type } of node.operationTypes ?? []) if (operation === 'query') return type.name.value
  return 'Query'
}

/** The additions that the document does not define itself. */
function withoutKnown(additions: DocumentNode, document: DocumentNode): DocumentNode {
  const nameOf = (node: DefinitionNode): string =>
    'name' in node && !node.kind.endsWith('Extension')
      ? `${node.kind === Kind.DIRECTIVE_DEFINITION ? '@' : ''}${node.name?.value}`
      : ''
  const known = new Set(document.definitions.map(nameOf).filter(name => name !== ''))
  return { ...additions, definitions: additions.definitions.filter(node => !known.has(nameOf(node))) }
}

function schemaIssue(error: GraphQLError): Issue {
  return issue('schema_invalid', null, error.message.slice(0, 500), error.locations?.[0]?.line)
}
