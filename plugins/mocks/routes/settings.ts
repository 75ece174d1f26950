/** Routes for the settings of a mock. */
import { describe, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'svc/plugin'
import { isRecord } from 'svc/toolkit'
import { mergePatch } from '../document/json.ts'
import { managementError } from '../errors.ts'
import { requireMock, type Service } from '../management/service.ts'
import { MANAGEMENT, nameParameter, writes } from './descriptions.ts'
import { BASE, PETSTORE, edit, readersFor, readJsonBody, tagged, type Named } from './edit.ts'
import { SVC_MOCKS_SETTINGS } from '../replies.ts'

export function registerSettings(app: FastifyInstance, service: Service): void {
  app.get<Named>(
    `${BASE}/settings`,
    describe({
      ...MANAGEMENT,
      summary: 'Get the settings of a mock',
      reply: SVC_MOCKS_SETTINGS,
      parameters: [nameParameter],
      examples: [{ name: 'Petstore', path: `${PETSTORE}/settings`, expectStatus: 200 }],
    }),
    request => requireMock(service, request.params.name).live.parts.settings.asJson,
  )
  app.put<Named>(
    `${BASE}/settings`,
    writes({
      summary: 'Replace the settings',
      reply: SVC_MOCKS_SETTINGS,
      parameters: [nameParameter],
      examples: [
        {
          name: 'Unknown setting',
          method: 'PUT',
          path: `${PETSTORE}/settings`,
          body: '{"speed":1}',
          bodyType: 'json',
          expectStatus: 400,
        },
      ],
    }),
    (request, reply) => changeSettings(service, request, reply, false),
  )
  app.patch<Named>(
    `${BASE}/settings`,
    writes({
      summary: 'Change settings with a JSON Merge Patch (RFC 7396)',
      reply: SVC_MOCKS_SETTINGS,
      parameters: [nameParameter],
      examples: [
        {
          name: 'No delay',
          method: 'PATCH',
          path: `${PETSTORE}/settings`,
          body: '{"delay_ms":0}',
          bodyType: 'json',
          expectStatus: 200,
        },
      ],
    }),
    (request, reply) => changeSettings(service, request, reply, true),
  )
}

async function changeSettings(
  service: Service,
  request: FastifyRequest<Named>,
  reply: FastifyReply,
  isPatch: boolean,
): Promise<FastifyReply> {
  const mock = await edit(service, request, parts => {
    const given = readJsonBody(service, request)
    if (!isRecord(given))
      throw managementError('invalid_settings', 'the body must be a JSON object', { at: 'settings' })
    const read = readersFor(service, request).settings(isPatch ? mergePatch(parts.settings, given) : given)
    if ('problem' in read) throw managementError('invalid_settings', read.problem.message, { at: read.problem.at })
    return { settings: read.settings.asJson }
  })
  return tagged(reply, mock).send(mock.live.parts.settings.asJson)
}
