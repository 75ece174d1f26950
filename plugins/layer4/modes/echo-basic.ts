/** The mode `echo-basic`: the TCP and UDP servers of Gateway API's conformance images. */
import { isUtf8 } from 'node:buffer'
import { Lines } from './lines.ts'
import type { Answers, ModeContext, ModeDefinition } from './mode.ts'

const WELCOME = 'Gateway API Test TCP Server\n'
const MAX_LINE = 65_536
const MAX_DATAGRAM = 1024
/** A line of five bytes has an answer of more than a hundred. */
const READ = 256
/** Names of Go by those of OpenSSL. */
const CURVES: Readonly<Record<string, string>> = {
  prime256v1: 'CurveP256',
  secp384r1: 'CurveP384',
  secp521r1: 'CurveP521',
}

export const echoBasic: ModeDefinition = {
  readBytes: READ,
  connection(context) {
    const lines = new Lines(MAX_LINE)
    const reply = (line: Buffer, send: Answers['send']): void => {
      const answer = answerOf(line.toString('latin1'), context)
      if (answer !== null) send(`${answer}\n`)
    }
    return {
      open: ({ send }) => send(WELCOME),
      data(bytes, { send, end }) {
        if (!lines.add(bytes, line => reply(line, send))) end()
      },
      end({ send, end }) {
        const line = lines.rest()
        if (line !== null) reply(line, send)
        end()
      },
    }
  },
  datagram(data, { instance }) {
    const request = goText(data.subarray(0, MAX_DATAGRAM))
    return Buffer.from(goJson({ request, ...instance.deployment() }))
  },
}

function answerOf(line: string, context: ModeContext): string | null {
  if (line === 'TEST') return goJson(assertions(context))
  if (line === 'IS_TLS') return String(context.facts.tls !== null)
  return line === 'PING' ? 'PONG' : null
}

function assertions({ options, facts, instance }: ModeContext): object {
  const { tls, listener } = facts
  const plain = tls === null ? listener.name : (options.tls_port_of ?? null)
  const secured = tls === null ? instance.securedOf(listener.name) : listener.name
  const portOf = (name: string): number | null => (name === listener.name ? listener.port : instance.portOf(name))
  const tlsPort = secured === null ? null : portOf(secured)
  return {
    ...instance.deployment(),
    tcpport: plain === null ? '' : String(portOf(plain) ?? ''),
    ...(tlsPort !== null && { tlsport: String(tlsPort) }),
    isTLS: tls !== null,
    ...(tls !== null && {
      tls: {
        version: tls.version.replace('v', ' '),
        serverName: tls.sni ?? '',
        ...(tls.alpn !== null && { negotiatedProtocol: tls.alpn }),
        ...(tls.curve !== null && { curves: CURVES[tls.curve] ?? tls.curve }),
        cipherSuite: tls.cipher,
      },
    }),
  }
}

/** Stands for a byte that is not UTF-8, which Go writes as an escape of U+FFFD; that character itself it writes as it is. */
const NO_TEXT = '\uD800'

/** JSON as Go writes it. */
function goJson(value: object): string {
  // A lone surrogate is an escape in JSON; a backslash of the text is two.
  return JSON.stringify(value).replace(/\\\\|\\ud800|[<>&\u2028\u2029]/g, found => {
    if (found === '\\\\') return found
    return found.length > 1 ? '\\ufffd' : `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`
  })
}

/** The text of bytes, with `NO_TEXT` for each byte that is not UTF-8. */
function goText(bytes: Buffer): string {
  let text = ''
  for (let offset = 0; offset < bytes.length; ) {
    const length = characterLength(bytes, offset)
    text += length === 0 ? NO_TEXT : bytes.toString('utf8', offset, offset + length)
    offset += Math.max(length, 1)
  }
  return text
}

/** Bytes of the character at an offset; 0 if there is none. */
function characterLength(bytes: Buffer, offset: number): number {
  const first = bytes[offset]!
  const length = first < 0x80 ? 1 : first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0
  if (length < 2) return length
  const part = bytes.subarray(offset, offset + length)
  return part.length === length && isUtf8(part) ? length : 0
}
