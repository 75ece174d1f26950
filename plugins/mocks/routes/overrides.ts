/** Routes for the overrides of a mock. */
import { describe, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'svc/plugin'
import { setOwn, type JsonObject } from '../document/json.ts'
import { managementError } from '../errors.ts'
import { factsOf } from '../management/live.ts'
import { isGraphMock, type Mock } from '../management/mock.ts'
import { requireMock, type Service } from '../management/service.ts'
import { MANAGEMENT, nameParameter, writes } from './descriptions.ts'
import { BASE, PETSTORE, edit, readersFor, readJsonBody, tagged, writable, type Named } from './edit.ts'
import { SVC_MOCKS_OVERRIDES, SVC_MOCKS_OVERRIDE } from '../replies.ts'

interface OfOperation {
  Params: { name: string; operation: string }
}

const operationParameter = {
  name: 'operation',
  in: 'path' as const,
  description:
    'operationId or `METHOD /path`; of a GraphQL schema, a type, a field such as `User.email`, or a response path. `*` means all operations',
  schema: { type: 'string' },
}

export function registerOverrides(app: FastifyInstance, service: Service): void {
  app.get<Named>(
    `${BASE}/overrides`,
    describe({
      ...MANAGEMENT,
      summary: 'List the overrides of a mock',
      reply: SVC_MOCKS_OVERRIDES,
      parameters: [nameParameter],
      examples: [{ name: 'Petstore', path: `${PETSTORE}/overrides`, expectStatus: 200 }],
    }),
    request => ({ overrides: requireMock(service, request.params.name).live.parts.overrides.asJson() }),
  )
  app.delete<Named>(
    `${BASE}/overrides`,
    writes({
      summary: 'Remove all overrides',
      reply: SVC_MOCKS_OVERRIDES,
      parameters: [nameParameter],
      examples: [{ name: 'Petstore', method: 'DELETE', path: `${PETSTORE}/overrides`, expectStatus: 200 }],
    }),
    (request, reply) => clearOverrides(service, request, reply),
  )
  app.get<OfOperation>(
    `${BASE}/overrides/:operation`,
    describe({
      ...MANAGEMENT,
      summary: 'Get the override of an operation',
      reply: SVC_MOCKS_OVERRIDE,
      parameters: [nameParameter, operationParameter],
      examples: [{ name: 'No override', path: `${PETSTORE}/overrides/listPets`, expectStatus: 200 }],
    }),
    request => showOverride(requireMock(service, request.params.name), request.params.operation),
  )
  app.put<OfOperation>(
    `${BASE}/overrides/:operation`,
    writes({
      summary: 'Override an operation, or all operations with `*`',
      reply: SVC_MOCKS_OVERRIDE,
      parameters: [nameParameter, operationParameter],
      examples: [
        {
          name: 'Invalid status',
          method: 'PUT',
          path: `${PETSTORE}/overrides/listPets`,
          body: '{"status":99}',
          bodyType: 'json',
          expectStatus: 400,
        },
      ],
    }),
    (request, reply) => setOverride(service, request, reply),
  )
  app.delete<OfOperation>(
    `${BASE}/overrides/:operation`,
    writes({
      summary: 'Remove an override',
      reply: SVC_MOCKS_OVERRIDE,
      parameters: [nameParameter, operationParameter],
      examples: [{ name: 'List pets', method: 'DELETE', path: `${PETSTORE}/overrides/listPets`, expectStatus: 200 }],
    }),
    (request, reply) => dropOverride(service, request, reply),
  )
}

/** The key of the operation that the path parameter names. Throws `unknown_operation`. */
function placeOf(mock: Mock, operation: string): string {
  if (operation === '*' || (isGraphMock(mock) && mock.live.graph.hasPlace(operation))) return operation
  const { operations, keyOf } = factsOf(mock.live)
  const found = keyOf(operation)
  if (found === undefined)
    throw managementError('unknown_operation', `there is no operation "${operation.slice(0, 200)}"`, {
      operations: operations.slice(0, 50),
    })
  return found
}

function showOverride(mock: Mock, operation: string): JsonObject {
  const key = placeOf(mock, operation)
  return { operation: key, override: mock.live.parts.overrides.get(key)?.asJson ?? null }
}

async function setOverride(
  service: Service,
  request: FastifyRequest<OfOperation>,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const key = placeOf(writable(service, request), request.params.operation)
  const mock = await edit(service, request, ({ overrides }) => {
    const read = readersFor(service, request).override(readJsonBody(service, request))
    if ('problem' in read) throw managementError('invalid_override', read.problem.message, { at: read.problem.at })
    const edited = { ...overrides }
    setOwn(edited, key, read.override.asJson)
    return { overrides: edited }
  })
  return tagged(reply, mock).send(showOverride(mock, key))
}

async function dropOverride(
  service: Service,
  request: FastifyRequest<OfOperation>,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const key = placeOf(writable(service, request), request.params.operation)
  const mock = await edit(service, request, ({ overrides }) => {
    const { [key]: _dropped, ...others } = overrides
    return { overrides: others }
  })
  return tagged(reply, mock).send({ operation: key, override: null })
}

async function clearOverrides(
  service: Service,
  request: FastifyRequest<Named>,
  reply: FastifyReply,
): Promise<FastifyReply> {
  return tagged(reply, await edit(service, request, () => ({ overrides: {} }))).send({ overrides: {} })
}
