/** gRPC and gRPC-Web through the gateway: messages, metadata, statuses, deadlines and the gateway's own errors. */
import { defineCheck, fail, note, pass, skip, warn, worst, type Check, type Verdict } from '../../catalog/check.ts'
import type { Call } from '../../client/evidence.ts'
import { echoMessage, grpcFrame, grpcFrames } from '../../client/grpc-frames.ts'
import { errorName } from '../../client/http2-form.ts'
import type { RequestSpec } from '../../client/request.ts'
import { each, END, KEEP, listMembers, one, RECEIVE, RESET, wait, type Action } from '../builders.ts'
import {
  binaryValues,
  decodedMessage,
  grpcCall,
  hasArrived,
  hasComeBack,
  reply,
  replyEnd,
  replyHead,
  trailer,
} from './calls.ts'

const SOURCES = [{ spec: 'gRPC over HTTP/2' }]
const METADATA = [
  ['x-probe-meta', 'plain one'],
  ['x-probe-two', 'first'],
  ['x-probe-two', 'second'],
  ['x-probe-data-bin', 'AAECA/8'],
] as const
const BINARY = '00010203ff'
const FIVE = ['one', 'two', 'three', 'four', 'five']
const REPLY_FIELDS = [['x-probe-reply', 'kept']] as const
const REPLY_TRAILERS = [
  ['grpc-status', '0'],
  ['x-probe-late', 'kept'],
  ['x-probe-late-bin', 'AAECA/8'],
] as const
const CALL_ENDED_MS = 5_000

type GrpcCheck = Omit<Check, 'group' | 'since' | 'level' | 'sources' | 'protocols'>

/** Judges only where the upstream is spoken to in gRPC's own protocol. */
const grpcCheck = ({ judge, ...check }: GrpcCheck): Check =>
  defineCheck({
    ...check,
    group: 'grpc',
    since: '2026.1',
    level: 'other-spec',
    sources: SOURCES,
    protocols: ['2'],
    judge(evidence, facts, direct) {
      const isOther = evidence.calls.some(({ arrival }) => arrival !== null && arrival.record.protocol !== '2')
      return isOther ? skip('not routed: the upstream is spoken to in HTTP/1.1') : judge(evidence, facts, direct)
    },
  })

const echoed = (label: string, method: string, texts: readonly string[], script: () => Action[]): RequestSpec =>
  grpcCall(label, method, texts, { fields: METADATA, script })

const CALLS: { label: string; method: string; sent: string[]; answered: string[]; script: () => Action[] }[] = [
  {
    label: 'unary',
    method: 'Echo',
    sent: ['one'],
    answered: ['reply'],
    script: () => [RECEIVE, replyHead(REPLY_FIELDS), reply('reply'), replyEnd(REPLY_TRAILERS), KEEP],
  },
  {
    label: 'server stream',
    method: 'ServerStream',
    sent: ['one'],
    answered: FIVE,
    script: () => [
      RECEIVE,
      replyHead(REPLY_FIELDS),
      ...FIVE.flatMap(text => [reply(text), wait(200)]),
      replyEnd(REPLY_TRAILERS),
      KEEP,
    ],
  },
  {
    label: 'client stream',
    method: 'ClientStream',
    sent: FIVE,
    answered: ['reply'],
    script: () => [RECEIVE, replyHead(REPLY_FIELDS), reply('reply'), replyEnd(REPLY_TRAILERS), KEEP],
  },
  {
    label: 'both streams',
    method: 'BidiStream',
    sent: FIVE,
    answered: FIVE,
    script: () => [
      replyHead(REPLY_FIELDS),
      reply(FIVE[0]!),
      RECEIVE,
      ...FIVE.slice(1).map(reply),
      replyEnd(REPLY_TRAILERS),
      KEEP,
    ],
  },
]

