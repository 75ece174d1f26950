/** The modes of svc: `echo`, `discard`, `fixed`, `hash`, `info`. */
import { createHash } from 'node:crypto'
import type { ModeContext, ModeDefinition } from './mode.ts'

export const echo: ModeDefinition = {
  connection: () => ({ data: (bytes, { send }) => send(bytes) }),
  datagram: data => data,
}

export const discard: ModeDefinition = { connection: () => ({ data() {} }), datagram: () => null }

const textOf = ({ options }: ModeContext): Buffer => Buffer.from(options.text ?? '')

export const fixed: ModeDefinition = {
  connection: context => ({
    open({ send, end }) {
      send(textOf(context))
      end()
    },
    data() {},
  }),
  datagram: (_data, context) => textOf(context),
}

export const hash: ModeDefinition = {
  connection() {
    const sum = createHash('sha256')
    let bytes = 0
    return {
      data(chunk) {
        sum.update(chunk)
        bytes += chunk.length
      },
      end({ send, end }) {
        send(`${bytes} ${sum.digest('hex')}\n`)
        end()
      },
    }
  },
  datagram: data => Buffer.from(`${data.length} ${createHash('sha256').update(data).digest('hex')}`),
}

const infoLine = ({ facts: { listener, clientIp, peer, local, proxy, tls } }: ModeContext): string =>
  `${JSON.stringify({ listener: listener.name, client_ip: clientIp, peer, local, proxy_protocol: proxy, tls })}\n`

export const info: ModeDefinition = {
  connection: context => ({
    open: ({ send }) => send(infoLine(context)),
    data: (bytes, { send }) => send(bytes),
  }),
  datagram: (_data, context) => Buffer.from(infoLine(context)),
}
