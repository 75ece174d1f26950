/** Routes for settings, overrides and rules, which can be changed while a mock is live. */
import { describe, readQuery, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'svc/plugin'
import { isRecord, shownText } from 'svc/toolkit'
import { outcomeLimits, ruleLimits } from '../definition/definition.ts'
import { managementError } from '../errors.ts'
import { mergePatch, parseJson, setOwn, type Json, type JsonObject } from '../document/json.ts'
import { withParts, type JsonParts, type Mock } from '../management/mock.ts'
import { readOverride } from '../rules/override.ts'
import { RULE_SCHEMA } from '../rules/rule-schema.ts'
import { readRule, readRules, type Rule } from '../rules/rule.ts'
import { readSettings } from '../definition/settings.ts'
import { checkRevision, requireMock, type Service } from '../management/service.ts'
import { MANAGEMENT, nameParameter, writes } from './descriptions.ts'
import {
  DELETED,
  RULE,
  SVC_MOCKS_OVERRIDES,
  SVC_MOCKS_OVERRIDES_2,
  SVC_MOCKS_RULES,
  SVC_MOCKS_SETTINGS,
} from '../replies.ts'

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
      reply: SVC_MOCKS_OVERRIDES_2,
      parameters: [nameParameter, operationParameter],
      examples: [{ name: 'No override', path: `${PETSTORE}/overrides/listPets`, expectStatus: 200 }],
    }),
    request => showOverride(requireMock(service, request.params.name), request.params.operation),
  )
  app.put<OfOperation>(
    `${BASE}/overrides/:operation`,
    writes({
      summary: 'Override an operation, or all operations with `*`',
      reply: SVC_MOCKS_OVERRIDES_2,
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
      reply: SVC_MOCKS_OVERRIDES_2,
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
      reply: SVC_MOCKS_RULES,
      parameters: [nameParameter],
      examples: [{ name: 'Petstore', path: `${PETSTORE}/rules`, expectStatus: 200 }],
    }),
    request => showRules(requireMock(service, request.params.name)),
  )
  app.put<Named>(
    `${BASE}/rules`,
    writes({
      summary: 'Replace all rules',
      reply: SVC_MOCKS_RULES,
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
      reply: RULE,
      requestBody: { required: true, content: { 'application/json': RULE_SCHEMA } },
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
          body: '{"match":{"path":"/pets?limit=1"},"then":{"status":503}}',
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
      reply: SVC_MOCKS_RULES,
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
      reply: RULE,
      parameters: [
        nameParameter,
        idParameter,
        {
          name: 'translate',
          in: 'query',
          description: '`true`: conditions in the older spelling are shown in the present one.',
          schema: { type: 'boolean', default: false },
        },
      ],
      examples: [{ name: 'Unknown', path: `${PETSTORE}/rules/nothing`, expectStatus: 404 }],
    }),
    request => {
      const rule = requireRule(requireMock(service, request.params.name), request.params.id)
      return readQuery(request).get('translate') === 'true' ? (rule.translated ?? rule.asJson) : rule.asJson
    },
  )
  app.put<OfRule>(
    `${BASE}/rules/:id`,
    writes({
      summary: 'Replace a rule',
      reply: RULE,
      requestBody: { required: true, content: { 'application/json': RULE_SCHEMA } },
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
      reply: DELETED,
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

/** Edits the live parts of a mock. `change` may run more than once. Throws `unknown_mock` or `revision_mismatch`. */
async function edit(
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
  const mock = await edit(service, request, parts => {
    const given = readJsonBody(service, request)
    if (!isRecord(given))
      throw managementError('invalid_settings', 'the body must be a JSON object', { at: 'settings' })
    const read = readSettings(isPatch ? mergePatch(parts.settings, given) : given, service.registry.options.maxDelayMs)
    if ('problem' in read) throw managementError('invalid_settings', read.problem.message, { at: read.problem.at })
    return { settings: read.settings.asJson }
  })
  return tagged(reply, mock).send(mock.live.parts.settings.asJson)
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

async function setOverride(
  service: Service,
  request: FastifyRequest<OfOperation>,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const key = keyOf(writable(service, request), request.params.operation)
  const mock = await edit(service, request, ({ overrides }) => {
    const read = readOverride(readJsonBody(service, request), outcomeLimits(service.registry.options))
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
  const key = keyOf(writable(service, request), request.params.operation)
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

// --------------------------------------------------------------------------------------------------------------- rules

function showRules(mock: Mock): JsonObject {
  const { rules } = mock.live.parts
  return { count: rules.length, rules: rules.map(rule => rule.asJson) }
}

function unknownRule(id: string, known: string[]): Error {
  return managementError('unknown_rule', `there is no rule "${id.slice(0, 80)}"`, { rules: known })
}

function requireRule(mock: Mock, id: string): Rule {
  const { rules } = mock.live.parts
  const rule = rules.find(entry => entry.id === id)
  if (!rule) throw unknownRule(id, idsOf(rules))
  return rule
}

/** The ids of stored rules: every stored rule has one. */
function idsOf(rules: readonly Json[] | readonly Rule[]): string[] {
  return rules.map(rule => shownText((rule as { id?: unknown }).id))
}

async function editRules(
  service: Service,
  request: FastifyRequest<Named>,
  reply: FastifyReply,
  change: (rules: Json[]) => Json[],
): Promise<FastifyReply> {
  const mock = await edit(service, request, parts => ({ rules: change(parts.rules) }))
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
    return read.rules.map(rule => rule.asJson)
  })
}

async function addRule(service: Service, request: FastifyRequest<Named>, reply: FastifyReply): Promise<FastifyReply> {
  const { bounds } = service.registry.options
  const position = readQuery(request).get('position')
  const mock = await edit(service, request, ({ rules }) => {
    if (rules.length >= bounds.rules)
      throw invalidRule({ at: '', message: `the mock already has the maximum of ${bounds.rules} rules` })
    const ids = idsOf(rules)
    const read = readRule(readJsonBody(service, request), ruleLimits(service.registry.options), new Set(ids))
    if ('problem' in read) throw invalidRule(read.problem)
    if (ids.includes(read.rule.id))
      throw invalidRule({ at: 'id', message: `the id "${read.rule.id}" is already used by another rule` })
    if (position !== null && !/^\d{1,4}$/.test(position))
      throw managementError('invalid_parameter', 'position must be an integer from 0 to 9999')
    return { rules: rules.toSpliced(position === null ? rules.length : Number(position), 0, read.rule.asJson) }
  })
  const { rules } = mock.live.parts
  const added = position === null ? rules.at(-1) : (rules[Number(position)] ?? rules.at(-1))
  return tagged(reply, mock).code(201).send(added?.asJson)
}

async function replaceRule(
  service: Service,
  request: FastifyRequest<OfRule>,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { id } = request.params
  const mock = await edit(service, request, ({ rules }) => {
    const at = placeOf(rules, id)
    const given = readJsonBody(service, request)
    const read = readRule(isRecord(given) ? { ...given, id } : given, ruleLimits(service.registry.options), new Set())
    if ('problem' in read) throw invalidRule(read.problem)
    return { rules: rules.with(at, read.rule.asJson) }
  })
  return tagged(reply, mock).send(requireRule(mock, id).asJson)
}

async function dropRule(service: Service, request: FastifyRequest<OfRule>, reply: FastifyReply): Promise<FastifyReply> {
  const { id } = request.params
  const mock = await edit(service, request, ({ rules }) => ({ rules: rules.toSpliced(placeOf(rules, id), 1) }))
  return tagged(reply, mock).send({ deleted: id })
}

/** The index of a rule. Throws `unknown_rule`. */
function placeOf(rules: readonly Json[], id: string): number {
  const ids = idsOf(rules)
  if (!ids.includes(id)) throw unknownRule(id, ids)
  return ids.indexOf(id)
}