function judgeCall(call: Call, { label, sent, answered }: (typeof CALLS)[number]): Verdict[] {
  const found: Verdict[] = []
  const { arrival } = call
  if (call.status !== 200) return [fail(`${label}: came back with HTTP status ${call.status ?? 'none'}`)]
  if (!hasArrived(call, sent)) found.push(fail(`${label}: a message of the client is lost or changed`))
  if (!hasComeBack(call, answered)) found.push(fail(`${label}: a message of the upstream is lost or changed`))
  const lost = [
    arrival!.values('x-probe-meta').join() === 'plain one' ? '' : 'x-probe-meta',
    listMembers(arrival!.values('x-probe-two')).join() === 'first,second' ? '' : 'x-probe-two',
    binaryValues(arrival!.values('x-probe-data-bin')).join() === BINARY ? '' : 'x-probe-data-bin',
    call.values('x-probe-reply').join() === 'kept' ? '' : 'x-probe-reply',
    trailer(call, 'x-probe-late') === 'kept' ? '' : 'x-probe-late',
    binaryValues([trailer(call, 'x-probe-late-bin') ?? '']).join() === BINARY ? '' : 'x-probe-late-bin',
  ].filter(name => name !== '')
  if (lost.length > 0) found.push(fail(`${label}: metadata is lost or changed: ${lost.join(', ')}`))
  if (trailer(call, 'grpc-status') !== '0')
    found.push(fail(`${label}: grpc-status came back as ${trailer(call, 'grpc-status') ?? 'nothing'}`))
  return found
}

/** Whether what was sent early also came early, in both directions. */
function judgeStreaming({ record, arrival, response }: Call): Verdict[] {
  const { sentEndMs } = record
  const firstAt = arrival!.record.first_body_byte_ms
  const repliedAt = response?.parts[0]?.atMs
  const found: Verdict[] = []
  if (firstAt === null || firstAt > sentEndMs)
    found.push(warn('the first message of the client arrives only after its last one'))
  else if (repliedAt === undefined || repliedAt > sentEndMs)
    found.push(warn('the reply in both streams comes only after the end of the client'))
  return found
}

const STATUSES: { code: number; message: string; details: boolean; only?: boolean }[] = [
  { code: 0, message: '', details: false },
  { code: 3, message: 'a value of 50% is wrong', details: true },
  { code: 5, message: 'Tür nicht gefunden', details: false },
  { code: 14, message: 'try again', details: true },
  { code: 16, message: 'who are you', details: false, only: true },
]
const DETAILS = 'CAMSBXByb2Jl'

function statusFields({ code, message, details }: (typeof STATUSES)[number]): [string, string][] {
  return [
    ['grpc-status', String(code)],
    ...(message === ''
      ? []
      : [['grpc-message', encodeURIComponent(message).replaceAll('%20', ' ')] as [string, string]]),
    ...(details ? [['grpc-status-details-bin', DETAILS] as [string, string]] : []),
  ]
}

const WEB_FORMS = ['application/grpc-web+proto', 'application/grpc-web-text+proto'] as const

