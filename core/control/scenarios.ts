/** Routes of scenarios: the states that rules test and change. */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { describe, HttpError, type RouteDescription } from '../contract/plugin.ts'
import type { Json } from '../contract/json.ts'
import { isRecord } from '../contract/record.ts'
import { MAX_SCENARIO_TEXT } from '../rules/scenarios.ts'
import type { ControlDeps } from './deps.ts'
import { readableScope, SCOPE_PARAMETERS, writableScope } from './rule-scope.ts'
import { SVC_SCENARIOS, SVC_SCENARIOS_PUT } from './reply-schemas/rules.ts'

const category = 'Testing'
const MAX_BODY_BYTES = 4096

interface Shown {
  name: string
  state: string
  scope: 'session' | 'instance'
  session: string | null
}

const listScenariosDescription: RouteDescription = {
  summary: 'Scenarios that were set',
  reply: SVC_SCENARIOS,
  description:
    'Those of the session, if the request names one, and those of the instance. A scenario that was never set is `Started`.',
  category,
  parameters: SCOPE_PARAMETERS,
  responses: {
    200: { description: 'The scenarios and their states.' },
    400: { description: 'A parameter is invalid, or `session` is missing in public mode.' },
  },
  examples: [
    { name: 'Scenarios of a session', method: 'GET', path: '/_svc/scenarios?session=demo', expectStatus: 200 },
  ],
}

const setScenarioDescription: RouteDescription = {
  summary: 'Set the state of a scenario',
  reply: SVC_SCENARIOS_PUT,
  description: 'Scenarios of the instance require the admin token if one is configured.',
  category,
  parameters: [
    {
      name: 'name',
      in: 'path',
      required: true,
      description: 'Name of the scenario',
      schema: { type: 'string', minLength: 1, maxLength: MAX_SCENARIO_TEXT },
    },
    ...SCOPE_PARAMETERS,
  ],
  requestBody: {
    required: true,
    content: {
      'application/json': {
        type: 'object',
        additionalProperties: false,
        required: ['state'],
        properties: { state: { type: 'string', minLength: 1, maxLength: MAX_SCENARIO_TEXT } },
      },
    },
  },
  responses: {
    200: { description: 'The scenario.' },
    400: { description: 'The state is wrong.' },
    401: { description: 'The admin token is missing or wrong, and the scenario belongs to the instance.' },
    403: { description: 'Scenarios of the instance cannot be changed in public mode without an admin token.' },
    429: { description: 'Too many scenarios.' },
  },
  examples: [
    {
      name: 'Set a scenario',
      method: 'PUT',
      path: '/_svc/scenarios/order?session=demo',
      headers: [{ name: 'Content-Type', value: 'application/json' }],
      body: '{"state":"paid"}',
      bodyType: 'json',
      expectStatus: 200,
    },
  ],
}

/** Registers `/_svc/scenarios` and the route below it. */
export function registerScenarios(app: FastifyInstance, deps: ControlDeps): void {
  const { scenarios } = deps.rules.book
  app.get('/_svc/scenarios', describe(listScenariosDescription), async request => {
    const { session, showsInstance } = readableScope(request, deps)
    const scopes = [...(session === null ? [] : [session]), ...(showsInstance ? [null] : [])]
    const shown: Shown[] = []
    for (const scope of scopes)
      for (const [name, state] of Object.entries(await scenarios.states(scope))) shown.push(show(name, state, scope))
    return { count: shown.length, scenarios: shown }
  })
  app.put('/_svc/scenarios/:name', describe(setScenarioDescription), async request => {
    const session = writableScope(request, deps)
    const { name } = request.params as { name: string }
    if (name === '' || name.length > MAX_SCENARIO_TEXT)
      throw invalidScenario('name', `expected a name of 1 to ${MAX_SCENARIO_TEXT} characters`)
    const state = readState(request, deps)
    if ((await scenarios.change(session, { [name]: state })) === 'full')
      throw new HttpError(429, { error: 'too_many_scenarios', limit: scenarios.limit })
    return show(name, state, session)
  })
}

function show(name: string, state: string, session: string | null): Shown {
  return { name, state, scope: session === null ? 'instance' : 'session', session }
}

function readState(request: FastifyRequest, { http }: ControlDeps): string {
  const body = http.body(request)
  let value: Json | undefined
  try {
    if (body.length <= MAX_BODY_BYTES) value = JSON.parse(body.toString()) as Json
  } catch {
    throw new HttpError(400, { error: 'invalid_json', details: 'the body is not valid JSON' })
  }
  const state = isRecord(value) && Object.keys(value).join() === 'state' ? value.state : undefined
  if (typeof state === 'string' && state !== '' && state.length <= MAX_SCENARIO_TEXT) return state
  throw invalidScenario('state', `expected an object with state, a text of 1 to ${MAX_SCENARIO_TEXT} characters`)
}

function invalidScenario(at: string, details: string): HttpError {
  return new HttpError(400, { error: 'invalid_scenario', at, details })
}
