/** Changes of live mocks, as the routes of settings, overrides and rules make them. */
import type { FastifyReply, FastifyRequest } from 'svc/plugin'
import { parseJson, type Json } from '../document/json.ts'
import { managementError } from '../errors.ts'
import type { JsonParts } from '../management/live.ts'
import { partReaders, type PartReaders } from '../management/part-readers.ts'
import { withParts, type Mock } from '../management/mock.ts'
import { checkRevision, requireMock, type Service } from '../management/service.ts'

/** Routes of a mock. */
export interface Named {
  Params: { name: string }
}

export const BASE = '/_svc/mocks/:name'
export const PETSTORE = '/_svc/mocks/petstore'

/** The JSON value of a body. Throws `invalid_body`. */
export function readJsonBody(service: Service, request: FastifyRequest): Json {
  const value = parseJson(service.svc.http.body(request).toString('utf8'))
  if (value === undefined) throw managementError('invalid_body', 'the body must be JSON')
  return value
}

/** The mock to change. Throws `unknown_mock` or `revision_mismatch`. */
export function writable(service: Service, request: FastifyRequest<Named>): Mock {
  const mock = requireMock(service, request.params.name)
  checkRevision(request, mock)
  return mock
}

/** Edits the live parts of a mock. `change` may run more than once. Throws `unknown_mock` or `revision_mismatch`. */
export async function edit(
  service: Service,
  request: FastifyRequest<Named>,
  change: (parts: JsonParts) => Partial<JsonParts>,
): Promise<Mock> {
  const { name } = writable(service, request)
  return service.mocks.edit(name, record => {
    checkRevision(request, record)
    return withParts(record, change(record.parts))
  })
}

/** Reads parts of the mock that a request is about. Throws `unknown_mock`. */
export function readersFor(service: Service, request: FastifyRequest<Named>): PartReaders {
  return partReaders(requireMock(service, request.params.name).live.kind, service.registry.options)
}

export function tagged(reply: FastifyReply, mock: Mock): FastifyReply {
  return reply.header('ETag', `"${mock.revision}"`)
}
