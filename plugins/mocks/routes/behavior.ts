/** Routes for settings, overrides and rules, which can be changed while a mock is live. */
import { describe, isRecord, readQuery, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'svc/plugin'
import { outcomeLimits, ruleLimits } from '../management/definition.ts'
import { managementError } from '../errors.ts'
import { mergePatch, parseJson, type Json, type JsonObject } from '../document/json.ts'
import type { Mock } from '../management/mock.ts'
import { Overrides, readOverride, type Override } from '../rules/override.ts'
import { readRule, readRules, type Rule } from '../rules/rule.ts'
import { readSettings } from '../management/settings.ts'
import { checkRevision, requireMock, type Service } from '../management/service.ts'
import { MANAGEMENT, nameParameter, writes } from './descriptions.ts'

interface Named {
  Params: { name: string }
}
interface OfOperation {
  Params: { name: string; operation: string }
}
interface OfRule {
  Params: { name: string; id: string }
}

const operationParameter = {
  name: 'operation',
  in: 'path' as const,
  description: 'operationId or `METHOD /path`; `*` means all operations',
  schema: { type: 'string' },
}
const idParameter = { name: 'id', in: 'path' as const, description: 'Rule id', schema: { type: 'string' } }
const BASE = '/_svc/mocks/:name'
const PETSTORE = '/_svc/mocks/petstore'

export function registerBehavior(app: FastifyInstance, service: Service): void {
  app.get<Named>(
    `${BASE}/settings`,
    describe({
      ...MANAGEMENT,
      summary: 'Get the settings of a mock',
      parameters: [nameParameter],
      examples: [{ name: 'Petstore', path: `${PETSTORE}/settings`, expectStatus: 200 }],
    }),
    request => requireMock(service, request.params.name).live.parts.settings.asJson,
  )
  app.put<Named>(
    `${BASE}/settings`,
    writes({
      summary: 'Replace the settings',
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

  app.get<Named>(
    `${BASE}/overrides`,
    describe({
      ...MANAGEMENT,
      summary: 'List the overrides of a mock',
      parameters: [nameParameter],
      examples: [{ name: 'Petstore', path: `${PETSTORE}/overrides`, expectStatus: 200 }],
    }),
    request => ({ overrides: requireMock(service, request.params.name).live.parts.overrides.asJson() }),
  )
  app.delete<Named>(
    `${BASE}/overrides`,
    writes({
      summary: 'Remove all overrides',
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
      parameters: [nameParameter, operationParameter],
      examples: [{ name: 'No override', path: `${PETSTORE}/overrides/listPets`, expectStatus: 200 }],
    }),
    request => showOverride(requireMock(service, request.params.name), request.params.operation),
  )
  app.put<OfOperation>(
    `${BASE}/overrides/:operation`,
    writes({
      summary: 'Override an operation, or all operations with `*`',
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
      parameters: [nameParameter, operationParameter],
      examples: [{ name: 'List pets', method: 'DELETE', path: `${PETSTORE}/overrides/listPets`, expectStatus: 200 }],
    }),
    (request, reply) => dropOverride(service, request, reply),
  )

  app.get<Named>(
    `${BASE}/rules`,
    describe({
      ...MANAGEMENT,
      summary: 'List the rules of a mock in order',
      parameters: [nameParameter],
      examples: [{ name: 'Petstore', path: `${PETSTORE}/rules`, expectStatus: 200 }],
    }),
    request => showRules(requireMock(service, request.params.name)),
  )
  app.put<Named>(
    `${BASE}/rules`,
    writes({
      summary: 'Replace all rules',
      parameters: [nameParameter],
      examples: [
        { name: 'No rules', method: 'PUT', path: `${PETSTORE}/rules`, body: '[]', bodyType: 'json', expectStatus: 200 },
      ],
    }),
    (request, reply) => replaceRules(service, request, reply),
  )
  app.post<Named>(
    `${BASE}/rules`,
    writes({
      summary: 'Add a rule',
      parameters: [
        nameParameter,
        {
          name: 'position',
          in: 'query',
          description: 'Zero-based position in the list. Default: last',
          schema: { type: 'integer' },
        },
      ],
      examples: [
        {
          name: 'Invalid condition',
          method: 'POST',
          path: `${PETSTORE}/rules`,
          body: '{"when":[{"in":"moon"}],"then":{}}',
          bodyType: 'json',
          expectStatus: 400,
        },
      ],
    }),
    (request, reply) => addRule(service, request, reply),
  )
  app.delete<Named>(
    `${BASE}/rules`,
    writes({
      summary: 'Remove all rules',
      parameters: [nameParameter],
      examples: [{ name: 'Petstore', method: 'DELETE', path: `${PETSTORE}/rules`, expectStatus: 200 }],
    }),
    (request, reply) => editRules(service, request, reply, () => []),
  )
  app.get<OfRule>(
    `${BASE}/rules/:id`,
    describe({
      ...MANAGEMENT,
      summary: 'Get a rule',
      parameters: [nameParameter, idParameter],
      examples: [{ name: 'Unknown', path: `${PETSTORE}/rules/nothing`, expectStatus: 404 }],
    }),
    request => requireRule(requireMock(service, request.params.name), request.params.id).asJson,
  )
  app.put<OfRule>(
    `${BASE}/rules/:id`,
    writes({
      summary: 'Replace a rule',
      parameters: [nameParameter, idParameter],
      examples: [
        {
          name: 'Unknown',
          method: 'PUT',
          path: `${PETSTORE}/rules/nothing`,
          body: '{"then":{"status":200}}',
          bodyType: 'json',
          expectStatus: 404,
        },
      ],
    }),
    (request, reply) => replaceRule(service, request, reply),
  )
  app.delete<OfRule>(
    `${BASE}/rules/:id`,
    writes({
      summary: 'Remove a rule',
      parameters: [nameParameter, idParameter],
      examples: [{ name: 'Unknown', method: 'DELETE', path: `${PETSTORE}/rules/nothing`, expectStatus: 404 }],
    }),
    (request, reply) => dropRule(service, request, reply),
  )
}

/** The JSON value of a body. Throws `invalid_body`. */
function readJsonBody(service: Service, request: FastifyRequest): Json {
  const value = parseJson(service.svc.http.body(request).toString('utf8'))
  if (value === undefined) throw managementError('invalid_body', 'the body must be JSON')
  return value
}

/** The mock to change. Throws `unknown_mock` or `revision_mismatch`. */
function writable(service: Service, request: FastifyRequest<Named>): Mock {
  const mock = requireMock(service, request.params.name)
  checkRevision(request, mock)
  return mock
}

function tagged(reply: FastifyReply, mock: Mock): FastifyReply {
  return reply.header('ETag', `"${mock.revision}"`)
}

// ------------------------------------------------------------------------------------------------------------ settings

async function changeSettings(
  service: Service,
  request: FastifyRequest<Named>,
  reply: FastifyReply,
  isPatch: boolean,
): Promise<FastifyReply> {
  const mock = writable(service, request)
  const given = readJsonBody(service, request)
  if (!isRecord(given)) throw managementError('invalid_settings', 'the body must be a JSON object', { at: 'settings' })
  const read = readSettings(
    isPatch ? mergePatch(mock.live.parts.settings.asJson, given) : given,
    service.registry.options.maxDelayMs,
  )
  if ('problem' in read) throw managementError('invalid_settings', read.problem.message, { at: read.problem.at })
  mock.edit({ settings: read.settings })
  return tagged(reply, mock).send(read.settings.asJson)
}

// ----------------------------------------------------------------------------------------------------------- overrides

/** The key of the operation that the path parameter names. Throws `unknown_operation`. */
function keyOf(mock: Mock, operation: string): string {
  if (operation === '*') return '*'
  const found = mock.live.api.operation(operation)
  if (!found)
    throw managementError('unknown_operation', `there is no operation "${operation.slice(0, 200)}"`, {
      operations: mock.live.api.operations.slice(0, 50).map(({ key }) => key),
    })
  return found.key
}

function showOverride(mock: Mock, operation: string): JsonObject {
  const key = keyOf(mock, operation)
  return { operation: key, override: mock.live.parts.overrides.get(key)?.asJson ?? null }
}

function editOverrides(service: Service, mock: Mock, change: (byKey: Map<string, Override>) => void): void {
  const { overrides } = mock.live.parts
  const byKey = new Map(
    Object.keys(overrides.asJson()).flatMap(key => {
      const override = overrides.get(key)
      return override ? [[key, override] as const] : []
    }),
  )
  change(byKey)
  mock.edit({ overrides: new Overrides(byKey, outcomeLimits(service.registry.options)) })
}

async function setOverride(
  service: Service,
  request: FastifyRequest<OfOperation>,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const mock = writable(service, request)
  const key = keyOf(mock, request.params.operation)
  const read = readOverride(readJsonBody(service, request), outcomeLimits(service.registry.options))
  if ('problem' in read) throw managementError('invalid_override', read.problem.message, { at: read.problem.at })
  editOverrides(service, mock, byKey => byKey.set(key, read.override))
  return tagged(reply, mock).send({ operation: key, override: read.override.asJson })
}

async function dropOverride(
  service: Service,
  request: FastifyRequest<OfOperation>,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const mock = writable(service, request)
  const key = keyOf(mock, request.params.operation)
  editOverrides(service, mock, byKey => byKey.delete(key))
  return tagged(reply, mock).send({ operation: key, override: null })
}

async function clearOverrides(
  service: Service,
  request: FastifyRequest<Named>,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const mock = writable(service, request)
  editOverrides(service, mock, byKey => byKey.clear())
  return tagged(reply, mock).send({ overrides: {} })
}

// --------------------------------------------------------------------------------------------------------------- rules

function showRules(mock: Mock): JsonObject {
  const { rules } = mock.live.parts
  return { count: rules.length, rules: rules.map(rule => rule.asJson) }
}

function requireRule(mock: Mock, id: string): Rule {
  const rule = mock.live.parts.rules.find(entry => entry.id === id)
  if (!rule)
    throw managementError('unknown_rule', `there is no rule "${id.slice(0, 80)}"`, {
      rules: mock.live.parts.rules.map(entry => entry.id),
    })
  return rule
}

async function editRules(
  service: Service,
  request: FastifyRequest<Named>,
  reply: FastifyReply,
  change: (rules: Rule[], mock: Mock) => Rule[],
): Promise<FastifyReply> {
  const mock = writable(service, request)
  mock.edit({ rules: change([...mock.live.parts.rules], mock) })
  return tagged(reply, mock).send(showRules(mock))
}

function invalidRule(problem: { at: string; message: string }): Error {
  return managementError('invalid_rule', problem.message, { at: problem.at })
}

function replaceRules(service: Service, request: FastifyRequest<Named>, reply: FastifyReply): Promise<FastifyReply> {
  return editRules(service, request, reply, () => {
    const given = readJsonBody(service, request)
    const read = readRules(isRecord(given) ? given['rules'] : given, ruleLimits(service.registry.options))
    if ('problem' in read) throw invalidRule(read.problem)
    return read.rules
  })
}

async function addRule(service: Service, request: FastifyRequest<Named>, reply: FastifyReply): Promise<FastifyReply> {
  const mock = writable(service, request)
  const { rules } = mock.live.parts
  const { bounds } = service.registry.options
  if (rules.length >= bounds.rules)
    throw invalidRule({ at: '', message: `the mock already has the maximum of ${bounds.rules} rules` })
  const read = readRule(
    readJsonBody(service, request),
    ruleLimits(service.registry.options),
    new Set(rules.map(rule => rule.id)),
  )
  if ('problem' in read) throw invalidRule(read.problem)
  if (rules.some(rule => rule.id === read.rule.id))
    throw invalidRule({ at: 'id', message: `the id "${read.rule.id}" is already used by another rule` })
  const position = readQuery(request).get('position')
  if (position !== null && !/^\d{1,4}$/.test(position))
    throw managementError('invalid_parameter', 'position must be an integer from 0 to 9999')
  mock.edit({ rules: rules.toSpliced(position === null ? rules.length : Number(position), 0, read.rule) })
  return tagged(reply, mock).code(201).send(read.rule.asJson)
}

async function replaceRule(
  service: Service,
  request: FastifyRequest<OfRule>,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const mock = writable(service, request)
  const present = requireRule(mock, request.params.id)
  const given = readJsonBody(service, request)
  const read = readRule(
    isRecord(given) ? { ...given, id: present.id } : given,
    ruleLimits(service.registry.options),
    new Set(),
  )
  if ('problem' in read) throw invalidRule(read.problem)
  mock.edit({ rules: mock.live.parts.rules.map(rule => (rule === present ? read.rule : rule)) })
  return tagged(reply, mock).send(read.rule.asJson)
}

async function dropRule(service: Service, request: FastifyRequest<OfRule>, reply: FastifyReply): Promise<FastifyReply> {
  const mock = writable(service, request)
  const present = requireRule(mock, request.params.id)
  mock.edit({ rules: mock.live.parts.rules.filter(rule => rule !== present) })
  return tagged(reply, mock).send({ deleted: present.id })
}
