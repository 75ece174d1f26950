/** `/graphql`: passes requests to Yoga, sends GraphiQL to browsers, and accepts WebSocket handshakes. */
import { describe, rawQuery, readQuery } from 'svc/plugin'
import type { FastifyInstance, FastifyReply, FastifyRequest, Svc } from 'svc/plugin'
import { chooseAnswerType } from '../answer-type.ts'
import type { AnswerType } from '../answer-type.ts'
import { lazy } from '../lazy.ts'
import { createGraphiqlPage } from '../graphiql.ts'
import { ENDPOINT } from '../yoga/server.ts'
import type { YogaServer } from '../yoga/server.ts'
import { getDescription, postDescription } from './descriptions.ts'
import { sendPage } from './page.ts'
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
    answerType: AnswerType,
    init: RequestInit,
  ): Promise<FastifyReply> {
    if (members === undefined) {
      const { fetchAPI, handleRequest } = await yogaOf()
      members = { fetchAPI, handleRequest }
    }
    const { fetchAPI, handleRequest } = members
    const query = rawQuery(request)
    const asked = new fetchAPI.Request(query === '' ? ENDPOINT : `${ENDPOINT}?${query}`, init)
    return sendResponse(svc, request, reply, await handleRequest(asked, { answerType }))
  }

  app.get('/graphql', { ...describe(getDescription), ...sockets }, async (request, reply) => {
    reply.header('Vary', 'Accept')
    const answerType = chooseAnswerType(request.headers.accept)
    if (answerType.isPageWanted && isPlain(readQuery(request))) return sendPage(request, reply, await page())
    // Yoga gets a HEAD request as GET; the body is not sent.
    return serve(request, reply, answerType, { method: 'GET' })
  })
  app.post('/graphql', describe(postDescription), (request, reply) => {
    reply.header('Vary', 'Accept')
    const contentType = request.headers['content-type']
    return serve(request, reply, chooseAnswerType(request.headers.accept), {
      method: 'POST',
      headers: contentType === undefined ? {} : { 'content-type': contentType },
      body: svc.http.body(request) as BodyInit,
    })
  })
}

function isPlain(parameters: URLSearchParams): boolean {
  return !parameters.has('query') && !parameters.has('extensions')
}
