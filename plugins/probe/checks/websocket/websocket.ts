/** WebSocket through the gateway, frame by frame. */
import { defineCheck, fail, note, pass, skip, warn, worst, type Check, type Verdict } from '../../catalog/check.ts'
import { type Call, sha256 } from '../../client/evidence.ts'
import type { Part, RequestSpec } from '../../client/request.ts'
import type { Field } from '../../client/response-parser.ts'
import {
  acceptOf,
  closeFrame,
  conversationIn,
  encodeFrame,
  OPCODE,
  type Conversation,
} from '../../client/websocket-frames.ts'
import {
  answers,
  dateField,
  each,
  END,
  listMembers,
  one,
  randomBytes,
  RESET,
  rfc,
  wait,
  type Action,
} from '../builders.ts'

const KEY = 'c3ZjIHByb2JlIGtleSAxMg=='
const HANDSHAKE: Field[] = [
  ['Upgrade', 'websocket'],
  ['Connection', 'Upgrade'],
  ['Sec-WebSocket-Key', KEY],
  ['Sec-WebSocket-Version', '13'],
]
const REPLY_MS = 10_000
const CONVERSE_MS = 20_000
const ACCEPT: Action = { do: 'accept', protocol: null }
const CONVERSE: Action = { do: 'converse', ms: CONVERSE_MS }
const CLOSED = closeFrame(1000, '', true)

/** Bytes behind the 101, or null before it. */
function framesIn(received: Buffer): Conversation | null {
  const end = received.indexOf('\r\n\r\n')
  return end === -1 ? null : conversationIn(received.subarray(end + 4))
}

/** Sends bytes once a condition holds for what the gateway sent. */
const once = (condition: (seen: Conversation) => boolean, bytes: Buffer, timeoutMs = REPLY_MS): Part => ({
  timeoutMs,
  reply(received) {
    const seen = framesIn(received)
    return seen !== null && condition(seen) ? bytes : null
  },
})
const atOnce = (bytes: Buffer): Part => once(() => true, bytes)
const text = (content: string): Buffer => encodeFrame(OPCODE.text, content, { isMasked: true })
const has = (seen: Conversation, opcode: number, content?: string): boolean =>
  seen.controls.some(control => control.opcode === opcode && (content === undefined || control.text === content))

function webSocket(label: string, parts: Part[], script: Action[], more: Partial<RequestSpec> = {}): RequestSpec {
  return {
    label,
    fields: HANDSHAKE,
    http11: true,
    isValid: false,
    parts: () => parts,
    script: () => script,
    ...more,
  }
}

/** What came back behind the 101. */
const cameBack = (call: Call): Conversation => conversationIn(call.response?.body ?? Buffer.alloc(0))
const arrived = (call: Call): Conversation =>
  call.arrival?.record.conversation ?? { messages: [], controls: [], masked: 0, unmasked: 0 }

type WebSocketCheck = Omit<Check, 'group' | 'since' | 'when'> & { when?: Check['when'] }

/** Judges only where the handshake reached the upstream. */
function webSocketCheck({ judge, when, ...check }: WebSocketCheck): Check {
  return defineCheck({
    ...check,
    group: 'websocket',
    since: '2026.1',
    when: { ...when, http11: true, judgesRefusal: true },
    judge(evidence, facts, direct) {
      const lost = evidence.calls.find(call => call.arrival?.has('upgrade') !== true)
      if (lost !== undefined) return skip(`WebSocket not routed: ${lost.status ?? 'closed'}`)
      return judge(evidence, facts, direct)
    },
  })
}

const SIZES = [0, 125, 126, 65_535, 65_536, 1_048_576]
/** A megabyte, made when a check runs: the checks are loaded at every start. */
const messages = (): { opcode: number; content: Buffer }[] => [
  { opcode: OPCODE.text, content: Buffer.from('pr\u00f6be \u{1f600}') },
  ...SIZES.map((size, index) => ({ opcode: OPCODE.binary, content: randomBytes(size, index + 21) })),
  { opcode: OPCODE.text, content: Buffer.from('one two three') },
]
const sentFrames = (): Buffer[] => [
  ...messages()
    .slice(0, -1)
    .map(({ opcode, content }) => encodeFrame(opcode, content, { isMasked: true })),
  encodeFrame(OPCODE.text, 'one ', { isMasked: true, isFinal: false }),
  encodeFrame(OPCODE.ping, 'between', { isMasked: true }),
  encodeFrame(OPCODE.continuation, 'two ', { isMasked: true, isFinal: false }),
  encodeFrame(OPCODE.continuation, 'three', { isMasked: true }),
]
const hashesOfSent = (): string[] => messages().map(({ opcode, content }) => `${opcode} ${sha256(content)}`)
const hashesOf = ({ messages }: Conversation): string[] =>
  messages.map(({ opcode, sha256: hash }) => `${opcode} ${hash}`)

