/** Routes that show a mock: its document, its operations, and exports. */
import { describe, readQuery, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'svc/plugin'
import { CONVERTED_FROM } from '../check/current-form.ts'
import { readDocument } from '../document/read.ts'
import { managementError } from '../errors.ts'
import { bundleOf, svcYamlOf } from '../management/export.ts'
import type { JsonObject } from '../document/json.ts'
import { GRAPH_TYPE } from '../graph/recognize.ts'
import { isApiMock, isGraphMock, type DocumentReference, type GraphMock, type Mock } from '../management/mock.ts'
import { requireMock, urlOf, type Service } from '../management/service.ts'
import { MANAGEMENT, nameParameter } from './descriptions.ts'
import type { Named } from './edit.ts'
import { SVC_MOCKS_OPERATIONS, SVC_MOCKS_SPEC } from '../replies.ts'

export function registerDocuments(app: FastifyInstance, service: Service): void {
  app.get<Named>(
    '/_svc/mocks/:name/spec',
    describe({
      ...MANAGEMENT,
      parameters: [
        nameParameter,
        {
          name: 'version',
          in: 'query',
          description: 'Version number, or `draft`. Default: the current version',
          schema: { type: 'string' },
        },
        {
          name: 'format',
          in: 'query',
          description: '`json` or `yaml`; of a GraphQL schema `graphql`. Default: as uploaded',
          schema: { type: 'string', enum: ['json', 'yaml', 'graphql'] },
        },
      ],
      summary: 'Get the document of a mock',
      reply: SVC_MOCKS_SPEC,
      examples: [{ name: 'Petstore as YAML', path: '/_svc/mocks/petstore/spec?format=yaml', expectStatus: 200 }],
    }),
    (request, reply) => spec(service, request, reply),
  )
  app.get<Named>(
    '/_svc/mocks/:name/operations',
    describe({
      ...MANAGEMENT,
      parameters: [nameParameter],
      summary: 'List the operations of a mock',
      reply: SVC_MOCKS_OPERATIONS,
      examples: [{ name: 'Petstore', path: '/_svc/mocks/petstore/operations', expectStatus: 200 }],
    }),
    request => operations(service, request),
  )
  app.get<Named>(
    '/_svc/mocks/:name/export',
    describe({
      ...MANAGEMENT,
      parameters: [
        nameParameter,
        { name: 'format', in: 'query', schema: { type: 'string', enum: ['bundle', 'openapi', 'graphql', 'svc-yaml'] } },
      ],
      summary: 'Export a mock',
      reply: SVC_MOCKS_SPEC,
      examples: [
        { name: 'Entry for svc.yaml', path: '/_svc/mocks/petstore/export?format=svc-yaml', expectStatus: 200 },
      ],
    }),
    (request, reply) => exportMock(service, request, reply),
  )
}

async function spec(service: Service, request: FastifyRequest<Named>, reply: FastifyReply): Promise<FastifyReply> {
  const mock = requireMock(service, request.params.name)
  const query = readQuery(request)
  const { sha256, kind, format } = sourceOf(mock, query.get('version'))
  const wanted = query.get('format')
  if (kind === 'graphql') return schemaText(service, reply, sha256, wanted)
  if (wanted !== null && wanted !== 'json' && wanted !== 'yaml')
    throw managementError('invalid_parameter', 'format must be json or yaml')
  const text = await service.mocks.text(sha256)
  reply.type(`application/${wanted ?? format}; charset=utf-8`)
  if (wanted === null || wanted === format) return reply.send(text)
  // The document of the current version is parsed already, unless what is served was converted.
  const root = isApiMock(mock) && sha256 === mock.current?.sha256 ? mock.live.api.document.root : null
  const value = root !== null && !Object.hasOwn(root, CONVERTED_FROM) ? root : parsed(text, service)
  return reply.send(wanted === 'json' ? JSON.stringify(value, null, 2) : await service.texts.write(value, 'yaml'))
}

/** As uploaded: SDL, or the result of an introspection query. */
async function schemaText(
  service: Service,
  reply: FastifyReply,
  sha256: string,
  wanted: string | null,
): Promise<FastifyReply> {
  if (wanted !== null && wanted !== 'graphql')
    throw managementError('invalid_parameter', 'the format of a GraphQL schema is graphql')
  return reply.type(`${GRAPH_TYPE}; charset=utf-8`).send(await service.mocks.text(sha256))
}

function parsed(text: string, service: Service): JsonObject {
  const read = readDocument(text, service.registry.options.bounds)
  if ('error' in read) throw managementError('not_deployable', `the draft can't be read: ${read.error.message}`)
  return read.value
}

function sourceOf(mock: Mock, wanted: string | null): DocumentReference {
  if (wanted === 'draft') {
    if (!mock.draft) throw managementError('no_draft', `the mock "${mock.name}" has no draft`)
    return mock.draft
  }
  const version = wanted === null ? mock.current : mock.versions.find(entry => String(entry.version) === wanted)
  if (!version)
    throw managementError('unknown_version', `there is no version "${(wanted ?? '').slice(0, 20)}"`, {
      versions: mock.versions.map(entry => entry.version),
    })
  return version
}

async function operations(service: Service, request: FastifyRequest<Named>): Promise<JsonObject> {
  const mock = requireMock(service, request.params.name)
  await service.counts.collect()
  const requests = await service.counts.ofMock(mock.name)
  const url = urlOf(service, request, mock.name)
  if (isGraphMock(mock)) return graphOperations(mock, requests)
  if (!isApiMock(mock)) return { count: 0, operations: [] }
  const { api, parts } = mock.live
  const base = parts.settings.basePath
  return {
    count: api.operations.length,
    operations: api.operations.map(operation => ({
      key: operation.key,
      operation_id: operation.operationId,
      method: operation.method,
      path: operation.template,
      url: `${url}${base === 'auto' ? api.pathOf(operation) : base.replace(/\/$/, '')}${operation.template}`,
      summary: operation.summary,
      statuses: operation.responses.map(response => response.status),
      media_types: [...new Set(operation.responses.flatMap(response => response.content.map(({ type }) => type)))],
      examples: Object.fromEntries(
        operation.responses.map(response => [
          response.status,
          [
            ...new Set(
              response.content.flatMap(({ raw }) => Object.keys((raw['examples'] as JsonObject | undefined) ?? {})),
            ),
          ],
        ]),
      ),
      security: operation.security,
      override: parts.overrides.get(operation.key)?.asJson ?? null,
      rules: parts.rules.filter(rule => rule.operation !== null && api.operation(rule.operation) === operation).length,
      requests: requests.get(operation.key) ?? 0,
    })),
  }
}

function graphOperations({ live }: GraphMock, requests: ReadonlyMap<string, number>): JsonObject {
  const { graph, parts } = live
  return {
    count: graph.operations.length,
    operations: graph.operations.map(operation => ({
      ...operation,
      override: parts.overrides.get(operation.key)?.asJson ?? null,
      rules: parts.rules.filter(rule => rule.operation === operation.key).length,
      requests: requests.get(operation.key) ?? 0,
    })),
  }
}

async function exportMock(
  service: Service,
  request: FastifyRequest<Named>,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { texts } = service
  const mock = requireMock(service, request.params.name)
  const format = readQuery(request).get('format') ?? 'bundle'
  const attach = (extension: string, type: string): FastifyReply =>
    reply
      .type(`${type}; charset=utf-8`)
      .header('Content-Disposition', `attachment; filename="svc-mock-${mock.name}.${extension}"`)
  if (format === 'bundle')
    return attach('json', 'application/json').send(await texts.write(bundleOf(mock, new Date()), 'json'))
  if (format === 'graphql' && isGraphMock(mock)) return attach('graphql', GRAPH_TYPE).send(mock.live.graph.source.sdl)
  if (format === 'openapi' && isApiMock(mock))
    return attach('json', 'application/json').send(await texts.of(mock, urlOf(service, request, mock.name), 'json'))
  if (format === 'svc-yaml') return attach('yaml', 'application/yaml').send(await texts.write(svcYamlOf(mock), 'yaml'))
  throw managementError('invalid_parameter', `format must be bundle, ${mock.live.kind} or svc-yaml`)
}
