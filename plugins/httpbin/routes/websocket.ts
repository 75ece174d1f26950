/** `/websocket/echo` of go-httpbin. */
import { describe, HttpError, type FastifyInstance, type FastifyRequest, type Svc, type WebSocket } from 'svc/plugin'
import { rawQuery } from 'svc/toolkit'
import { MAX_SECONDS } from '../call.ts'
import { Failure, renderFailure } from '../failure.ts'
import { CATEGORY } from '../mounting.ts'
import type { Mount } from '../operation.ts'
import type { HttpbinOptions } from '../options.ts'
import { goInteger } from '../request/numbers.ts'
import { readStrict } from '../request/query.ts'

const MESSAGE_TOO_BIG = 1009
const PATH = '/websocket/echo'

/** Bytes of the largest message that is echoed. Throws a `Failure`. */
function maxMessage(request: FastifyRequest, max: number): number {
  const query = readStrict(rawQuery(request))
  const read = (name: string, fallback: number): number => {
    const text = query.get(name)?.[0] ?? ''
    if (text === '') return fallback
    const size = goInteger(text, `invalid ${name}`, 'ParseInt')
    if (size < 1 || size > max) throw new Failure(400, `invalid ${name}: ${size} not in range [1, ${max}]`)
    return size
  }
  const fragment = read('max_fragment_size', max / 2)
  const message = read('max_message_size', max)
  if (fragment > message)
    throw new Failure(400, `max_fragment_size ${fragment} must be less than or equal to max_message_size ${message}`)
  return message
}

/** Echoes messages in order; a larger one closes the socket. */
function echo(socket: WebSocket, largest: number): void {
  socket.on('message', (message: Buffer, isBinary: boolean) => {
    if (message.length > largest) socket.close(MESSAGE_TOO_BIG, 'message size exceeds the maximum')
    else socket.send(message, { binary: isBinary })
  })
}

export function addWebSocket(app: FastifyInstance, svc: Svc<HttpbinOptions>, mount: Mount): void {
  const max = svc.config.publicMode ? 262_144 : 1_048_576
  app.route({
    method: 'GET',
    url: mount.path + PATH,
    ...(mount.path === mount.prefix
      ? describe({
          summary: 'Echo WebSocket messages',
          category: CATEGORY,
          protocol: 'websocket',
          parameters: ['max_message_size', 'max_fragment_size'].map(name => ({
            name,
            in: 'query',
            schema: { type: 'integer', minimum: 1 },
          })),
          responses: {
            101: { description: 'The WebSocket is open' },
            400: { description: 'Not a WebSocket handshake' },
          },
          examples: [{ name: 'Echo', path: mount.prefix + PATH, expectStatus: 101 }],
        })
      : {}),
    // Before the handshake is accepted; afterwards no status can be sent.
    preValidation: async request => {
      if (request.ws) checkHandshake(() => maxMessage(request, max))
    },
    handler: (request, reply) => {
      const { body, headers, status } = renderFailure(
        whyNotOpen(() => maxMessage(request, max)),
        mount.original,
      )
      return reply.code(status).headers(headers).send(Buffer.from(body))
    },
    wsHandler: (socket, request) => {
      svc.streams.websocket(request, socket, { lifetimeMs: MAX_SECONDS * 1000 })
      echo(socket, maxMessage(request, max))
    },
  })
}

/** Why a request that is not a handshake fails. */
function whyNotOpen(readLimits: () => number): Failure {
  try {
    readLimits()
    return new Failure(400, 'missing required `Upgrade: websocket` header')
  } catch (error) {
    if (error instanceof Failure) return error
    throw error
  }
}

/** Throws the error of a handshake in a form that the host sends. */
function checkHandshake(readLimits: () => number): void {
  try {
    readLimits()
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    throw new HttpError(error.status, { status_code: error.status, error: 'Bad Request', detail: error.detail })
  }
}
