/** What one operation of a GraphQL mock needs: the context of its fields, and the steps around its execution. */
import { randomUUID } from 'node:crypto'
import { GraphQLError, type ExecutionResult } from 'graphql'
import { isOutputError, isTooExpensive, type FastifyReply, type FastifyRequest } from 'svc/plugin'
import {
  conditionSubject,
  copyText,
  isRecord,
  pointerTokens,
  referencedRequest,
  valueAt,
  type ConditionSubject,
} from 'svc/toolkit'
import type { GraphOperation, Outcome } from '../../graphql/types.ts'
import { mergePatch, type Json, type JsonObject } from '../document/json.ts'
import type { GraphRule } from '../graph/definition.ts'
import { SessionObjects } from '../graph/objects.ts'
import type { GraphOutcome } from '../graph/outcome.ts'
import { tooLarge, type ValueContext } from '../graph/values.ts'
import type { GraphMock } from '../management/mock.ts'
import type { Service } from '../management/service.ts'
import { keyOfSession, NO_MEMORY, type SessionMemory } from '../exchange/session-memory.ts'
import { captureBody } from '../exchange/traffic.ts'
import { fillText, fillValue, type TemplateScope } from '../rules/template.ts'
import { headerText } from '../response/response-headers.ts'
import { SeededRandom } from '../schema/seed.ts'

const NO_CAPTURES: ReadonlyMap<string, string> = new Map()
const INTROSPECTION = new Set(['__schema', '__type'])
const ROOTS = { query: 'getQueryType', mutation: 'getMutationType', subscription: 'getSubscriptionType' } as const

/** One operation. It is the context of its fields. */
export class GraphCall implements ValueContext {
  readonly settings: ValueContext['settings']
  readonly overrides: ValueContext['overrides']
  objects: SessionObjects | null = null
  readonly bytes: { left: number }
  readonly #service: Service
  readonly #mock: GraphMock
  readonly #request: FastifyRequest
  readonly #reply: FastifyReply | null
  readonly #startedAt = performance.now()

  /** `reply` is null over a socket, where rules have no headers to set. */
  constructor(service: Service, mock: GraphMock, request: FastifyRequest, reply: FastifyReply | null) {
    this.settings = mock.live.parts.settings
    this.overrides = mock.live.parts.overrides
    this.bytes = { left: service.registry.options.bounds.graph.answerBytes }
    this.#service = service
    this.#mock = mock
    this.#request = request
    this.#reply = reply
  }

  random(): number {
    return Math.random()
  }

  // Bound, as `run` is: resolvers get an object that inherits from this one.
  readonly delay = (ms: number): Promise<boolean> => this.#service.svc.http.delay(this.#request, ms)

  /** The answer: of a rule, or of the schema. */
  readonly run = async (operation: GraphOperation, execute: () => Promise<Outcome>): Promise<Outcome> => {
    const keys = this.#keysOf(operation)
    const memory = await this.#count(keys)
    const found = this.#ruleFor(operation, keys, memory)
    const outcome = await this.#answer(operation, keys, memory, found, execute)
    this.#capture(operation, keys, found, outcome)
    return outcome
  }

