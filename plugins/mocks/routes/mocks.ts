/** `/_svc/mocks`: lists, uploads, checks, replaces, deletes, enables and disables mocks. */
import {
  describe,
  HttpError,
  readQuery,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from 'svc/plugin'
import { showReport } from '../check/report.ts'
import { readDocument } from '../document/read.ts'
import { managementError } from '../errors.ts'
import type { JsonObject } from '../document/json.ts'
import { isMockName, nameFrom } from '../management/mock-name.ts'
import { checkRevision, requireMock, refuseManaged, summaryOf, type Service } from '../management/service.ts'
import { decodeBody, readUpload, type ReadUpload } from '../management/upload.ts'
import { deployUpload, requireDocument, sendMock } from './deployment.ts'
import { DOCUMENT_BODY, MANAGEMENT, nameParameter, takesUploads, TINY_SPEC, writes } from './descriptions.ts'
import type { Named } from './edit.ts'
import { DELETED, SVC_MOCKS, SVC_MOCK, SVC_MOCKS_CHECK_POST, SVC_MOCKS_RELOAD_POST } from '../replies.ts'

/** The tools for a language model. */
const TOOLS = [
  ['list_mocks', 'GET', '/_svc/mocks'],
  ['get_mock', 'GET', '/_svc/mocks/{name}'],
  ['put_mock', 'PUT', '/_svc/mocks/{name}'],
  ['delete_mock', 'DELETE', '/_svc/mocks/{name}'],
] as const

export function registerMocks(app: FastifyInstance, service: Service): void {
  const { bounds } = service.registry.options
  const tools = service.svc.use('control.tools')
  for (const [name, method, path] of TOOLS) tools.tool({ name, operation: { method, path } })
  app.get(
    '/_svc/mocks',
    describe({
      ...MANAGEMENT,
      summary: 'List the mocks',
      reply: SVC_MOCKS,
      examples: [{ name: 'All mocks', path: '/_svc/mocks', expectStatus: 200 }],
    }),
    request => list(service, request),
  )
  app.post(
    '/_svc/mocks',
    takesUploads(bounds, {
      summary: 'Upload a mock',
      reply: SVC_MOCK,
      parameters: [
        {
          name: 'name',
          in: 'query',
          description: 'Name of the mock. Default: the name in the envelope, else derived from the title',
          schema: { type: 'string' },
        },
      ],
      examples: [
        {
          name: 'Invalid name',
          method: 'POST',
          path: '/_svc/mocks?name=Shop!',
          body: TINY_SPEC,
          bodyType: 'json',
          expectStatus: 400,
        },
      ],
    }),
    (request, reply) => create(service, request, reply),
  )
  app.post(
    '/_svc/mocks/reload',
    writes({
      summary: 'Reload mocks from files',
      reply: SVC_MOCKS_RELOAD_POST,
      examples: [{ name: 'Reload', method: 'POST', path: '/_svc/mocks/reload', expectStatus: 200 }],
    }),
    (_, reply) => reload(service, reply),
  )
  app.post(
    '/_svc/mocks/check',
    takesUploads(bounds, {
      summary: 'Check a document without storing it',
      reply: SVC_MOCKS_CHECK_POST,
      parameters: [
        {
          name: 'against',
          in: 'query',
          description: 'Name of a mock to compare the document with',
          schema: { type: 'string' },
        },
      ],
      examples: [
        {
          name: 'Small document',
          method: 'POST',
          path: '/_svc/mocks/check?against=petstore',
          body: TINY_SPEC,
          bodyType: 'json',
          expectStatus: 200,
        },
      ],
    }),
    request => check(service, request),
  )
  app.get<Named>(
    '/_svc/mocks/:name',
    describe({
      ...MANAGEMENT,
      parameters: [nameParameter],
      summary: 'Get a mock',
      reply: SVC_MOCK,
      examples: [{ name: 'Petstore', path: '/_svc/mocks/petstore', expectStatus: 200 }],
    }),
    (request, reply) => sendMock(service, request, reply, requireMock(service, request.params.name)),
  )
  app.put<Named>(
    '/_svc/mocks/:name',
    takesUploads(bounds, {
      summary: 'Deploy a document as a mock',
      reply: SVC_MOCK,
      parameters: [nameParameter],
      requestBody: DOCUMENT_BODY,
      examples: [
        {
          name: 'Rejected for the built-in sample',
          method: 'PUT',
          path: '/_svc/mocks/petstore',
          body: TINY_SPEC,
          bodyType: 'json',
          expectStatus: 409,
        },
      ],
    }),
    (request, reply) => replace(service, request, reply),
  )
  app.delete<Named>(
    '/_svc/mocks/:name',
    writes({
      summary: 'Delete a mock',
      reply: DELETED,
      parameters: [nameParameter],
      examples: [
        {
          name: 'Rejected for the built-in sample',
          method: 'DELETE',
          path: '/_svc/mocks/petstore',
          expectStatus: 409,
        },
      ],
    }),
    request => remove(service, request),
  )
  app.post<Named>(
    '/_svc/mocks/:name/enable',
    writes({
      summary: 'Enable a mock',
      reply: SVC_MOCK,
      parameters: [nameParameter],
      examples: [{ name: 'Petstore', method: 'POST', path: '/_svc/mocks/petstore/enable', expectStatus: 200 }],
    }),
    (request, reply) => toggle(service, request, reply, true),
  )
  app.post<Named>(
    '/_svc/mocks/:name/disable',
    writes({
      summary: 'Disable a mock, so that it responds with 503',
      reply: SVC_MOCK,
      parameters: [nameParameter],
      examples: [{ name: 'Unknown', method: 'POST', path: '/_svc/mocks/nothing/disable', expectStatus: 404 }],
    }),
    (request, reply) => toggle(service, request, reply, false),
  )
}

async function list(service: Service, request: FastifyRequest): Promise<JsonObject> {
  const { svc, registry, counts } = service
  await counts.collect()
  const mocks = registry.list()
  return {
    count: mocks.length,
    limit: registry.options.bounds.mocks,
    enabled: mocks.filter(mock => mock.enabled).length,
    dir: svc.config.publicMode ? null : svc.variables.dir,
    config_file: svc.config.publicMode ? null : svc.config.configFile,
    load_errors: loadErrors(service),
    mocks: await Promise.all(mocks.map(mock => summaryOf(service, request, mock))),
  }
}

/** Load errors of `svc.yaml` as a whole and of its mocks. */
function loadErrors({ svc }: Service): JsonObject[] {
  return svc
    .loadErrors()
    .filter(({ at }) => at === null || /^mocks(?:$|[.[])/.test(at))
    .map(error => ({ ...error }))
}

/** Decodes and reads an upload. */
async function receive({ svc, registry }: Service, request: FastifyRequest): Promise<ReadUpload> {
  return readUpload(
    await decodeBody(svc.http.receivedBody(request), request.headers['content-encoding'], registry.options.bounds),
  )
}

async function create(service: Service, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const upload = await receive(service, request)
  const name = readQuery(request).get('name') ?? upload.name ?? nameFromTitle(service, upload)
  if (!isMockName(name)) throw invalidName(name)
  return service.registry.inOrder(name, async () => {
    if (service.registry.get(name))
      throw managementError('name_taken', `the mock "${name}" already exists; use PUT to replace it`, { name })
    return deployUpload(service, request, reply, name, upload)
  })
}

function nameFromTitle({ registry }: Service, upload: ReadUpload): string {
  const read = readDocument(requireDocument(upload), registry.options.bounds)
  const info = 'error' in read ? undefined : (read.value['info'] as JsonObject | undefined)
  // If the document can't be read, the check reports that.
  return nameFrom(typeof info?.['title'] === 'string' ? info['title'] : '') || 'untitled'
}

function invalidName(name: string): Error {
  return managementError(
    'invalid_name',
    `"${name.slice(0, 80)}" is not a valid mock name: use 1 to 64 characters of a-z, 0-9 and "-", starting with a letter or digit; "reload" and "check" are reserved`,
  )
}

async function replace(service: Service, request: FastifyRequest<Named>, reply: FastifyReply): Promise<FastifyReply> {
  const { name } = request.params
  if (!isMockName(name)) throw invalidName(name)
  const upload = await receive(service, request)
  const deploy = (): Promise<FastifyReply> => {
    const mock = service.registry.get(name)
    if (mock) {
      refuseManaged(mock)
      checkRevision(request, mock)
    }
    return deployUpload(service, request, reply, name, upload)
  }
  return service.registry.inOrder(name, async () => {
    try {
      return await deploy()
    } catch (error) {
      if (!isNameTaken(error)) throw error
      // Another replica has created it meanwhile.
      await service.mocks.refresh(name)
      return deploy()
    }
  })
}

function isNameTaken(error: unknown): boolean {
  return error instanceof HttpError && (error.body as { error?: unknown }).error === 'name_taken'
}

async function check(service: Service, request: FastifyRequest): Promise<JsonObject> {
  const against = readQuery(request).get('against')
  if (against !== null) requireMock(service, against)
  const upload = await receive(service, request)
  const { report } = await service.mocks.check(
    { text: requireDocument(upload), given: upload.given, message: null },
    against,
  )
  return showReport(report)
}

function remove(service: Service, request: FastifyRequest<Named>): Promise<JsonObject> {
  const { name } = request.params
  return service.registry.inOrder(name, async () => {
    refuseManaged(requireMock(service, name))
    await service.mocks.remove(name, record => checkRevision(request, record))
    return { deleted: name }
  })
}

async function toggle(
  service: Service,
  request: FastifyRequest<Named>,
  reply: FastifyReply,
  isOn: boolean,
): Promise<FastifyReply> {
  const { name } = requireMock(service, request.params.name)
  const mock = await service.mocks.edit(name, record => {
    checkRevision(request, record)
    return record.enabled === isOn
      ? record
      : { ...record, enabled: isOn, modified: true, revision: record.revision + 1 }
  })
  return sendMock(service, request, reply, mock)
}

/** Reloads the configuration of the host. The registry records how that changed the mocks. */
async function reload({ svc, registry }: Service, reply: FastifyReply): Promise<FastifyReply> {
  const result = await svc.reload()
  const sync = result.changed ? registry.lastSync : { added: [], updated: [], removed: [], unchanged: registry.names() }
  const errors = result.load_errors.filter(({ at }) => at === null || /^mocks(?:$|[.[])/.test(at))
  return reply.code(result.applied ? 200 : 422).send({
    reloaded: result.applied,
    ...sync,
    load_errors: errors,
    generation: result.generation,
    took_ms: result.took_ms,
    ...(result.replicas && { replicas: result.replicas }),
  })
}
