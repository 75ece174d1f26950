/** `/stream` of a graph: graphql-sse's single connection mode, one event stream for many operations. */
import { GraphQLError, type ExecutionResult } from 'graphql'
import { describe, type FastifyInstance, type FastifyReply, type FastifyRequest, type Svc } from 'svc/plugin'
import { queryRecord, rawQuery, textReply } from 'svc/toolkit'
import { badRequest, withoutStatus } from '../errors.ts'
import type { Engine } from '../engine.ts'
import { isRequestError } from '../execution/request-errors.ts'
import { STEP } from '../faults/step.ts'
import type { GraphServer } from '../graph-server.ts'
import { readPost } from '../requests/http-request.ts'
import { breakOff } from './response.ts'
import { Reservations, sendEvent, type Reservation, type RunningOperation } from '../wire/graphql-sse/reservations.ts'

const TOKEN_HEADER = 'x-graphql-event-stream-token'
const MAX_RESERVED = { normal: 100, public: 20 }
const MAX_OPERATIONS = { normal: 100, public: 20 }
const HEARTBEAT_MS = 12_000
const TOKEN = {
  name: 'X-GraphQL-Event-Stream-Token',
  in: 'header' as const,
  description: 'The token, also as the parameter `token`',
}

/** The handlers of `/stream`. */
export interface StreamHandlers {
  put(request: FastifyRequest, reply: FastifyReply): FastifyReply
  get(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply>
  post(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply>
  delete(request: FastifyRequest, reply: FastifyReply): FastifyReply
}

/** Live streams belong to their process, and end with their plugin. */
export function createReservations(svc: Svc): Reservations {
  const reservations = new Reservations(MAX_RESERVED[svc.config.publicMode ? 'public' : 'normal'])
  svc.whenClosed(() => reservations.endAll())
  return reservations
}

export function registerStream(app: FastifyInstance, svc: Svc, server: GraphServer): void {
  const { path, graph } = server
  const url = `${path}/stream`
  const handlers = createStreamHandlers(svc, server, createReservations(svc))
  const shared = { category: graph.category, steps: [STEP] }
  const unknown = { 404: { description: 'Unknown token, or one that was not used for 30 s' } }

  app.put(
    url,
    describe({
      ...shared,
      summary: `${graph.title}: reserve an event stream for many operations`,
      reply: textReply('text/plain'),
      responses: { 201: { description: 'The token' }, 429: { description: 'Too many reserved streams' } },
      examples: [{ name: 'Reserve', method: 'PUT', path: url, expectStatus: 201 }],
    }),
    handlers.put,
  )

  app.get(
    url,
    describe({
      ...shared,
      summary: `${graph.title}: open a reserved event stream`,
      protocol: 'sse',
      parameters: [TOKEN],
      responses: {
        200: { description: 'Events `next` and `complete` of all operations' },
        409: { description: 'It is already open' },
        ...unknown,
      },
      examples: [{ name: 'Without a token', path: url, expectStatus: 404 }],
    }),
    handlers.get,
  )

  app.post(
    url,
    describe({
      ...shared,
      summary: `${graph.title}: run an operation on a reserved event stream`,
      parameters: [TOKEN],
      requestBody: {
        required: true,
        content: {
          'application/json': {
            type: 'object',
            properties: { query: { type: 'string' }, extensions: { type: 'object' } },
          },
        },
      },
      responses: {
        202: { description: 'Its results are events with `extensions.operationId`' },
        400: { description: 'No `extensions.operationId`' },
        409: { description: 'An operation with this id is running' },
        ...unknown,
      },
      examples: [
        {
          name: 'Without a token',
          method: 'POST',
          path: url,
          headers: [{ name: 'Content-Type', value: 'application/json' }],
          body: '{"query":"{ __typename }"}',
          bodyType: 'json',
          expectStatus: 404,
        },
      ],
    }),
    handlers.post,
  )

  app.delete(
    url,
    describe({
      ...shared,
      summary: `${graph.title}: stop an operation of a reserved event stream`,
      parameters: [TOKEN, { name: 'operationId', in: 'query', schema: { type: 'string' } }],
      responses: { 200: { description: 'It has ended, or there was none' }, ...unknown },
      examples: [{ name: 'Without a token', method: 'DELETE', path: url, expectStatus: 404 }],
    }),
    handlers.delete,
  )
}

export function createStreamHandlers(svc: Svc, server: GraphServer, reservations: Reservations): StreamHandlers {
  const { runs } = server
  const size = svc.config.publicMode ? 'public' : 'normal'
  return {
    put(_request, reply) {
      const reservation = reservations.reserve()
      if (reservation === null) return refuse(reply, 429, 'too many reserved streams')
      return reply.code(201).type('text/plain; charset=utf-8').send(reservation.token)
    },
    async get(request, reply) {
      const reservation = find(request)
      if (reservation === null) return refuse(reply, 404, 'unknown token')
      if (reservation.stream !== null) return refuse(reply, 409, 'the stream is already open')
      const stream = svc.streams.sse(request, reply, { endless: true, heartbeatMs: HEARTBEAT_MS, heartbeatText: '' })
      if (stream === null) return reply
      reservations.open(reservation, stream, () => breakOff(svc, request, reply, stream))
      await stream.over
      return reply
    },
    async post(request, reply) {
      const reservation = find(request)
      if (reservation === null) return refuse(reply, 404, 'unknown token')
      try {
        const status = await start(reservation, request, reply)
        return reply.code(status ?? 202).send()
      } catch (error) {
        if (!(error instanceof GraphQLError)) throw error
        const status = error.extensions.http?.status ?? 400
        return reply
          .code(status)
          .type('application/json; charset=utf-8')
          .send(JSON.stringify({ errors: [withoutStatus(error)] }))
      }
    },
    delete(request, reply) {
      const reservation = find(request)
      if (reservation === null) return refuse(reply, 404, 'unknown token')
      const id = String(queryRecord(rawQuery(request)).operationId ?? '')
      reservation.operations.get(id)?.stop()
      reservation.operations.delete(id)
      return reply.code(200).send()
    },
  }

  function find(request: FastifyRequest): Reservation | null {
    const token = request.headers[TOKEN_HEADER] ?? queryRecord(rawQuery(request)).token
    return reservations.find(token === undefined ? null : String(token))
  }

  /** Starts an operation whose results go to the stream. Resolves with the status of a fault. Throws a GraphQLError. */
  async function start(reservation: Reservation, request: FastifyRequest, reply: FastifyReply): Promise<number | null> {
    const options = { batching: 0, maxFiles: 0 }
    const read = readPost(request.headers['content-type'], svc.http.body(request), options)
    if (Array.isArray(read)) throw badRequest('Batched requests are not supported')
    const id = read.extensions?.operationId
    if (typeof id !== 'string' || id === '' || id.length > 200)
      throw badRequest('extensions.operationId must be a text of 1 to 200 characters')
    if (reservation.operations.has(id)) throw conflict()
    if (reservation.operations.size >= MAX_OPERATIONS[size]) throw badRequest('too many operations on this stream')
    const faults = runs.faultsOf(request, reply)
    const engine = await server.engine()
    const query = read.query ?? (read.documentId === null ? '' : await server.documents.text(read.documentId))
    const operation = new Operation(faults?.cut ?? Infinity)
    // The request is over before the operation is.
    const run = { ...runs.create(request, faults, { takesParts: true }), signal: () => operation.signal }
    reservation.operations.set(id, operation)
    const prepared = engine.prepare({ query, variables: read.variables, operationName: read.operationName }, run)
    void deliver(reservation, id, operation, engine, prepared).catch(error =>
      svc.log.error('an operation of an event stream failed', { error: String(error) }),
    )
    return faults?.status ?? null
  }
}

class Operation implements RunningOperation {
  /** Results after which the stream breaks off. */
  readonly cut: number
  readonly #left = new AbortController()
  #results: AsyncIterator<ExecutionResult> | null = null

  constructor(cut: number) {
    this.cut = cut
  }

  /** Ends the delays of its fields. */
  get signal(): AbortSignal {
    return this.#left.signal
  }

  get isStopped(): boolean {
    return this.#left.signal.aborted
  }

  /** The results end when the operation is stopped; they may have come after that. */
  endWith(results: AsyncIterator<ExecutionResult>): void {
    this.#results = results
    if (this.isStopped) void results.return?.()
  }

  stop(): void {
    this.#left.abort()
    void this.#results?.return?.()
  }
}

/** Sends the results of an operation, then its end, unless it is stopped. */
async function deliver(
  reservation: Reservation,
  id: string,
  operation: Operation,
  engine: Engine,
  prepared: ReturnType<Engine['prepare']>,
): Promise<void> {
  const results = prepared.args === null ? { errors: prepared.problems } : await resultsOf(engine, prepared)
  let sent = 0
  const send = async (result: ExecutionResult): Promise<void> => {
    if (sent++ < operation.cut) await sendEvent(reservation, 'next', id, result)
    // Ends all operations of the stream.
    if (sent >= operation.cut) await reservation.breakOff()
  }
  if (Symbol.asyncIterator in results) {
    operation.endWith(results)
    for await (const result of results) {
      if (operation.isStopped) break
      await send(result)
    }
  } else if (!operation.isStopped) await send(results)
  if (!operation.isStopped) await sendEvent(reservation, 'complete', id)
  if (reservation.operations.get(id) === operation) reservation.operations.delete(id)
}

async function resultsOf(
  engine: Engine,
  { args, type }: Extract<ReturnType<Engine['prepare']>, { type: unknown }>,
): Promise<AsyncIterableIterator<ExecutionResult> | ExecutionResult> {
  const outcome = type === 'subscription' ? await engine.subscribe(args) : await engine.execute(args)
  return isRequestError(outcome) ? { errors: outcome.errors! } : outcome
}

function conflict(): GraphQLError {
  return new GraphQLError('an operation with this id is running', {
    extensions: { code: 'BAD_REQUEST', http: { status: 409 } },
  })
}

function refuse(reply: FastifyReply, status: number, message: string): FastifyReply {
  return reply
    .code(status)
    .type('application/json; charset=utf-8')
    .send(JSON.stringify({ errors: [{ message, extensions: { code: 'BAD_REQUEST' } }] }))
}
