/** `GET /ws`: echoes every message. */
import {
  describe,
  readQuery,
  type FastifyInstance,
  type RequestFacts,
  type RouteDescription,
  type RouteParameter,
  type Svc,
} from 'svc/plugin'
import { checkOffered, type EchoOptions, readEchoOptions } from '../echo-options.ts'
import { serveEcho } from '../echo-socket.ts'
import { upgradeRequired } from '../errors.ts'
import { lifetimeOf } from '../lifetime.ts'

const PARAMETERS: readonly (readonly [name: string, description: string, schema: RouteParameter['schema']])[] = [
  ['subprotocol', 'The subprotocol to select, or `none`. Default: the first one that is offered', { type: 'string' }],
  ['deflate', 'With `1`, permessage-deflate is accepted if the client offers it', { type: 'string', enum: ['0', '1'] }],
  ['context', 'With `0`, each message is compressed on its own', { type: 'string', enum: ['0', '1'] }],
  ['first', 'A text that is sent at once', { type: 'string' }],
  ['ping_ms', 'Milliseconds between pings', { type: 'integer', minimum: 100, maximum: 60_000 }],
  [
    'close',
    'A close code, and after `:` a reason. 1005: without a code; 1006: without a close frame. With `ping_ms`, the reason ends with `pongs=<n>`',
    { type: 'string' },
  ],
  ['after', 'Messages after which `close` closes. Default: 0, at once', { type: 'integer', minimum: 0 }],
  ['after_ms', 'Milliseconds after which `close` closes', { type: 'integer', minimum: 0, maximum: 600_000 }],
  ['fragment', 'Bytes of the fragments of an echo', { type: 'integer', minimum: 1, maximum: 1_048_576 }],
]

const description: RouteDescription = {
  category: 'WebSocket',
  summary: 'Echo messages',
  description:
    'Echoes text and binary messages in order, up to 1 MiB each (256 KiB on public instances); a larger message closes the connection with 1009. Selects the first offered subprotocol, or the one of the query.',
  protocol: 'websocket',
  parameters: PARAMETERS.map(([name, text, schema]) => ({
    name,
    in: 'query',
    description: text,
    ...(schema && { schema }),
  })),
  responses: {
    101: { description: 'The WebSocket is open' },
    400: { description: 'A parameter is invalid, or the subprotocol is not offered' },
    426: { description: 'Not a WebSocket handshake of version 13' },
  },
  subprotocol: (offered, request) => optionsOf(request).subprotocol ?? offered[0] ?? false,
  compression: request => optionsOf(request).compression,
  examples: [
    { name: 'Echo', path: '/ws', expectStatus: 101 },
    {
      name: 'A greeting, and a close after one echo',
      path: '/ws?first=hello&close=4001:done&after=1',
      expectStatus: 101,
    },
  ],
}

/** The options of a handshake that has been checked. */
function optionsOf({ url }: RequestFacts): EchoOptions {
  const query = url.indexOf('?')
  return readEchoOptions(new URLSearchParams(query === -1 ? '' : url.slice(query + 1)))
}

export function registerEcho(app: FastifyInstance, svc: Svc): void {
  const limits = lifetimeOf(svc.config)
  app.route({
    method: 'GET',
    url: '/ws',
    ...describe(description),
    // Before the handshake is accepted; afterwards no status can be sent.
    preValidation: async request => {
      if (request.ws) checkOffered(readEchoOptions(readQuery(request)), request.headers['sec-websocket-protocol'])
    },
    handler: () => {
      throw upgradeRequired()
    },
    wsHandler: (socket, request) => {
      svc.streams.websocket(request, socket, limits)
      serveEcho(svc, socket, readEchoOptions(readQuery(request)))
    },
  })
}
