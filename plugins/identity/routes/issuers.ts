/** The control plane of the issuers: lists, creates, replaces and removes them. */
import {
  describe,
  type FastifyInstance,
  type FastifyRequest,
  HttpError,
  readJsonObject,
  type RouteDescription,
} from 'svc/plugin'
import type { Issuer } from '../issuers/issuer.ts'
import { hostMountOf } from '../issuers/issuer-hosts.ts'
import { publishedKeys, stateOf } from '../keys/key-record.ts'
import { sendJson } from '../oauth/json-response.ts'
import type { Provider } from '../provider/provider.ts'
import { DEFAULT_ISSUER, issuerSettings, type IssuerSettings } from '../settings/issuer-settings.ts'
import { ShapeError } from '../settings/shape.ts'
import { requestedIssuer } from './issuer-routes.ts'
import { CATEGORY, jsonExample } from './route-parts.ts'
import { SVC_IDENTITY, SVC_IDENTITY_ISSUERS, SVC_IDENTITY_ISSUERS_PUT } from '../replies.ts'

const LIST = '/_svc/identity'
const ONE = '/_svc/identity/issuers/:issuer'
const EXAMPLE_PATH = '/_svc/identity/issuers/example'
/** The tools for a language model. */
const TOOLS = [
  ['list_issuers', 'GET', LIST],
  ['put_issuer', 'PUT', '/_svc/identity/issuers/{issuer}'],
  ['delete_issuer', 'DELETE', '/_svc/identity/issuers/{issuer}'],
  ['rotate_keys', 'POST', '/_svc/identity/issuers/{issuer}/rotate'],
  ['set_issuer_faults', 'PUT', '/_svc/identity/issuers/{issuer}/faults'],
] as const
const SHARED = { category: CATEGORY } satisfies Partial<RouteDescription>

/** A 400 for a body that can't be used. */
export function invalidIssuer({ at, message, didYouMean }: ShapeError, error = 'invalid_issuer'): HttpError {
  return new HttpError(400, {
    error,
    at,
    details: message,
    ...(didYouMean !== undefined && { did_you_mean: didYouMean }),
  })
}

const putIssuerDescription: RouteDescription = {
  ...SHARED,
  summary: 'Create or replace an issuer',
  reply: SVC_IDENTITY_ISSUERS_PUT,
  description:
    'Takes the settings of `identity.issuers[]` in `svc.yaml`, without `name`. The issuer is removed a day after its last change.',
  requestBody: {
    description: 'The settings',
    required: true,
    content: { 'application/json': { ...issuerSettings.schema, required: [] } },
  },
  responses: {
    200: { description: 'Replaced; the settings' },
    201: { description: 'Created; the settings' },
    400: { description: '`invalid_issuer`, with the path of the invalid member' },
    409: { description: '`issuer_from_file`: the name belongs to an issuer that the control plane cannot change' },
  },
  examples: [
    {
      ...jsonExample('Short-lived tokens', EXAMPLE_PATH, { access_token: { ttl: 60 } }, 201),
      method: 'PUT',
      expectStatus: null,
    },
  ],
}

const removeIssuerDescription: RouteDescription = {
  ...SHARED,
  summary: 'Remove an issuer',
  description: 'Its tokens, codes and clients end with it.',
  responses: {
    204: { description: 'Removed' },
    404: { description: '`unknown_issuer`' },
    409: { description: '`issuer_from_file`: the control plane cannot change this issuer' },
  },
  examples: [{ name: 'Unknown issuer', method: 'DELETE', path: '/_svc/identity/issuers/none', expectStatus: 404 }],
}

