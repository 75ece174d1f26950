/** Routes for the rules of a mock. */
import { describe, readQuery, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'svc/plugin'
import { isRecord, shownText } from 'svc/toolkit'
import type { Json, JsonObject } from '../document/json.ts'
import { managementError } from '../errors.ts'
import type { Mock } from '../management/mock.ts'
import { requireMock, type Service } from '../management/service.ts'
import { RULE_SCHEMA } from '../rules/rule-schema.ts'
import type { Rule } from '../rules/rule.ts'
import { MANAGEMENT, nameParameter, writes } from './descriptions.ts'
import { BASE, PETSTORE, edit, readersFor, readJsonBody, tagged, type Named } from './edit.ts'
import { DELETED, RULE, SVC_MOCKS_RULES } from '../replies.ts'

/** The other type of this title in generated clients is that of the rules of svc. */
const RULE_BODY = { ...RULE_SCHEMA, title: 'MockRule' }

interface OfRule {
  Params: { name: string; id: string }
}

const idParameter = { name: 'id', in: 'path' as const, description: 'Rule id', schema: { type: 'string' } }

export function registerRules(app: FastifyInstance, service: Service): void {
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
      requestBody: { required: true, content: { 'application/json': RULE_BODY } },
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
      requestBody: { required: true, content: { 'application/json': RULE_BODY } },
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

function showRules(mock: Mock): JsonObject {
  const { rules } = mock.live.parts
  return { count: rules.length, rules: rules.map(rule => rule.asJson) }
}

function unknownRule(id: string, known: string[]): Error {
  return managementError('unknown_rule', `there is no rule "${id.slice(0, 80)}"`, { rules: known })
}

function requireRule(mock: Mock, id: string): Rule<unknown> {
  const rules: readonly Rule<unknown>[] = mock.live.parts.rules
  const rule = rules.find(entry => entry.id === id)
  if (!rule) throw unknownRule(id, idsOf(rules))
  return rule
}

/** The ids of stored rules: every stored rule has one. */
function idsOf(rules: readonly Json[] | readonly Rule<unknown>[]): string[] {
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
    const read = readersFor(service, request).rules(isRecord(given) ? given['rules'] : given)
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
    const read = readersFor(service, request).rule(readJsonBody(service, request), new Set(ids))
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
    const read = readersFor(service, request).rule(isRecord(given) ? { ...given, id } : given, new Set())
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
