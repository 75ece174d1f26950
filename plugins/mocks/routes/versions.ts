/** Routes for drafts, deployment, versions and rollback. */
import {
  describe,
  HttpError,
  readQuery,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from 'svc/plugin'
import { isRecord, isTruthy, shownText } from 'svc/toolkit'
import { showReport } from '../check/report.ts'
import { MANAGEMENT_ERRORS, managementError } from '../errors.ts'
import { own, ownText, parseJson, type Json, type JsonObject } from '../document/json.ts'
import { draftOf, type Draft, type Mock, type Version } from '../management/mock.ts'
import { checkRevision, requireMock, refuseManaged, type Service } from '../management/service.ts'
import { decodeBody, readUpload } from '../management/upload.ts'
import { checkForDeploy, sendMock } from './deployment.ts'
import { MANAGEMENT, nameParameter, TINY_SPEC, takesUploads, writes } from './descriptions.ts'
import { DRAFT, SVC_MOCK, SVC_MOCKS_VERSIONS, SVC_MOCKS_VERSION } from '../replies.ts'

interface Named {
  Params: { name: string }
}
interface Numbered {
  Params: { name: string; version: string }
}

export function registerVersions(app: FastifyInstance, service: Service): void {
  app.get<Named>(
    '/_svc/mocks/:name/draft',
    describe({
      ...MANAGEMENT,
      summary: 'Get the draft of a mock',
      reply: DRAFT,
      parameters: [nameParameter],
      examples: [{ name: 'The sample has no draft', path: '/_svc/mocks/petstore/draft', expectStatus: 404 }],
    }),
    request => showDraft(service, requireMock(service, request.params.name)),
  )
  app.put<Named>(
    '/_svc/mocks/:name/draft',
    takesUploads(service.registry.options.bounds, {
      summary: 'Save a draft without changing the live mock',
      reply: DRAFT,
      parameters: [nameParameter],
      examples: [
        {
          name: 'Rejected for the built-in sample',
          method: 'PUT',
          path: '/_svc/mocks/petstore/draft',
          body: TINY_SPEC,
          bodyType: 'json',
          expectStatus: 409,
        },
      ],
    }),
    request => saveDraft(service, request),
  )
  app.delete<Named>(
    '/_svc/mocks/:name/draft',
    writes({
      summary: 'Delete the draft',
      parameters: [nameParameter],
      examples: [
        {
          name: 'Rejected for the built-in sample',
          method: 'DELETE',
          path: '/_svc/mocks/petstore/draft',
          expectStatus: 409,
        },
      ],
    }),
    request => dropDraft(service, request),
  )
  app.post<Named>(
    '/_svc/mocks/:name/deploy',
    writes({
      summary: 'Deploy the draft',
      reply: SVC_MOCK,
      parameters: [nameParameter, { name: 'dry_run', in: 'query', schema: { type: 'boolean' } }],
      examples: [
        {
          name: 'Rejected for the built-in sample',
          method: 'POST',
          path: '/_svc/mocks/petstore/deploy',
          expectStatus: 409,
        },
      ],
    }),
    (request, reply) => deploy(service, request, reply),
  )
  app.get<Named>(
    '/_svc/mocks/:name/versions',
    describe({
      ...MANAGEMENT,
      summary: 'List the versions of a mock, newest first',
      reply: SVC_MOCKS_VERSIONS,
      parameters: [nameParameter],
      examples: [{ name: 'Petstore', path: '/_svc/mocks/petstore/versions', expectStatus: 200 }],
    }),
    request => versions(requireMock(service, request.params.name)),
  )
  app.get<Numbered>(
    '/_svc/mocks/:name/versions/:version',
    describe({
      ...MANAGEMENT,
      summary: 'Get a version with document, settings, rules and overrides',
      reply: SVC_MOCKS_VERSION,
      parameters: [nameParameter, { name: 'version', in: 'path', schema: { type: 'integer' } }],
      examples: [{ name: 'First version of petstore', path: '/_svc/mocks/petstore/versions/1', expectStatus: 200 }],
    }),
    request => version(service, requireMock(service, request.params.name), request.params.version),
  )
  app.post<Named>(
    '/_svc/mocks/:name/rollback',
    writes({
      summary: 'Roll back to a version by deploying it again',
      reply: SVC_MOCK,
      parameters: [nameParameter],
      examples: [
        {
          name: 'Rejected for the built-in sample',
          method: 'POST',
          path: '/_svc/mocks/petstore/rollback',
          body: '{"version":1}',
          bodyType: 'json',
          expectStatus: 409,
        },
      ],
    }),
    (request, reply) => rollBack(service, request, reply),
  )
}

function requireDraft(mock: Pick<Mock, 'name' | 'draft'>): Draft {
  if (!mock.draft) throw managementError('no_draft', `the mock "${mock.name}" has no draft`)
  return mock.draft
}

async function showDraft({ mocks }: Service, mock: Mock): Promise<JsonObject> {
  const draft = requireDraft(mock)
  return {
    name: mock.name,
    saved_at: draft.savedAt,
    report: showReport(draft.report),
    spec: await mocks.text(draft.sha256),
    settings: draft.settings ?? {},
    rules: draft.rules ?? [],
    overrides: draft.overrides ?? {},
  }
}

/** Parts that the upload omits are copied from the live version. */
function saveDraft(service: Service, request: FastifyRequest<Named>): Promise<JsonObject> {
  const { svc, registry, mocks } = service
  return registry.inOrder(request.params.name, async () => {
    const mock = requireMock(service, request.params.name)
    refuseManaged(mock)
    checkRevision(request, mock)
    const upload = readUpload(
      await decodeBody(svc.http.receivedBody(request), request.headers['content-encoding'], registry.options.bounds),
    )
    const live = mock.partsAsJson()
    const given = {
      settings: upload.given.settings ?? live.settings,
      rules: upload.given.rules ?? live.rules,
      overrides: upload.given.overrides ?? live.overrides,
    }
    const text = upload.text ?? (await mocks.text(mock.current?.sha256 ?? ''))
    const { report, kind, format } = await mocks.check({ text, given, message: null }, mock.name)
    const draft = draftOf(text, { kind, format }, given, report)
    const saved = await mocks.saveDraft(mock.name, { sha256: draft.sha256, text }, record => {
      checkRevision(request, record)
      return { ...record, draft, revision: record.revision + 1 }
    })
    return showDraft(service, saved)
  })
}

function dropDraft(service: Service, request: FastifyRequest<Named>): Promise<JsonObject> {
  return service.registry.inOrder(request.params.name, async () => {
    const { name } = request.params
    refuseManaged(requireMock(service, name))
    await service.mocks.edit(name, record => {
      checkRevision(request, record)
      requireDraft({ name, draft: record.draft })
      return { ...record, draft: null, revision: record.revision + 1 }
    })
    return { deleted: 'draft', name }
  })
}

/** The JSON object in the body; an empty object without a body. Throws `invalid_body`. */
function readOptions(body: Buffer): JsonObject {
  if (body.length === 0) return {}
  const value = parseJson(body.toString('utf8'))
  if (!isRecord(value)) throw managementError('invalid_body', 'the body must be a JSON object')
  return value
}

function deploy(service: Service, request: FastifyRequest<Named>, reply: FastifyReply): Promise<FastifyReply> {
  return service.registry.inOrder(request.params.name, async () => {
    const mock = requireMock(service, request.params.name)
    refuseManaged(mock)
    checkRevision(request, mock)
    const options = readOptions(service.svc.http.body(request))
    const { sha256, settings, rules, overrides } = requireDraft(mock)
    const definition = {
      text: await service.mocks.text(sha256),
      given: { settings, rules, overrides },
      message: ownText(options, 'message')?.slice(0, 500) ?? null,
    }
    if (isTruthy(readQuery(request).get('dry_run')))
      return reply.send(showReport((await service.mocks.check(definition, mock.name)).report))
    const { next, report } = await checkForDeploy(service, definition, mock.name)
    const blocks =
      isRecord(settings) && own(settings, 'block_breaking') === true && own(options, 'allow_breaking') !== true
    if (blocks && report.changes && report.changes.breaking.length > 0)
      throw new HttpError(MANAGEMENT_ERRORS.breaking_changes, {
        error: 'breaking_changes',
        message: `${report.changes.breaking.length} changes break clients; set "allow_breaking" to true to deploy anyway`,
        report: showReport(report),
      })
    const deployed = await service.mocks.deploy(mock.name, next, record => {
      checkRevision(request, record)
      return { ...record, draft: null }
    })
    return sendMock(service, request, reply, deployed, report)
  })
}

function showVersion(entry: Version): JsonObject {
  return {
    version: entry.version,
    deployed_at: entry.deployedAt,
    message: entry.message,
    title: entry.title,
    api_version: entry.apiVersion,
    operations: entry.operations,
    sha256: entry.sha256,
    rolled_back_from: entry.rolledBackFrom,
  }
}

function versions(mock: Mock): JsonObject {
  return { count: mock.versions.length, current: mock.version, versions: mock.versions.toReversed().map(showVersion) }
}

function findVersion(mock: Mock, wanted: Json): Version {
  const found = mock.versions.find(entry => String(entry.version) === shownText(wanted))
  if (!found)
    throw managementError('unknown_version', `there is no version "${shownText(wanted).slice(0, 20)}"`, {
      versions: mock.versions.map(entry => entry.version),
    })
  return found
}

async function version({ mocks }: Service, mock: Mock, wanted: string): Promise<JsonObject> {
  const found = findVersion(mock, wanted)
  return {
    ...showVersion(found),
    spec: await mocks.text(found.sha256),
    settings: found.settings,
    rules: found.rules,
    overrides: found.overrides,
  }
}

function rollBack(service: Service, request: FastifyRequest<Named>, reply: FastifyReply): Promise<FastifyReply> {
  return service.registry.inOrder(request.params.name, async () => {
    const mock = requireMock(service, request.params.name)
    refuseManaged(mock)
    checkRevision(request, mock)
    const wanted = own(readOptions(service.svc.http.body(request)), 'version')
    const target = wanted === undefined ? mock.versions.at(-2) : findVersion(mock, wanted)
    if (!target) throw managementError('nothing_to_roll_back', 'there is no earlier version')
    const { settings, rules, overrides } = target
    const { next, report } = await checkForDeploy(
      service,
      {
        text: await service.mocks.text(target.sha256),
        given: { settings, rules, overrides },
        message: null,
        rolledBackFrom: target.version,
      },
      mock.name,
    )
    const deployed = await service.mocks.deploy(mock.name, next, record => {
      checkRevision(request, record)
      return record
    })
    return sendMock(service, request, reply, deployed, report)
  })
}
