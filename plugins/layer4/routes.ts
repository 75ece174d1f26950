/** `/_svc/layer4`: the listeners, and faults that are set for them. */
import { randomUUID } from 'node:crypto'
import {
  describe,
  type FastifyInstance,
  HttpError,
  type JsonObject,
  type OpenPort,
  readJsonObject,
  type Svc,
} from 'svc/plugin'
import {
  ANY,
  asInteger,
  asObject,
  asText,
  below,
  InputProblem,
  INTEGER,
  jsonReply,
  list,
  nearest,
  nullable,
  object,
  RECORD,
  rejectUnknownKeys,
  TEXT,
  typed,
} from 'svc/toolkit'
import { ABORT, DELAY, DRIP, type Layer4Options, MAX_TEXT } from './options.ts'
import type { Override, Overrides } from './overrides.ts'

const PATH = '/_svc/layer4'
const CATEGORY = 'Control Plane'
/** As the pattern of `ABORT`. */
const ABORT_TEXT = /^(?:reset|close|hang|half)(?::[0-9]{1,10})?$/
const KEYS = ['abort', 'delay_ms', 'drip', 'times']
const NAME = {
  name: 'name',
  in: 'path',
  required: true,
  description: 'Name of the listener.',
  schema: { type: 'string' },
} as const
const RESPONSES = {
  401: { description: 'The admin token is missing or wrong.' },
  403: { description: 'The instance runs in public mode and no admin token is configured.' },
  404: { description: '`unknown_listener`, with the names of all.' },
}

const LISTENER = typed(
  'Layer4Listener',
  object({ name: TEXT, port: nullable(INTEGER), open_connections: INTEGER, settings: RECORD, override: ANY }),
)

export interface RouteParts {
  /** Names of the listeners of the section, in its order. */
  names: readonly string[]
  /** Of the listeners that are right, by name. */
  ports: ReadonlyMap<string, OpenPort>
  overrides: Overrides
}

export function registerRoutes(
  app: FastifyInstance,
  svc: Svc<Layer4Options>,
  { names, ports, overrides }: RouteParts,
): void {
  // Without a listener, the examples show what is answered of an unknown one.
  const [known] = names.filter(name => ports.has(name))
  const example = { path: `${PATH}/${known ?? 'echo'}`, expectStatus: known === undefined ? 404 : 200 }

  app.get(
    PATH,
    describe({
      summary: 'Listeners for TCP and UDP, with their settings',
      category: CATEGORY,
      reply: jsonReply(object({ listeners: list(LISTENER) }), 'Layer4Listeners'),
      responses: { 200: { description: 'The listeners' } },
      examples: [{ name: 'Listeners', path: PATH, expectStatus: 200 }],
    }),
    () => ({ listeners: names.filter(name => ports.has(name)).map(shown) }),
  )

  app.put(
    `${PATH}/:name`,
    describe({
      summary: 'Set faults for the next connections of a listener',
      description:
        'At all replicas, until the next reload, in place of the same keys of the listener. Listeners for UDP only take `delay_ms`.',
      category: CATEGORY,
      parameters: [NAME],
      requestBody: {
        content: {
          'application/json': {
            type: 'object',
            additionalProperties: false,
            properties: {
              abort: ABORT,
              delay_ms: DELAY,
              drip: DRIP,
              times: {
                type: 'integer',
                minimum: 1,
                maximum: 1_000_000,
                description: 'Number of connections. Default: all.',
              },
            },
          },
        },
      },
      credentials: ['none', 'bearer', 'adminToken'],
      reply: jsonReply(LISTENER),
      responses: { 200: { description: 'The listener' }, 400: { description: '`invalid_layer4`' }, ...RESPONSES },
      examples: [
        {
          name: 'Reset the next connection',
          method: 'PUT',
          ...example,
          body: '{"abort":"reset","times":1}',
          bodyType: 'json',
        },
      ],
    }),
    async request => {
      svc.http.guardAdmin(request)
      const { name } = request.params as { name: string }
      checkName(name)
      const isUdp = svc.options.listeners[names.indexOf(name)]!.transport === 'udp'
      const body = readJsonObject(svc.http.body(request)) as JsonObject | null
      await overrides.put(name, readOverride(body, isUdp), randomUUID())
      return shown(name)
    },
  )

  app.delete(
    `${PATH}/:name`,
    describe({
      summary: 'Remove the faults that were set for a listener',
      category: CATEGORY,
      parameters: [NAME],
      credentials: ['none', 'bearer', 'adminToken'],
      reply: jsonReply(LISTENER),
      responses: { 200: { description: 'The listener' }, ...RESPONSES },
      examples: [{ name: 'The settings of svc.yaml', method: 'DELETE', ...example }],
    }),
    async request => {
      svc.http.guardAdmin(request)
      const { name } = request.params as { name: string }
      checkName(name)
      await overrides.remove(name)
      return shown(name)
    },
  )

  function shown(name: string): object {
    const { name: _name, ...given } = svc.options.listeners[names.indexOf(name)]!
    // A shared instance does not show paths of files.
    const settings = svc.config.publicMode && typeof given.tls === 'object' ? { ...given, tls: true } : given
    const open = svc.instance.listeners().find(listener => listener.name === name)
    return {
      name,
      port: ports.get(name)!(),
      open_connections: open?.connections ?? 0,
      settings,
      override: overrides.of(name),
    }
  }

  function checkName(name: string): void {
    if (ports.has(name)) return
    const listeners = [...ports.keys()]
    const meant = nearest(name.slice(0, 200), listeners)
    throw new HttpError(404, {
      error: 'unknown_listener',
      name: name.slice(0, 200),
      ...(meant !== undefined && { did_you_mean: meant }),
      listeners,
    })
  }
}

function readOverride(body: JsonObject | null, isUdp: boolean): Override {
  try {
    if (body === null) throw new InputProblem('', 'expected a JSON object such as {"abort":"reset"}')
    const override = read(body)
    const ofTcp = isUdp ? Object.keys(override).find(key => key !== 'delay_ms') : undefined
    if (ofTcp !== undefined) throw new InputProblem(ofTcp, `${ofTcp} is only for transport tcp`)
    return override
  } catch (error) {
    const { code, at, message } = error as InputProblem
    if (code !== 'SVC_INPUT_PROBLEM') throw error
    throw new HttpError(400, { error: 'invalid_layer4', at, details: message })
  }
}

function read(body: JsonObject): Override {
  rejectUnknownKeys(body, KEYS, '')
  const override: Override = {}
  if (body.abort !== undefined) {
    const abort = asText(body.abort, 'abort', 20)
    if (!ABORT_TEXT.test(abort))
      throw new InputProblem('abort', 'expected reset, close, hang or half, or one with a number such as reset:100')
    override.abort = abort
  }
  if (body.delay_ms !== undefined) override.delay_ms = asInteger(body.delay_ms, 'delay_ms', 0, 3_600_000)
  if (body.times !== undefined) override.times = asInteger(body.times, 'times', 1, 1_000_000)
  if (body.drip !== undefined) {
    const drip = asObject(body.drip, 'drip', 'expected an object such as {"bytes":1,"interval_ms":10}')
    rejectUnknownKeys(drip, ['bytes', 'interval_ms'], 'drip')
    override.drip = {
      bytes: asInteger(drip.bytes ?? null, below('drip', 'bytes'), 1, MAX_TEXT),
      interval_ms: asInteger(drip.interval_ms ?? null, below('drip', 'interval_ms'), 1, 60_000),
    }
  }
  return override
}
