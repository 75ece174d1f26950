/** Deploys uploads, and sends the record of a mock. */
import { HttpError, type FastifyReply, type FastifyRequest } from 'svc/plugin'
import { showReport, type Report } from '../check/report.ts'
import { MANAGEMENT_ERRORS, managementError } from '../errors.ts'
import type { GivenParts } from '../definition/definition.ts'
import type { Deployable, Mock } from '../management/mock.ts'
import { checkRevision, recordOf, type Service } from '../management/service.ts'
import type { ReadUpload } from '../management/upload.ts'

/** The document of an upload. Throws `invalid_body`. */
export function requireDocument(upload: Pick<ReadUpload, 'text'>): string {
  if (upload.text === null)
    throw managementError(
      'invalid_body',
      'the body must contain an OpenAPI document or a GraphQL schema; in an envelope, the document is the member "spec"',
    )
  return upload.text
}

/** Sends the record of a mock, with its revision as `ETag`. */
export async function sendMock(
  service: Service,
  request: FastifyRequest,
  reply: FastifyReply,
  mock: Mock,
  report?: Report,
): Promise<FastifyReply> {
  return reply.header('ETag', `"${mock.revision}"`).send(await recordOf(service, request, mock, report))
}

/** Checks a definition and returns it ready for deployment. Throws `not_deployable` with the report. */
export async function checkForDeploy(
  service: Service,
  definition: { text: string; given: GivenParts; message: string | null; rolledBackFrom?: number },
  against: string | null,
): Promise<{ next: Deployable; report: Report }> {
  const { report, kind, served, format } = await service.mocks.check(definition, against)
  if (!report.deployable || served === null) throw notDeployable(report)
  return {
    next: {
      text: definition.text,
      kind,
      format,
      served,
      given: definition.given,
      message: definition.message,
      rolledBackFrom: definition.rolledBackFrom ?? null,
    },
    report,
  }
}

function notDeployable(report: Report): HttpError {
  const first = report.errors[0]
  return new HttpError(MANAGEMENT_ERRORS.not_deployable, {
    error: 'not_deployable',
    message: first ? `${first.code}: ${first.message}` : 'the definition has errors',
    report: showReport(report),
  })
}

/** Deploys an upload under a name: 201 for a new mock, 200 for a new version. */
export async function deployUpload(
  service: Service,
  request: FastifyRequest,
  reply: FastifyReply,
  name: string,
  upload: ReadUpload,
): Promise<FastifyReply> {
  const { registry, mocks } = service
  const present = registry.get(name)
  const { next, report } = await checkForDeploy(
    service,
    { text: requireDocument(upload), given: upload.given, message: upload.message },
    present ? name : null,
  )
  const mock = present
    ? await mocks.deploy(name, next, record => {
        checkRevision(request, record)
        return { ...record, enabled: upload.enabled ?? record.enabled }
      })
    : await mocks.create({ name, source: 'api', files: null, enabled: upload.enabled ?? true }, next)
  if (!present) reply.code(201).header('Location', service.svc.http.url(request, `/_svc/mocks/${name}`))
  return sendMock(service, request, reply, mock, report)
}
