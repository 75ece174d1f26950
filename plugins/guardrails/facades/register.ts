/** Adds the façades: below `/guardrails`, and at the root of the hosts of `guardrails.hosts`. */
import { isUtf8 } from 'node:buffer'
import {
  describe,
  type ErrorForm,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type JsonObject,
  Pacer,
  readQuery,
  type RouteDescription,
  type Svc,
} from 'svc/plugin'
import { isRecord, isTextNestedWithin, parseExactJson, writeJson } from 'svc/toolkit'
import type { GatewayService } from '../../gateway-services/types.ts'
import { findingsOf, type Findings } from '../findings.ts'
import type { DetectorRegistry } from '../types.ts'
import { type GuardAnswer, type GuardFacade, GuardProblem, type GuardRoute } from './facade.ts'

const CATEGORY = 'AI: Guardrails'
const MAX_DEPTH = 100

/** The path of a façade. */
export function mountOf({ name }: Pick<GuardFacade, 'name'>): string {
  return `/guardrails/${name}`
}

/** Where its routes are for hosts that have it at their root. */
export function hostMountOf(facade: Pick<GuardFacade, 'name'>): string {
  return `${mountOf(facade)}/.host`
}

interface Parts {
  registry: DetectorRegistry
  /** Null without the plugin `gateway-services`. */
  service: GatewayService | null
}

export function registerFacade(app: FastifyInstance, svc: Svc<unknown>, facade: GuardFacade, parts: Parts): void {
  const errorForm: ErrorForm = ({ status, body }) => ({
    headers: { 'content-type': typeOf(facade) },
    body: facade.error(status, messageOf(body)) as object,
  })
  svc.unroutedForm(mountOf(facade), errorForm)
  for (const route of facade.routes)
    for (const mount of [mountOf(facade), hostMountOf(facade)])
      for (const path of route.path === '' ? ['', '/'] : [route.path])
        app.route({
          method: route.method ?? 'POST',
          url: mount + path,
          ...describe({
            ...descriptionOf(route, facade, path),
            errorForm,
            ...(mount === mountOf(facade) ? {} : { ofHost: true }),
          }),
          handler: (request, reply) => answer(request, reply, svc, { route, facade, ...parts }),
        })
}

function descriptionOf(route: GuardRoute, facade: GuardFacade, path: string): RouteDescription {
  const { example, examplePath = path, method = 'POST' } = route
  const headers = [
    { name: 'Content-Type', value: 'application/json' },
    ...Object.entries(example?.headers ?? {}).map(([name, value]) => ({ name, value })),
  ]
  return {
    summary: `${route.summary} (${facade.title})`,
    category: CATEGORY,
    reply: route.reply,
    ...(route.parameters === undefined ? {} : { parameters: route.parameters }),
    responses: {
      200: { description: 'The answer of the guard' },
      ...(method === 'POST' ? { 400: { description: 'The request is invalid' } } : {}),
      ...route.errors,
    },
    examples: [
      example === undefined
        ? { name: route.summary, path: mountOf(facade) + examplePath, expectStatus: 200 }
        : {
            name: example.name,
            method: 'POST',
            path: mountOf(facade) + examplePath,
            headers,
            body: JSON.stringify(example.body),
            bodyType: 'json',
            expectStatus: 200,
          },
    ],
  }
}

interface Asked extends Parts {
  route: GuardRoute
  facade: GuardFacade
}

async function answer(
  request: FastifyRequest,
  reply: FastifyReply,
  svc: Svc<unknown>,
  asked: Asked,
): Promise<FastifyReply> {
  const { route, facade, registry } = asked
  const output = svc.budgets.output(request)
  reply.type(typeOf(facade))
  let found: GuardAnswer
  try {
    const query = readQuery(request)
    found = await route.answer({
      body: route.method === 'GET' ? {} : readBody(svc.http.body(request)),
      parameter: name => (request.params as Record<string, string | undefined>)[name] ?? query.get(name) ?? undefined,
      header: name => [request.headers[name]].flat()[0],
      examine: texts => examine(registry, texts, svc.budgets.workMs),
      output,
      steps: svc.budgets.evaluation(),
    })
  } catch (error) {
    if (!(error instanceof GuardProblem)) throw error
    if (route.method === undefined) record(request, svc, asked, { decision: 'error', reason: error.message })
    return reply.code(error.status).send(writeJson(facade.error(error.status, error.message, error.kind)))
  }
  if (route.method === undefined) record(request, svc, asked, found)
  if (typeof found.body === 'string' && route.method === 'GET') return reply.type('text/plain').send(found.body)
  return reply.send(writeJson(found.body))
}

function readBody(bytes: Buffer): JsonObject {
  const text = isUtf8(bytes) ? bytes.toString() : ''
  if (!isTextNestedWithin(text, MAX_DEPTH))
    throw new GuardProblem(`the body must be a JSON object of at most ${MAX_DEPTH} levels`)
  let value: unknown
  try {
    value = parseExactJson(text)
  } catch {
    throw new GuardProblem('the body must be a JSON object')
  }
  if (!isRecord(value) || Array.isArray(value)) throw new GuardProblem('the body must be a JSON object')
  return value as JsonObject
}

async function examine(registry: DetectorRegistry, texts: readonly string[], workMs: number): Promise<Findings[]> {
  const pacer = new Pacer(workMs)
  const found: Findings[] = []
  for (const text of texts) {
    found.push(findingsOf(registry, text))
    if (pacer.isDue) await pacer.pause()
  }
  return found
}

/** The call is a record of the service: what was asked about is the call itself. */
function record(
  request: FastifyRequest,
  svc: Svc<unknown>,
  { service, facade }: Asked,
  { decision, reason }: { decision: GuardAnswer['decision'] | 'error'; reason: string | null },
): void {
  if (service === null) return
  const checked = service.checked(request, {
    method: request.method,
    url: svc.http.target(request),
    scheme: svc.http.origin(request).scheme,
    clientIp: svc.http.clientIp(request),
    rawHeaders: request.raw.rawHeaders,
    body: svc.http.body(request),
  })
  service.record(request, checked, { policy: facade.name }, { decision, by: 'policy', reason })
}

function typeOf({ type = 'application/json' }: GuardFacade): string {
  return type
}

/** The text of a failure of the core. */
function messageOf({ details, detail, message, error }: Readonly<Record<string, unknown>>): string {
  return String([details, detail, message, error].find(value => typeof value === 'string') ?? 'failed')
}
