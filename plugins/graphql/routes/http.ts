/** The path of a graph: passes requests to Yoga, sends GraphiQL to browsers, and accepts WebSocket handshakes. */
import { GraphQLError } from 'graphql'
import { describe, type FastifyInstance, type FastifyReply, type FastifyRequest, type Svc } from 'svc/plugin'
import { rawQuery, namesTag, preferredCoding } from 'svc/toolkit'
import { selectResponseType, wantsPage, type ResponseType } from '../response-type.ts'
import { lazy } from '../lazy.ts'
import { withoutStatus } from '../errors.ts'
import { refuseSimple } from '../requests/csrf.ts'
import type { FaultPlan } from '../faults/plan.ts'
import { createGraphiqlPage, inflatePage, type GraphiqlPage } from '../graphiql.ts'
import type { GraphServer } from '../graph-server.ts'
import type { CallbackSubscription } from '../wire/callback/callbacks.ts'
import { ENDPOINT, type ServerContext, type YogaServer } from '../yoga/server.ts'
import { getDescription, postDescription } from './descriptions.ts'
import { sendParts, sendResponse } from './response.ts'
import type { SocketOptions } from './websocket.ts'

export interface HttpHandlers {
  get(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply>
  post(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply>
}

export function registerHttp(app: FastifyInstance, svc: Svc, server: GraphServer, sockets: SocketOptions): void {
  const { path } = server
  const { get, post } = createHttpHandlers(svc, server)
  app.get(path, { ...describe(getDescription(server)), ...sockets }, get)
  app.post(path, describe(postDescription(server)), post)
}

/** The handlers of a graph's path. */
export function createHttpHandlers(svc: Svc, server: GraphServer): HttpHandlers {
  const { runs, csrf } = server
  const page = svc.shared('graphiql', () => lazy(createGraphiqlPage))
  // Every access to a member of the server creates a function.
  let members: Pick<YogaServer, 'fetchAPI' | 'handleRequest'> | undefined

  async function serve(
    request: FastifyRequest,
    reply: FastifyReply,
    responseType: ResponseType,
    init: RequestInit,
  ): Promise<FastifyReply> {
    let faults: FaultPlan | null
    try {
      if (csrf) refuseSimple(request.headers)
      faults = runs.faultsOf(request, reply)
    } catch (error) {
      if (!(error instanceof GraphQLError)) throw error
      return refuse(reply, responseType, error)
    }
    if (members === undefined) {
      const { fetchAPI, handleRequest } = await server.yoga()
      members = { fetchAPI, handleRequest }
    }
    const { fetchAPI, handleRequest } = members
    const query = rawQuery(request)
    const yogaRequest = new fetchAPI.Request(query === '' ? ENDPOINT : `${ENDPOINT}?${query}`, init)
    const takesParts = responseType.incremental !== null || responseType.eventStream === 'always'
    const run = runs.create(request, faults, { takesParts })
    // A callback outlives its request.
    const own = responseType.takesCallback ? new AbortController() : null
    if (own !== null) {
      run.signal()?.addEventListener('abort', () => context.streaming.callback ?? own.abort(), { once: true })
      run.signal = () => own.signal
    }
    const context: ServerContext = { responseType, streaming: {}, run }
    const response = await handleRequest(yogaRequest, context)
    const { answer, callback } = context.streaming
    if (callback !== undefined) {
      const cut = faults?.cut ?? null
      return startCallback(request, reply, { ...callback, cut, end: () => own?.abort() })
    }
    if (answer !== undefined) return sendParts(svc, request, reply, answer, faults)
    return sendResponse(svc, request, reply, response, { status: run.response.status, ...faultsOf(faults) })
  }

  async function startCallback(
    request: FastifyRequest,
    reply: FastifyReply,
    subscription: CallbackSubscription,
  ): Promise<FastifyReply> {
    reply.type('application/json; charset=utf-8')
    try {
      await server.callbacks.start(request, subscription)
      return reply.send('{"data":null}')
    } catch (error) {
      if (!(error instanceof GraphQLError)) throw error
      return reply.code(error.extensions.http?.status ?? 400).send(JSON.stringify({ errors: [withoutStatus(error)] }))
    }
  }

  return {
    async get(request, reply) {
      reply.header('Vary', 'Accept')
      const responseType = selectResponseType(request.headers.accept)
      if (wantsPage(responseType, rawQuery(request))) return sendPage(request, reply, await page())
      // Yoga gets a HEAD request as GET; the body is not sent.
      return serve(request, reply, { ...responseType, takesCallback: false }, { method: 'GET' })
    },
    post(request, reply) {
      reply.header('Vary', 'Accept')
      const contentType = request.headers['content-type']
      return serve(request, reply, selectResponseType(request.headers.accept), {
        method: 'POST',
        headers: contentType === undefined ? {} : { 'content-type': contentType },
        body: svc.http.body(request) as BodyInit,
      })
    },
  }
}

/** What faults change in the response; a status of theirs comes before that of the graph. */
function faultsOf(faults: FaultPlan | null): { status?: number; cut: number | null } {
  if (faults === null) return { cut: null }
  return { ...(faults.status === null ? {} : { status: faults.status }), cut: faults.cut }
}

/** The request asks for faults that do not exist: nothing runs. */
function refuse(reply: FastifyReply, { mediaType }: ResponseType, error: GraphQLError): FastifyReply {
  return reply
    .code(400)
    .type(`${mediaType}; charset=utf-8`)
    .send(JSON.stringify({ errors: [withoutStatus(error)] }))
}

function sendPage(request: FastifyRequest, reply: FastifyReply, page: GraphiqlPage): FastifyReply {
  reply
    .type('text/html; charset=utf-8')
    .headers({ 'Cache-Control': 'no-cache', ETag: page.etag, Vary: 'Accept, Accept-Encoding' })
  if (namesTag(request.headers['if-none-match'], page.etag)) return reply.code(304).send()
  if (preferredCoding(request.headers['accept-encoding']?.toString(), ['gzip']) === 'identity')
    return reply.send(inflatePage(page))
  return reply.header('Content-Encoding', 'gzip').send(page.gzipped)
}
