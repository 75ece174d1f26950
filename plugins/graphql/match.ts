/** GraphQL requests as a protocol of conditions: `match.graphql`. */
import { isRecord, own, type MatchableRequest, type MatchProtocol } from 'svc/toolkit'
import type { JsonObject } from 'svc/plugin'
import { Kind, parse, type DocumentNode, type OperationDefinitionNode } from 'graphql'

/** Longer documents are not parsed for conditions. */
const MAX_TOKENS = 5000

interface Operation {
  query: string | null
  operationName: string | null
}

export const graphqlProtocol: MatchProtocol = {
  name: 'graphql',
  fields: {
    operation: { description: 'The name of the operation' },
    kind: { description: '`query`, `mutation` or `subscription`', kind: ['query', 'mutation', 'subscription'] },
    field: { description: 'A field at the top of the operation' },
  },
  read(request) {
    const operation = readOperation(request)
    if (operation === null) return null
    // A persisted query may have no document.
    if (operation.query === null) return [{ operation: operation.operationName ?? undefined }]
    const document = parseDocument(operation.query)
    if (document === null) return null
    const found = selectOperation(document, operation.operationName)
    if (found === undefined) return null
    const fields = found.selectionSet.selections.flatMap(selection =>
      selection.kind === Kind.FIELD ? [selection.name.value] : [],
    )
    return [{ operation: found.name?.value, kind: found.operation, field: fields }]
  },
  failure: ({ message, status }) => ({
    headers: { 'Content-Type': 'application/json; charset=utf-8' },
    body: { errors: [{ message, extensions: { code: 'INJECTED_FAULT', status } }] },
  }),
}

function readOperation(request: MatchableRequest): Operation | null {
  if (request.method === 'GET' || request.method === 'HEAD') {
    const start = request.url.indexOf('?')
    const query = new URLSearchParams(start === -1 ? '' : request.url.slice(start + 1))
    const found = { query: query.get('query'), operationName: query.get('operationName') }
    return found.query === null ? null : found
  }
  const type = (request.header('content-type') ?? '').split(';', 1)[0]!.trim().toLowerCase()
  if (type === 'application/graphql') return { query: request.text(), operationName: null }
  const body = request.json()
  if (!isRecord(body)) return null
  const query = textOf(body, 'query')
  const operationName = textOf(body, 'operationName')
  if (query === null && !isPersisted(body)) return null
  return { query, operationName }
}

function isPersisted(body: JsonObject): boolean {
  const extensions = own(body, 'extensions')
  return isRecord(extensions) && isRecord(own(extensions, 'persistedQuery'))
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
