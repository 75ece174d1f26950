/** `/graphql` over HTTP: reads the request, executes it, answers in the form that `Accept` asks for. */
import { describe, readQuery } from 'svc/plugin'
import type { FastifyInstance, FastifyReply, FastifyRequest, Svc } from 'svc/plugin'
import { chooseAnswerType } from '../answer-type.ts'
import type { AnswerType } from '../answer-type.ts'
import { isRequestError } from '../engine.ts'
import type { Engine, PreparedOperation } from '../engine.ts'
import { RequestError, mutationOverGet } from '../errors.ts'
import { streamEvents } from '../event-stream.ts'
import { createGraphiqlPage } from '../graphiql.ts'
import { readGet, readPost } from '../http-request.ts'
import { onFirstUse } from '../first-use.ts'
import { persistedQueryBounds, resolveQuery } from '../persisted-queries.ts'
import { getDescription, postDescription } from './descriptions.ts'
import { sendPage } from './page.ts'
import { GraphQLError } from 'graphql'

export function registerHttp(app: FastifyInstance, svc: Svc, engine: Engine): void {
  const persisted = svc.state('persisted-queries', persistedQueryBounds)
  const page = svc.shared('graphiql', () => onFirstUse(createGraphiqlPage))

  async function serve(request: FastifyRequest, reply: FastifyReply, answerType: AnswerType, read: () => ReturnType<typeof readPost>): Promise<FastifyReply> {
    try {
      const { query, variables, operationName, extensions } = read()
      const prepared = engine.prepare({ query: await resolveQuery(persisted, query, extensions), variables, operationName })
      if (prepared.type === 'mutation' && request.method !== 'POST') throw mutationOverGet()
      return await respond(request, reply, answerType, prepared)
    } catch (error) {
      if (!(error instanceof RequestError)) throw error
      return sendJson(reply.code(error.status).headers(error.headers), answerType, error.body)
    }
  }

  async function respond(request: FastifyRequest, reply: FastifyReply, answerType: AnswerType, prepared: PreparedOperation): Promise<FastifyReply> {
    const isSubscription = prepared.type === 'subscription'
    if (answerType.eventStream === 'always' || (isSubscription && answerType.eventStream === 'for subscriptions')) {
      return streamEvents(svc, request, reply, engine, prepared)
    }
    const result = prepared.args === null ? { errors: prepared.problems }
      : isSubscription ? { errors: [subscriptionNotSupported()] }
      : await engine.execute(prepared.args)
    if (isRequestError(result) && answerType.mode === 'response') reply.code(400)
    return sendJson(reply, answerType, result)
  }

  app.get('/graphql', describe(getDescription), async (request, reply) => {
    reply.header('Vary', 'Accept')
    const answerType = chooseAnswerType(request.headers.accept)
    const parameters = readQuery(request)
    if (answerType.isPageWanted && !parameters.has('query') && !parameters.has('extensions')) return sendPage(request, reply, await page())
    return serve(request, reply, answerType, () => readGet(parameters))
  })
  app.post('/graphql', describe(postDescription), (request, reply) => {
    reply.header('Vary', 'Accept')
    return serve(request, reply, chooseAnswerType(request.headers.accept), () => readPost(request.headers['content-type'], svc.http.body(request)))
  })
}

function sendJson(reply: FastifyReply, { contentType }: AnswerType, body: object): FastifyReply {
  return reply.type(contentType).send(JSON.stringify(body))
}

function subscriptionNotSupported(): GraphQLError {
  return new GraphQLError('a subscription needs a WebSocket at /graphql/ws, or a request that accepts text/event-stream', { extensions: { code: 'SUBSCRIPTION_NOT_SUPPORTED' } })
}