/** Registers `/_svc/identity` and the routes below it. */
export function registerIssuerRoutes(app: FastifyInstance, provider: Provider): void {
  const { svc, issuers } = provider
  const hostsOf = (name: string, request: FastifyRequest): object => {
    const hosts = svc.http.hosts(request, hostMountOf(name), '/.well-known/openid-configuration')
    return hosts.length === 0 ? {} : { hosts }
  }
  const tools = svc.use('control.tools')
  for (const [name, method, path] of TOOLS) tools.tool({ name, operation: { method, path } })
  app.get(
    LIST,
    describe({
      ...SHARED,
      summary: 'List issuers and users',
      reply: SVC_IDENTITY,
      description: 'All issuers with their keys, and the users of the default issuer. Passwords are never shown.',
      responses: { 200: { description: 'The issuers' } },
      examples: [{ name: 'All issuers', path: LIST, expectStatus: 200 }],
    }),
    async (request, reply) => {
      const all = [issuers.default, ...(await issuers.list())]
      const listed = await Promise.all(
        all.map(async issuer => ({
          ...(await describeIssuer(issuer, issuer.url(request))),
          faults: await provider.faults.current(issuer),
          ...hostsOf(issuer.name, request),
        })),
      )
      return sendJson(reply, { issuers: listed, users: issuers.default.users.list })
    },
  )
  app.get(
    ONE,
    describe({
      ...SHARED,
      summary: 'Get the settings of an issuer',
      reply: SVC_IDENTITY_ISSUERS,
      description: 'Without passwords and secrets.',
      responses: { 200: { description: 'The settings' }, 404: { description: '`unknown_issuer`' } },
      examples: [{ name: 'A built-in issuer', path: '/_svc/identity/issuers/full', expectStatus: 200 }],
    }),
    async (request, reply) => sendJson(reply, withoutSecrets((await requestedIssuer(request, provider)).settings)),
  )
  app.put(ONE, describe(putIssuerDescription), async (request, reply) => {
    svc.http.guardAdmin(request)
    const settings = readSettings(request, provider)
    await refuseFixed(settings.name, provider)
    const isNew = await issuers.put(settings)
    return sendJson(reply.code(isNew ? 201 : 200), withoutSecrets(settings))
  })
  app.delete(ONE, describe(removeIssuerDescription), async (request, reply) => {
    svc.http.guardAdmin(request)
    const { name } = await requestedIssuer(request, provider)
    await refuseFixed(name, provider)
    await issuers.remove(name)
    await provider.faults.clear(name)
    return reply.code(204).send()
  })
}

function readSettings(request: FastifyRequest, { svc }: Provider): IssuerSettings {
  const { issuer: name } = request.params as { issuer: string }
  const body = readJsonObject(svc.http.body(request))
  try {
    if (body === null) throw new ShapeError('', 'the body must be a JSON object')
    if (name === DEFAULT_ISSUER) throw new ShapeError('name', 'the issuer at /oauth has this name')
    if (Object.hasOwn(body, 'name') && body.name !== name) throw new ShapeError('name', 'differs from the path')
    return issuerSettings.read({ ...body, name }, '')
  } catch (error) {
    throw error instanceof ShapeError ? invalidIssuer(error) : error
  }
}

async function refuseFixed(name: string, { issuers }: Provider): Promise<void> {
  const existing = await issuers.find(name)
  if (existing === undefined || existing.source === 'api') return
  throw new HttpError(409, {
    error: 'issuer_from_file',
    issuer: name,
    details: `the issuer ${name} is not one of the control plane (source: ${existing.source})`,
  })
}

async function describeIssuer(issuer: Issuer, url: string): Promise<Record<string, unknown>> {
  const { name, source, settings, stores } = issuer
  const record = await issuer.keys.record()
  const now = Date.now()
  const published = publishedKeys(record, now)
  return {
    name,
    source,
    ...(settings.title !== undefined && { title: settings.title }),
    issuer: url,
    algorithms: settings.algorithms,
    keys: record.keys.map(key => ({
      kid: key.kid,
      alg: key.alg,
      state: stateOf(record, key, now),
      published: published.includes(key),
      since: key.from === 0 ? null : new Date(key.from).toISOString(),
      until: key.until === null ? null : new Date(key.until).toISOString(),
    })),
    clients: settings.clients.length + (await stores.clients.count()),
    sessions: await stores.sessions.count(),
  }
}

function withoutSecrets(settings: IssuerSettings): Record<string, unknown> {
  return {
    ...settings,
    users: settings.users.map(user => without(user, 'password')),
    clients: settings.clients.map(client => without(client, 'client_secret')),
  }
}

function without(value: object, name: string): object {
  return Object.fromEntries(Object.entries(value).filter(([member]) => member !== name))
}
