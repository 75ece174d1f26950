/** GraphQL requests as a protocol of conditions: `match.graphql`. */
import { createHash } from 'node:crypto'
import {
  isRecord,
  isTextNestedWithin,
  own,
  type MatchableRequest,
  type MatchFacts,
  type MatchProtocol,
} from 'svc/toolkit'
import type { Json, JsonObject } from 'svc/plugin'
import {
  Kind,
  parse,
  valueFromASTUntyped,
  type DocumentNode,
  type FieldNode,
  type OperationDefinitionNode,
} from 'graphql'
import type { PersistedDocuments } from './documents/persisted-documents.ts'

/** Longer documents are not parsed for conditions. */
const MAX_TOKENS = 5000

/** Operations of a batch that are read, and levels of variables in a URL. */
const MAX_BATCH = 10
const MAX_DEPTH = 100

interface Operation {
  query: string | null
  operationName: string | null
  variables: Json | undefined
  /** Of a persisted document. */
  documentId: string | null
  /** The digest of a persisted query. */
  hash: string | null
}

type Documents = Pick<PersistedDocuments, 'find'>

/** Persisted documents have the facts of their text. */
export const graphqlProtocol = (documents: Documents): MatchProtocol => ({
  name: 'graphql',
  fields: {
    operation: { description: 'The name of the operation' },
    kind: { description: '`query`, `mutation` or `subscription`', kind: ['query', 'mutation', 'subscription'] },
    field: { description: 'A field at the top of the operation' },
    entity: { description: 'A type among the representations of `_entities`: their `__typename`' },
    variables: { description: 'Tests of the variables, by JSON pointer', kind: 'members' },
    document: { description: 'The SHA-256 of the document, in hexadecimal digits; also if it is named by its id' },
  },
  read(request) {
    const operations = readOperations(request)
    if (operations === null) return null
    const isNamed = operations.some(({ query, documentId }) => query === null && documentId !== null)
    return isNamed ? withTexts(operations, documents).then(factsOfAll) : factsOfAll(operations)
  },
  failure: ({ message, status }) => ({
    headers: { 'Content-Type': 'application/json; charset=utf-8' },
    body: { errors: [{ message, extensions: { code: 'INJECTED_FAULT', status } }] },
  }),
})

function withTexts(operations: readonly Operation[], documents: Documents): Promise<Operation[]> {
  return Promise.all(
    operations.map(async operation => {
      const { query, documentId } = operation
      if (query !== null || documentId === null) return operation
      return { ...operation, query: (await documents.find(documentId)) ?? null }
    }),
  )
}

function factsOfAll(operations: readonly Operation[]): MatchFacts[] | null {
  const facts = operations.map(factsOf).filter(found => found !== null)
  return facts.length === 0 ? null : facts
}

function factsOf({ query, operationName, variables, hash }: Operation): MatchFacts | null {
  const facts = { operation: operationName ?? undefined, variables, ...(hash === null ? {} : { document: hash }) }
  // A persisted query may have no document.
  if (query === null) return facts
  const document = parseDocument(query)
  const found = document === null ? undefined : selectOperation(document, operationName)
  if (found === undefined) return null
  const fields = found.selectionSet.selections.flatMap(selection => (selection.kind === Kind.FIELD ? [selection] : []))
  return {
    ...facts,
    operation: found.name?.value,
    kind: found.operation,
    field: fields.map(({ name }) => name.value),
    entity: entitiesOf(fields, variables),
    document: createHash('sha256').update(query).digest('hex'),
  }
}

/** The types of the representations: of a variable, or in the document. */
function entitiesOf(fields: readonly FieldNode[], variables: Json | undefined): string[] {
  const types = new Set<string>()
  for (const { name, arguments: args = [] } of fields) {
    const argument = name.value === '_entities' ? args.find(arg => arg.name.value === 'representations') : undefined
    if (argument === undefined) continue
    const values = isRecord(variables) ? variables : {}
    const representations: unknown = valueFromASTUntyped(argument.value, values)
    if (!Array.isArray(representations)) continue
    for (const representation of representations)
      if (isRecord(representation) && typeof representation.__typename === 'string')
        types.add(representation.__typename)
  }
  return [...types]
}

function readOperations(request: MatchableRequest): Operation[] | null {
  if (request.method === 'GET' || request.method === 'HEAD') {
    const start = request.url.indexOf('?')
    const parameters = new URLSearchParams(start === -1 ? '' : request.url.slice(start + 1))
    const query = parameters.get('query')
    const documentId = parameters.get('documentId')
    const hash = hashOf(parseJson(parameters.get('extensions')))
    if (query === null && documentId === null && hash === null) return null
    const variables = parseJson(parameters.get('variables'))
    return [{ query, operationName: parameters.get('operationName'), variables, documentId, hash }]
  }
  const type = (request.header('content-type') ?? '').split(';', 1)[0]!.trim().toLowerCase()
  if (type === 'application/graphql')
    return [{ query: request.text(), operationName: null, variables: undefined, documentId: null, hash: null }]
  const body = request.json()
  const items = Array.isArray(body) ? body.slice(0, MAX_BATCH) : [body]
  const operations = items.map(readOperation).filter(operation => operation !== null)
  return operations.length === 0 ? null : operations
}

function readOperation(body: Json | undefined): Operation | null {
  if (!isRecord(body)) return null
  const query = textOf(body, 'query')
  const documentId = textOf(body, 'documentId')
  const extensions = own(body, 'extensions')
  const isPersisted = documentId !== null || (isRecord(extensions) && isRecord(own(extensions, 'persistedQuery')))
  if (query === null && !isPersisted) return null
  return {
    query,
    operationName: textOf(body, 'operationName'),
    variables: own(body, 'variables'),
    documentId,
    hash: hashOf(extensions),
  }
}

function parseJson(text: string | null): Json | undefined {
  try {
    return text === null || !isTextNestedWithin(text, MAX_DEPTH) ? undefined : (JSON.parse(text) as Json)
  } catch {
    return undefined
  }
}

/** `persistedQuery.sha256Hash`, if it is a digest. */
function hashOf(extensions: Json | undefined): string | null {
  const persisted = isRecord(extensions) ? own(extensions, 'persistedQuery') : undefined
  const hash = isRecord(persisted) ? textOf(persisted, 'sha256Hash') : null
  return hash !== null && /^[\da-f]{64}$/i.test(hash) ? hash.toLowerCase() : null
}

function textOf(body: JsonObject, name: string): string | null {
  const value = own(body, name)
  return typeof value === 'string' ? value : null
}

function parseDocument(text: string): DocumentNode | null {
  try {
    return parse(text, { noLocation: true, maxTokens: MAX_TOKENS })
  } catch {
    return null
  }
}

function selectOperation({ definitions }: DocumentNode, name: string | null): OperationDefinitionNode | undefined {
  const operations = definitions.filter(definition => definition.kind === Kind.OPERATION_DEFINITION)
  return name === null ? operations[0] : operations.find(operation => operation.name?.value === name)
}