const CLOSES: [code: number, reason: string][] = [
  [1000, ''],
  [1011, ''],
  [4001, 'because'],
]
const closeTextOf = (code: number, reason: string): string => `${code} ${reason}`.trim()
const idleSteps = (isSlow: boolean): number[] => [15_000, ...(isSlow ? [35_000, 65_000, 125_000] : [])]

export const WEBSOCKET_CHECKS: Check[] = [
  webSocketCheck({
    id: 'WS-OPEN',
    title: 'Handshake',
    level: 'other-spec',
    sources: rfc(6455, '4.2.2'),
    page: {
      sent: 'A handshake with two protocols, Origin, a cookie, and an extension that the upstream does not accept.',
      expected: 'The answer of the upstream comes back; Origin and the cookie arrive.',
      why: 'Servers decide by Origin and cookies who may open a connection.',
      configure: {
        nginx:
          'proxy_http_version 1.1; proxy_set_header Upgrade $http_upgrade; proxy_set_header Connection $connection_upgrade;',
      },
    },
    plan: () =>
      one(
        webSocket('open', [atOnce(CLOSED)], [{ do: 'accept', protocol: 'a.probe' }, CONVERSE, END], {
          fields: [
            ...HANDSHAKE,
            ['Sec-WebSocket-Protocol', 'b.probe, a.probe'],
            ['Sec-WebSocket-Extensions', 'permessage-deflate'],
            ['Origin', 'https://app.example'],
            ['Cookie', 'probe=1'],
          ],
        }),
      ),
    judge({ first }) {
      if (first.status !== 101) return fail(`the upgrade of the upstream came back as ${first.status ?? 'nothing'}`)
      const found: Verdict[] = []
      if (first.values('sec-websocket-accept').join() !== acceptOf(KEY))
        found.push(fail('Sec-WebSocket-Accept is wrong'))
      if (first.values('sec-websocket-protocol').join() !== 'a.probe')
        found.push(fail(`the protocol came back as ${first.values('sec-websocket-protocol').join() || 'none'}`))
      const extensions = listMembers(first.values('sec-websocket-extensions'))
      if (extensions.length > 0)
        found.push(fail(`an extension is agreed to that the upstream did not: ${extensions.join()}`))
      for (const [name, value] of [
        ['Origin', 'https://app.example'],
        ['Cookie', 'probe=1'],
      ] as const)
        if (first.arrival!.values(name).join() !== value) found.push(warn(`${name} does not arrive`))
      return found.length === 0 ? pass() : worst(found)
    },
  }),
  webSocketCheck({
    id: 'WS-BYTES',
    title: 'Messages',
    level: 'integrity',
    sources: rfc(6455, '5.4', '5.6'),
    page: {
      sent: 'Text and binary messages of 0 bytes to 1 MiB, and one in three fragments with a ping in between; all are echoed.',
      expected: 'Each payload arrives, in order, in both directions.',
      why: 'A message that is lost, joined or cut breaks the protocol above.',
    },
    plan() {
      const [first, ...rest] = sentFrames()
      return one(
        webSocket(
          'bytes',
          [atOnce(first!), ...rest, once(seen => seen.messages.length > SIZES.length + 1, CLOSED)],
          [ACCEPT, CONVERSE, END],
          { timeoutMs: 20_000 },
        ),
      )
    },
    judge({ first }) {
      const up = arrived(first)
      const back = cameBack(first)
      const sent = hashesOfSent()
      const differences = [
        ['to the upstream', hashesOf(up)],
        ['to the client', hashesOf(back)],
      ].filter(([, hashes]) => String(hashes) !== String(sent))
      if (differences.length > 0)
        return fail(
          `a message is lost, changed or out of order on the way ${differences.map(([way]) => String(way)).join(' and ')}`,
          { arrived: up.messages.length, came_back: back.messages.length, sent: sent.length },
        )
      if (back.masked > 0) return fail('a masked frame came to the client')
      if (up.unmasked > 0) return fail('an unmasked frame came to the upstream')
      const isSame = up.messages.at(-1)!.frames === 3 && up.messages.slice(0, -1).every(({ frames }) => frames === 1)
      return isSame ? pass() : note('messages are fragmented in another way')
    },
  }),
  webSocketCheck({
    id: 'WS-PING',
    title: 'Ping and pong',
    level: 'other-spec',
    sources: rfc(6455, '5.5.3'),
    page: {
      sent: 'A ping from the client, and one from the upstream.',
      expected: 'Each is answered with its data within 5 s.',
      why: 'Both ends use it to find out whether the other is still there.',
    },
    plan: () =>
      each([
        webSocket(
          'client',
          [
            atOnce(encodeFrame(OPCODE.ping, 'p1', { isMasked: true })),
            once(seen => has(seen, OPCODE.pong, 'p1'), CLOSED, 5_000),
          ],
          [ACCEPT, { do: 'converse', ms: 7_000 }, END],
        ),
        webSocket(
          'upstream',
          [
            once(seen => has(seen, OPCODE.ping, 'p1'), encodeFrame(OPCODE.pong, 'p1', { isMasked: true }), 5_000),
            { waitMs: 500 },
            atOnce(CLOSED),
          ],
          [ACCEPT, { do: 'frame', opcode: OPCODE.ping, payload: 'p1' }, { do: 'converse', ms: 7_000 }, END],
        ),
      ]),
    judge(evidence) {
      const client = evidence.call('client')
      const upstream = evidence.call('upstream')
      const found: Verdict[] = []
      if (!has(cameBack(client), OPCODE.pong, 'p1')) found.push(fail('no pong came for the ping of the client'))
      else if (!has(arrived(client), OPCODE.ping, 'p1')) found.push(note('the gateway answers pings of clients itself'))
      if (!has(arrived(upstream), OPCODE.pong, 'p1')) found.push(fail('no pong came for the ping of the upstream'))
      else if (!has(cameBack(upstream), OPCODE.ping, 'p1'))
        found.push(note('the gateway answers pings of the upstream itself'))
      return found.length === 0 ? pass() : worst(found)
    },
  }),
  webSocketCheck({
    id: 'WS-CLOSE',
    title: 'Closing',
    level: 'integrity',
    sources: rfc(6455, '5.5.1', '7.4'),
    page: {
      sent: 'Close frames of the upstream with 1000, 1011 and 4001, and one of the client with 4002.',
      expected: 'Code and reason come to the other side.',
      why: 'Clients decide by the code whether they connect again.',
    },
    plan: () =>
      each([
        ...CLOSES.map(([code, reason]) => {
          const frame = closeFrame(code, reason)
          return webSocket(
            String(code),
            [once(seen => has(seen, OPCODE.close), closeFrame(code, reason, true), 5_000)],
            [
              ACCEPT,
              { do: 'frame' as const, opcode: OPCODE.close, payload: frame.toString('latin1', 2) },
              { do: 'converse' as const, ms: 5_000 },
              END,
            ],
          )
        }),
        webSocket('4002', [atOnce(closeFrame(4002, 'because', true))], [ACCEPT, { do: 'converse', ms: 5_000 }, END]),
      ]),
    judge(evidence) {
      const wrong = [
        ...CLOSES.filter(
          ([code, reason]) => !has(cameBack(evidence.call(String(code))), OPCODE.close, closeTextOf(code, reason)),
        ),
        ...([[4002, 'because']] as const).filter(
          () => !has(arrived(evidence.call('4002')), OPCODE.close, '4002 because'),
        ),
      ].map(([code]) => code)
      if (wrong.length === 0) return pass()
      const summary = `the close frame is lost or changed: ${wrong.join(', ')}`
      return wrong.every(code => code === 1000 || code === 1011) ? warn(summary) : fail(summary)
    },
  }),
  webSocketCheck({
    id: 'WS-DEAD',
    title: 'The upstream vanishes',
    level: 'hazard',
    sources: [],
    when: { breaks: true },
    page: {
      sent: 'A connection that the upstream breaks off.',
      expected: 'The client sees it within 10 s.',
      why: 'A client that waits for messages on a dead connection misses all of them.',
    },
    plan: () => one(webSocket('dead', [], [ACCEPT, wait(300), RESET], { silenceMs: 10_500, timeoutMs: 10_500 })),
    judge: ({ first }) =>
      first.exchange.ended === null ? warn('the connection to the client is still open after 10 s') : pass(),
  }),
  webSocketCheck({
    id: 'WS-IDLE',
    title: 'Silence',
    level: 'timing',
    sources: [],
    when: { waits: true },
    page: {
      sent: 'Nothing for 15 s, then a message; with --slow also 35, 65 and 125 s.',
      expected: 'How long the connection stays is reported.',
      why: 'A connection that is cut has to be opened again, and misses messages.',
    },
    plan: ({ isSlow }) =>
      one(
        webSocket(
          'idle',
          [
            ...idleSteps(isSlow).flatMap((ms, index): Part[] => [
              ...(index === 0 ? [once(() => true, Buffer.alloc(0))] : []),
              { waitMs: ms },
              atOnce(text(`after ${ms}`)),
              once(seen => seen.messages.length > index, Buffer.alloc(0)),
            ]),
            atOnce(CLOSED),
          ],
          [ACCEPT, ...idleSteps(isSlow).map((ms): Action => ({ do: 'converse', ms: ms + 15_000 })), END],
        ),
      ),
    judge({ first }, { isSlow }) {
      const steps = idleSteps(isSlow)
      const { messages } = cameBack(first)
      const endured = steps[Math.min(messages.length, steps.length) - 1] ?? 0
      const values = { endured_ms: endured, ended: first.exchange.ended }
      return messages.length >= steps.length
        ? note(`${endured / 1000} s of silence endured`, values)
        : note(`cut after ${endured / 1000} s of silence endured`, values)
    },
  }),
  webSocketCheck({
    id: 'WS-REFUSED',
    title: 'Refusal',
    level: 'integrity',
    sources: rfc(6455, '4.2.2'),
    page: {
      sent: 'A handshake that the upstream answers with 403, a JSON body and X-Probe-Reason.',
      expected: 'All of it comes back.',
      why: 'The client has to learn why.',
    },
    plan: () =>
      one({
        fields: HANDSHAKE,
        isValid: false,
        script: () =>
          answers({
            status: 403,
            reason: 'Forbidden',
            fields: [dateField(), ['Content-Type', 'application/json'], ['X-Probe-Reason', 'because']],
            body: '{"error":"probe"}',
          }),
      }),
    judge({ first }) {
      if (first.status !== 403) return fail(`403 came back as ${first.status ?? 'nothing'}`)
      const lost = [
        first.bodyText === '{"error":"probe"}' ? '' : 'the body',
        first.values('x-probe-reason').join() === 'because' ? '' : 'X-Probe-Reason',
      ].filter(name => name !== '')
      return lost.length === 0 ? pass() : warn(`lost: ${lost.join(', ')}`)
    },
  }),
  defineCheck({
    id: 'UPG-H2C',
    title: 'Upgrade to h2c',
    group: 'websocket',
    since: '2026.1',
    level: 'hazard',
    sources: rfc(9110, '7.8'),
    when: { http11: true, judgesRefusal: true },
    page: {
      sent: 'Upgrade: h2c with HTTP2-Settings; the upstream accepts it if it is asked.',
      expected: 'The upstream is not asked.',
      why: 'Behind a 101, requests go past all rules of the gateway.',
    },
    plan: () =>
      one({
        isValid: false,
        fields: [
          ['Upgrade', 'h2c'],
          ['Connection', 'Upgrade, HTTP2-Settings'],
          ['HTTP2-Settings', 'AAMAAABkAARAAAAAAAIAAAAA'],
        ],
        parts: () => [
          { untilAnswer: true, timeoutMs: 3_000 },
          {
            timeoutMs: 1_000,
            reply: received =>
              received.toString('latin1').startsWith('HTTP/1.1 101') ? Buffer.from('raw bytes') : null,
          },
        ],
        script: () => [{ do: 'receive' }, { do: 'h2c', ms: 1_500 }, ...answers({ body: 'probe' })],
      }),
    judge({ first }) {
      const { arrival, status } = first
      if (arrival === null)
        return status === null || status >= 400
          ? skip(`not forwarded: ${status ?? 'closed'}`)
          : pass('answered by the gateway')
      const isAsked = arrival.values('upgrade').some(value => /\bh2c\b/i.test(value))
      if (!isAsked) return arrival.has('http2-settings') ? note('HTTP2-Settings arrives') : pass()
      if (status === 101 && first.bodyText.includes('raw bytes'))
        return warn('tunneled: rules can be bypassed behind the gateway')
      return note('Upgrade: h2c arrives')
    },
  }),
]
