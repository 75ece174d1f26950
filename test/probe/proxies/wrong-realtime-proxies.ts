/** Proxies in front of realtime sockets with one fault each. */
import { NO_ROUTES, type Routes } from '../../../plugins/probe/client/routes.ts'
import type { Fault } from './reference-proxy.ts'

export interface WrongRealtimeProxy {
  name: string
  fault: Fault
  caught: Readonly<Record<string, string>>
  routes?: Routes
}

/** Of the same length, since frames say theirs. */
const swapped =
  (from: string | Buffer, to: string | Buffer) =>
  (bytes: Buffer): Buffer => {
    const at = bytes.indexOf(from)
    if (at === -1) return bytes
    const changed = Buffer.from(bytes)
    Buffer.from(to).copy(changed, at)
    return swapped(from, to)(changed)
  }
const PROTOCOL = 'sec-websocket-protocol'

export const REALTIME_PROXIES: readonly WrongRealtimeProxy[] = [
  {
    name: 'chooses the subprotocol with the key',
    fault: {
      response(head, request) {
        const offered = request.fields.find(([name]) => name.toLowerCase() === PROTOCOL)?.[1].split(', ')[1]
        for (const field of head.fields) if (field[0].toLowerCase() === PROTOCOL && offered) field[1] = offered
      },
    },
    caught: { 'RT-OPEN': 'fail' },
  },
  {
    name: 'chooses a subprotocol that no realtime client offered',
    fault: {
      response(head) {
        for (const field of head.fields) if (field[0].toLowerCase() === PROTOCOL) field[1] = 'openai-realtime'
      },
    },
    caught: { 'RT-OPEN': 'fail' },
  },
  {
    name: 'moves keys of realtime clients to Authorization',
    fault: {
      request(head) {
        for (const field of head.fields) if (field[0].toLowerCase() === PROTOCOL) field[1] = 'realtime'
      },
    },
    caught: { 'RT-SUBPROTO': 'warn' },
    routes: { ...NO_ROUTES, ownLlmCredential: true },
  },
  {
    name: 'hands keys of realtime clients on',
    fault: {},
    caught: { 'RT-SUBPROTO': 'warn' },
    routes: { ...NO_ROUTES, ownLlmCredential: true },
  },
  {
    name: 'counts tokens of realtime responses otherwise',
    fault: { toClient: swapped('"output_tokens":41', '"output_tokens":14') },
    caught: { 'RT-USAGE': 'fail' },
  },
  {
    name: 'changes words of realtime responses',
    fault: { toClient: swapped('seven', 'eight') },
    caught: { 'RT-USAGE': 'fail' },
  },
  {
    name: 'closes realtime sockets as if all were well',
    fault: { toClient: swapped(Buffer.from([0x03, 0xf0]), Buffer.from([0x03, 0xe8])) },
    caught: { 'RT-CLOSE': 'fail' },
  },
  {
    name: 'changes why realtime sockets are closed',
    fault: { toClient: swapped('because', 'unknown') },
    caught: { 'RT-CLOSE': 'fail' },
  },
]

/** Replaces the keys of clients by its own. */
export const OWN_KEYS: Fault = {
  request(head) {
    for (const field of head.fields) {
      if (field[0].toLowerCase() === PROTOCOL) field[1] = 'realtime'
      if (field[0].toLowerCase() === 'authorization') field[1] = 'Bearer own'
    }
  },
}