export const GRPC_CHECKS: Check[] = [
  grpcCheck({
    id: 'GRPC-CALLS',
    title: 'The four kinds of calls',
    page: {
      sent: 'A unary call, streams of the server, of the client, and of both: five messages 200 ms apart, with text and binary metadata.',
      expected:
        'All messages, metadata and trailers arrive; in both streams the first reply comes before the client ends.',
      why: 'A gateway that buffers makes chats and subscriptions of gRPC stand still.',
      configure: { nginx: 'grpc_pass grpc://upstream; with http2 on the listener.' },
    },
    plan: () => each(CALLS.map(({ label, method, sent, script }) => echoed(label, method, sent, script))),
    judge(evidence) {
      const found = CALLS.flatMap(one => judgeCall(evidence.call(one.label), one))
      if (found.length === 0) found.push(...judgeStreaming(evidence.call('both streams')))
      return found.length === 0 ? pass() : worst(found)
    },
  }),
  grpcCheck({
    id: 'GRPC-STATUS',
    title: 'Statuses',
    page: {
      sent: 'Calls that the upstream ends with 0, 3, 5, 14 and 16: with messages of spaces, percent signs and umlauts, with details, and without content.',
      expected: 'Code, message and details come back, in an answer with HTTP status 200.',
      why: 'Clients decide by the code whether they try again, and show the message.',
    },
    plan: () =>
      each(
        STATUSES.map(status =>
          grpcCall(String(status.code), 'Fail', ['one'], {
            script: () =>
              status.only === true
                ? [RECEIVE, replyHead(statusFields(status)), replyEnd([]), KEEP]
                : [
                    RECEIVE,
                    replyHead(),
                    ...(status.code === 0 ? [reply('reply')] : []),
                    replyEnd(statusFields(status)),
                    KEEP,
                  ],
          }),
        ),
      ),
    judge(evidence) {
      const found = STATUSES.flatMap(({ code, message, details }): Verdict[] => {
        const call = evidence.call(String(code))
        if (call.status !== 200) return [fail(`${code} came back with HTTP status ${call.status ?? 'none'}`)]
        if (trailer(call, 'grpc-status') !== String(code))
          return [fail(`${code} came back as ${trailer(call, 'grpc-status') ?? 'nothing'}`)]
        if (decodedMessage(trailer(call, 'grpc-message')) !== message)
          return [fail(`the message of ${code} is lost or changed`)]
        const sent = details ? binaryValues([DETAILS]).join() : ''
        const back = binaryValues([trailer(call, 'grpc-status-details-bin') ?? '']).join()
        return back === sent ? [] : [fail(`the details of ${code} are lost or changed`)]
      })
      return found.length === 0 ? pass() : worst(found)
    },
  }),
  grpcCheck({
    id: 'GRPC-DEADLINE',
    title: 'Deadlines and cancelled calls',
    when: { waits: true },
    page: {
      sent: 'A call of 8 s with grpc-timeout 800m, which the client leaves after 1.5 s, and one that it cancels after 500 ms.',
      expected: 'The timeout arrives, and the upstream sees the end of both within 5 s.',
      why: 'Otherwise the upstream works for calls that nobody waits for.',
    },
    plan: () => ({
      connections: [
        {
          leaveAfterMs: 1_500,
          requests: [
            grpcCall('deadline', 'Echo', ['one'], {
              fields: [['grpc-timeout', '800m']],
              script: () => [RECEIVE, wait(8_000), END],
            }),
          ],
        },
        {
          leaveAfterMs: 500,
          requests: [grpcCall('cancel', 'Echo', ['one'], { script: () => [RECEIVE, wait(8_000), END] })],
        },
        // The evidence is collected when this one has been answered.
        {
          requests: [
            grpcCall('later', 'Echo', ['one'], {
              isValid: false,
              timeoutMs: 15_000,
              silenceMs: 15_000,
              script: () => [RECEIVE, wait(7_000), replyHead(), reply('reply'), replyEnd(), KEEP],
            }),
          ],
        },
      ],
    }),
    judge(evidence) {
      const found: Verdict[] = []
      const resets: Record<string, string> = {}
      for (const label of ['deadline', 'cancel']) {
        const call = evidence.call(label)
        const { arrival, record } = call
        if (arrival === null) return skip(`not routed: ${call.status ?? 'closed'}`)
        const leftMs = record.sentEndMs + (label === 'deadline' ? 1_500 : 500)
        const status = call.status === null ? null : (trailer(call, 'grpc-status') ?? `HTTP ${call.status}`)
        if (status !== null && status !== '4' && status !== '1')
          found.push(fail(`${label}: the client gets ${status} instead of 4`))
        const { ended_ms: endedMs, reset_code: resetCode } = arrival.record
        resets[label] = resetCode === null ? 'none' : errorName(resetCode)
        if (endedMs === null || endedMs > leftMs + CALL_ENDED_MS)
          found.push(fail(`${label}: the upstream does not see the end of the call within 5 s`))
      }
      if (!evidence.call('deadline').arrival!.has('grpc-timeout')) found.push(warn('grpc-timeout does not arrive'))
      return { ...(found.length === 0 ? pass() : worst(found)), values: { resets } }
    },
  }),
  grpcCheck({
    id: 'GRPC-OWN-ERRORS',
    title: "The gateway's own errors",
    when: { breaks: true, judgesRefusal: true },
    page: {
      sent: 'A call that the upstream breaks off before it answers.',
      expected: 'The client gets grpc-status 14, 13 or 2, or the end of the stream.',
      why: 'Clients of gRPC cannot read an HTML page.',
      configure: {
        nginx: 'error_page 502 = @grpc; and there: default_type application/grpc; add_header grpc-status 14;',
      },
    },
    plan: () => one(grpcCall('call', 'Echo', ['one'], { script: () => [RECEIVE, RESET] })),
    judge({ first }) {
      if (first.count === 0) return skip(`not routed: ${first.status ?? 'closed'}`)
      if (first.status === null) return pass('the stream ends with an error')
      const status = trailer(first, 'grpc-status')
      if (status !== null)
        return ['14', '13', '2'].includes(status) ? pass() : note(`grpc-status ${status}`, { status })
      const type = first.values('content-type').join()
      const values = { status: first.status, content_type: type }
      return type.startsWith('text/html')
        ? warn(`HTTP ${first.status} with an HTML page`, values)
        : note(`HTTP ${first.status}${type === '' ? '' : ` with ${type}`}`, values)
    },
  }),
  defineCheck({
    id: 'GRPC-WEB',
    title: 'gRPC-Web',
    group: 'grpc',
    since: '2026.1',
    level: 'other-spec',
    sources: [{ spec: 'gRPC-Web' }],
    when: { http11: true },
    page: {
      sent: 'A unary call of a web page as application/grpc-web+proto, and one as text.',
      expected: 'The message and the frame with the trailers come back.',
      why: 'Without the frame a web page takes the call for failed.',
    },
    plan: () =>
      each(
        WEB_FORMS.map((type, index): RequestSpec => {
          const frame = grpcFrame(echoMessage('one'))
          return {
            label: type,
            method: 'POST',
            path: '/svc.echo.v1.EchoService/Echo',
            fields: [
              ['Content-Type', type],
              ['Accept', type],
              ['X-Grpc-Web', '1'],
              ['Origin', 'https://app.example'],
            ],
            body: index === 1 ? Buffer.from(frame.toString('base64')) : frame,
            http11: true,
            script: () => [RECEIVE, { do: 'unary', text: 'reply' }, KEEP],
          }
        }),
      ),
    judge(evidence) {
      const found: Verdict[] = []
      for (const type of WEB_FORMS) {
        const call = evidence.call(type)
        if (call.count === 0) return skip(`not routed: ${call.status ?? 'closed'}`)
        const body = call.response?.body ?? Buffer.alloc(0)
        const isText = call.values('content-type').join().startsWith('application/grpc-web-text')
        // Frames of the text form may be encoded one by one, each with its padding.
        const whole = isText
          ? Buffer.concat(
              body
                .toString('latin1')
                .match(/[^=]+={0,2}/g)
                ?.map(part => Buffer.from(part, 'base64')) ?? [],
            )
          : body
        const { messages, trailers } = grpcFrames(whole)
        if (messages.join() !== echoMessage('reply').toString('latin1'))
          found.push(fail(`${type}: the message is lost or changed`))
        else if (!/^grpc-status: ?0\r?$/im.test(trailers ?? ''))
          found.push(fail(`${type}: the frame with the trailers is lost or changed`))
      }
      return found.length === 0 ? pass() : worst(found)
    },
  }),
]