  #keysOf({ definition, fields }: GraphOperation): string[] {
    const { schema } = this.#mock.live.graph.source
    const root = schema[ROOTS[definition.operation]]()?.name ?? ''
    return [...new Set(fields.map(({ name }) => `${root}.${name}`))]
  }

  /** Only rules and stateful mocks read the session, so others answer while the store is unavailable. */
  async #count(keys: readonly string[]): Promise<SessionMemory> {
    const { memories, counts, registry } = this.#service
    const { name, live } = this.#mock
    const session = this.#session()
    let counted: Promise<SessionMemory> = Promise.resolve(NO_MEMORY)
    for (const key of keys) {
      counts.add(name, key)
      counted = counted.then(() => memories.count(name, session.key, key))
    }
    const isStateful = this.settings.stateful === 'session'
    if (!isStateful && !live.parts.rules.some(({ enabled }) => enabled)) {
      counted.catch(() => {})
      return NO_MEMORY
    }
    const memory = await counted
    const { objects: maxObjects, objectBytes: maxBytes } = registry.options.bounds.graph
    if (isStateful)
      this.objects = new SessionObjects(memory, (key, object) =>
        memories.putObject(name, session.key, { key, object }, { maxObjects, maxBytes }),
      )
    return memory
  }

  #session(): { key: string; label: string } {
    const session = this.#service.svc.http.session(this.#request)
    return { key: keyOfSession(session), label: session.label }
  }

  #ruleFor(operation: GraphOperation, keys: readonly string[], memory: SessionMemory): Found | null {
    const { rules } = this.#mock.live.parts
    if (rules.length === 0) return null
    const count = Math.max(1, ...keys.map(key => memory.counts[key] ?? 1))
    const subject = this.#subject(operation, memory, count)
    const isMet = (rule: GraphRule): boolean => {
      try {
        return rule.conditions.holds(subject)
      } catch (error) {
        if (!isTooExpensive(error)) throw error
        this.#service.svc.http.ignoreHeader(this.#request, rule.id, 'too_expensive')
        return false
      }
    }
    const found = rules.find(
      rule => rule.enabled && (rule.operation === null || keys.includes(rule.operation)) && isMet(rule),
    )
    return found === undefined ? null : { rule: found, subject, count, memory }
  }

  #subject(
    { definition, variables, document }: GraphOperation,
    memory: SessionMemory,
    count: number,
  ): ConditionSubject {
    const { svc } = this.#service
    const request = this.#request
    const facts = {
      method: request.method,
      url: request.raw.url?.slice(`/mock/${this.#mock.name}`.length) || '/',
      rawHeaders: request.raw.rawHeaders,
      session: this.#session().label,
      clientIp: svc.http.clientIp(request),
      scheme: svc.http.origin(request).scheme,
      body: Buffer.alloc(0),
      // One operation, also of a batch or of a socket.
      json: (): Json => ({
        query: document(),
        operationName: definition.name?.value ?? null,
        variables: variables as JsonObject,
      }),
      captures: NO_CAPTURES,
      own: (key: string, name: string): Json | undefined => {
        if (key === 'count') return count
        if (key === 'violations') return 0
        if (key === 'variables') {
          const tokens = pointerTokens(name)
          return tokens === undefined ? undefined : valueAt(variables as JsonObject, tokens)
        }
        return Object.hasOwn(memory.state, name) ? memory.state[name] : undefined
      },
    }
    return conditionSubject(facts, svc.budgets.evaluation())
  }

  async #answer(
    operation: GraphOperation,
    keys: readonly string[],
    memory: SessionMemory,
    found: Found | null,
    execute: () => Promise<Outcome>,
  ): Promise<Outcome> {
    const then = found?.rule.outcome ?? null
    const delayMs = then !== null && then.delayMs > 0 ? then.delayMs : this.settings.delayMs
    if (delayMs > 0 && !(await this.delay(delayMs))) return { errors: [new GraphQLError('the client has left')] }
    if (!this.settings.introspection && operation.fields.some(({ name }) => INTROSPECTION.has(name)))
      return refused('introspection is disabled', 'INTROSPECTION_DISABLED')
    if (found === null || then === null) return this.#bounded(await execute())
    try {
      const fill = this.#templates(found, keys, memory)
      if (Object.keys(then.setState).length > 0) await this.#setState(then, fill)
      operation.response.status = then.status
      for (const [name, value] of Object.entries(then.headers))
        this.#reply?.header(
          name,
          [value].flat().map(line => headerText(fill.text(line))),
        )
      return await this.#ruled(then, fill, execute)
    } catch (error) {
      if (!isOutputError(error)) throw error
      return { data: null, errors: [tooLarge()] }
    }
  }

  async #ruled(then: GraphOutcome, fill: Fill, execute: () => Promise<Outcome>): Promise<Outcome> {
    const errors = then.errors === null ? {} : { errors: (fill.value(then.errors) as JsonObject[]).map(errorOf) }
    const extensions = then.extensions === null ? {} : { extensions: fill.value(then.extensions) as never }
    if (then.data !== undefined || then.errors !== null)
      return { ...errors, data: (then.data === undefined ? null : fill.value(then.data)) as never, ...extensions }
    const outcome = this.#bounded(await execute())
    if (Symbol.asyncIterator in outcome) return outcome
    const data =
      then.merge === undefined || outcome.data == null
        ? outcome.data
        : (mergePatch(outcome.data as Json, fill.value(then.merge)) as ExecutionResult['data'])
    return { ...outcome, ...(data === undefined ? {} : { data }), ...extensions }
  }

  #bounded(outcome: Outcome): Outcome {
    return this.bytes.left < 0 && !(Symbol.asyncIterator in outcome) ? { data: null, errors: [tooLarge()] } : outcome
  }

  #templates({ rule, subject, count }: Found, keys: readonly string[], memory: SessionMemory): Fill {
    const { svc } = this.#service
    const { isTemplate } = rule.outcome
    const seeds = [this.#mock.name, this.settings.seed, this.#session().label, keys.join(), count]
    const random = new SeededRandom(seeds.join('\n'))
    const scope: TemplateScope = {
      request: referencedRequest(subject, () => NO_CAPTURES),
      state: memory.state,
      count,
      session: this.#session().label,
      mock: this.#mock.name,
      operation: keys.join(),
      output: svc.budgets.output(this.#request),
      now: () => new Date(),
      uuid: () => `${random.hex(8)}-${random.hex(4)}-4${random.hex(3)}-8${random.hex(3)}-${random.hex(12)}`,
      draw: () => random.next(),
    }
    return {
      value: value => (isTemplate ? fillValue(value, scope) : value),
      text: text => (isTemplate ? fillText(text, scope) : text),
    }
  }

  async #setState({ setState }: GraphOutcome, fill: Fill): Promise<void> {
    const values = Object.entries(setState).map(([name, value]) => [name, value === null ? null : fill.text(value)])
    const texts = Object.fromEntries(values) as Record<string, string | null>
    await this.#service.memories.set(this.#mock.name, this.#session().key, texts)
  }

  /** In public mode only requests with a session are kept, because other clients must not see them. */
  #capture(
    { definition, fields, complexity, variables, document, response }: GraphOperation,
    keys: string[],
    found: Found | null,
    outcome: Outcome,
  ): void {
    const { svc, traffic } = this.#service
    const session = svc.http.session(this.#request).header
    if (!this.settings.capture || (svc.config.publicMode && session === null)) return
    const request = this.#request
    const isStream = Symbol.asyncIterator in outcome
    const sent = captureBody(Buffer.from(JSON.stringify({ query: document(), variables })))
    const received = isStream ? captureBody(null) : captureBody(Buffer.from(JSON.stringify(outcome)))
    const name = definition.name?.value ?? null
    traffic.add(this.#mock.name, {
      id: randomUUID(),
      request_id: svc.http.requestId(request),
      timestamp: new Date().toISOString(),
      session,
      client_ip: svc.http.clientIp(request),
      method: request.method,
      path: copyText((request.raw.url ?? '').split('?', 1)[0]!.slice(`/mock/${this.#mock.name}`.length) || '/'),
      query: null,
      headers: svc.inspector.redactHeaders(headerList(request.raw.rawHeaders)),
      body: sent.text,
      body_truncated: sent.truncated,
      operation: copyText(keys.join(',')),
      version: this.#mock.version,
      status: response.status ?? 200,
      source: found === null ? 'graphql' : `rule:${found.rule.id}`,
      rule: found?.rule.id ?? null,
      violations: [],
      credential: null,
      response: { headers: [], body: received.text, truncated: received.truncated },
      latency_ms: Math.round((performance.now() - this.#startedAt) * 100) / 100,
      graphql: {
        operation: name === null ? null : copyText(name),
        kind: definition.operation,
        fields: fields.slice(0, 50).map(field => copyText(field.name)),
        entity: entitiesOf(fields),
        complexity: complexity(),
      },
    })
  }
}

interface Found {
  rule: GraphRule
  subject: ConditionSubject
  count: number
  memory: SessionMemory
}

/** Fills the references of templates. */
interface Fill {
  value(value: Json): Json
  text(text: string): string
}

/** An error of a rule, with what GraphQL has in an error (GraphQL October 2021, 7.1.2). */
function errorOf({ message, path, extensions }: JsonObject): GraphQLError {
  return new GraphQLError(String(message), {
    ...(Array.isArray(path) ? { path: path as (string | number)[] } : {}),
    ...(isRecord(extensions) ? { extensions } : {}),
  })
}

function refused(message: string, code: string): ExecutionResult {
  return { errors: [new GraphQLError(message, { extensions: { code } })] }
}

/** The types of the representations that a gateway sent. */
function entitiesOf(fields: GraphOperation['fields']): string[] {
  const types = new Set<string>()
  for (const { name, arguments: values } of fields) {
    const list = name === '_entities' ? values['representations'] : undefined
    for (const item of Array.isArray(list) ? list : [])
      if (isRecord(item) && typeof item['__typename'] === 'string' && types.size < 20)
        types.add(copyText(item['__typename'].slice(0, 200)))
  }
  return [...types]
}

function headerList(raw: readonly string[]): { name: string; value: string }[] {
  const list: { name: string; value: string }[] = []
  for (let index = 0; index + 1 < raw.length; index += 2)
    list.push({ name: (raw[index] ?? '').toLowerCase(), value: raw[index + 1] ?? '' })
  return list
}
