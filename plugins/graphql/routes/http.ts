/** `/graphql`: passes requests to Yoga, sends GraphiQL to browsers, and accepts WebSocket handshakes. */
import { describe, type FastifyInstance, type FastifyReply, type FastifyRequest, type Svc } from 'svc/plugin'
import { rawQuery, namesTag, preferredCoding } from 'svc/toolkit'
import { selectResponseType, wantsPage, type ResponseType } from '../response-type.ts'
import { lazy } from '../lazy.ts'
import { createGraphiqlPage, inflatePage, type GraphiqlPage } from '../graphiql.ts'
import { ENDPOINT, type YogaServer } from '../yoga/server.ts'
import { getDescription, postDescription } from './descriptions.ts'
import { sendResponse } from './response.ts'
import type { SocketOptions } from './websocket.ts'

export function registerHttp(
  app: FastifyInstance,
  svc: Svc,
  yogaOf: () => Promise<YogaServer>,
  sockets: SocketOptions,
): void {
  const page = svc.shared('graphiql', () => lazy(createGraphiqlPage))
  // Every access to a member of the server creates a function.
  let members: Pick<YogaServer, 'fetchAPI' | 'handleRequest'> | undefined

  async function serve(
    request: FastifyRequest,
    reply: FastifyReply,
    responseType: ResponseType,
    init: RequestInit,
  ): Promise<FastifyReply> {
    if (members === undefined) {
      const { fetchAPI, handleRequest } = await yogaOf()
      members = { fetchAPI, handleRequest }
    }
    const { fetchAPI, handleRequest } = members
    const query = rawQuery(request)
    const yogaRequest = new fetchAPI.Request(query === '' ? ENDPOINT : `${ENDPOINT}?${query}`, init)
    return sendResponse(svc, request, reply, await handleRequest(yogaRequest, { responseType }))
  }

  app.get('/graphql', { ...describe(getDescription), ...sockets }, async (request, reply) => {
    reply.header('Vary', 'Accept')
    const responseType = selectResponseType(request.headers.accept)
    if (wantsPage(responseType, rawQuery(request))) return sendPage(request, reply, await page())
    // Yoga gets a HEAD request as GET; the body is not sent.
    return serve(request, reply, responseType, { method: 'GET' })
  })
  app.post('/graphql', describe(postDescription), (request, reply) => {
    reply.header('Vary', 'Accept')
    const contentType = request.headers['content-type']
    return serve(request, reply, selectResponseType(request.headers.accept), {
      method: 'POST',
      headers: contentType === undefined ? {} : { 'content-type': contentType },
      body: svc.http.body(request) as BodyInit,
    })
  })
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
