/** A2A agents behind the gateway: cards, version fields, streams, errors and push notifications. */
import { isRecord } from 'svc/toolkit'
import { defineCheck, fail, note, pass, skip, warn, worst, type Check, type Verdict } from '../../catalog/check.ts'
import type { Call } from '../../client/evidence.ts'
import type { ExchangeRecord } from '../../client/exchange.ts'
import { ROOT } from '../../client/step-runner.ts'
import { stepPath, type RequestSpec } from '../../client/request.ts'
import type { Field } from '../../client/response-parser.ts'
import { answers, dateField, each, one } from '../builders.ts'
import { eventsOf, medianLagMs } from '../event-stream.ts'
import { arrived, eventReply, jsonReply, rpc, rpcAnswer } from '../json-rpc.ts'
import { hasSameValues, jsonDifferences } from '../llm/json-values.ts'
import { parsed } from '../llm/chat.ts'
import { judgeOwnUrls, ownAnswerProblem, wrongOrigin, type WrongUrl } from '../own-urls.ts'

const V1: Field[] = [['A2A-Version', '1.0']]
const VERSION_FIELDS: Field[] = [...V1, ['A2A-Extensions', 'https://probe.example/ext/v1, https://probe.example/two']]
const MEDIA_TYPE = 'application/a2a+json'
const GAP_MS = 400
const CARDS = ['agent-card.json', 'agent.json'] as const

const message = (marker: string): object => ({
  message: { messageId: 'm-1', role: 'ROLE_USER', parts: [{ text: marker }] },
})

const CARD = {
  protocolVersions: ['1.0'],
  name: 'Probe agent',
  description: 'Tür, 50 %',
  version: '1.2.3',
  supportedInterfaces: [{ url: 'https://agent.example/a2a', protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
  capabilities: { streaming: true, extensions: [{ uri: 'https://probe.example/ext/v1', required: false }] },
  skills: [{ id: 's', name: 'S', description: 'd', tags: ['a', 'b'] }],
  signatures: [{ protected: 'eyJhbGciOiJFUzI1NiIsImtpZCI6InByb2JlIn0', signature: 'cHJvYmU' }],
}

const UPDATES = [1, 2, 3, 4, 5].map(index => ({
  jsonrpc: '2.0',
  id: 1,
  result: {
    artifactUpdate: {
      taskId: 't',
      contextId: 'c',
      artifact: { artifactId: `a${index}`, parts: [{ text: String(index) }] },
    },
  },
}))

const ERRORS: Record<string, { status: number; body: object }> = {
  'unknown task': {
    status: 200,
    body: {
      jsonrpc: '2.0',
      id: 1,
      error: {
        code: -32001,
        message: 'Task not found',
        data: [
          {
            '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
            reason: 'TASK_NOT_FOUND',
            domain: 'a2a-protocol.org',
            metadata: { taskId: 'x' },
          },
        ],
      },
    },
  },
  'unsupported version': {
    status: 400,
    body: {
      error: {
        code: 400,
        status: 'FAILED_PRECONDITION',
        message: 'Version 9.9 is not supported',
        details: [
          {
            '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
            reason: 'VERSION_NOT_SUPPORTED',
            domain: 'a2a-protocol.org',
          },
        ],
      },
    },
  },
}

type A2aCheck = Omit<Check, 'group' | 'since'>

/** Judges only where requests reach the upstream as they are. */
function a2aCheck({ judge, when, ...check }: A2aCheck): Check {
  return defineCheck({
    ...check,
    group: 'a2a',
    since: '2026.1',
    when: { ...when, judgesRefusal: true, http11: true },
    judge(evidence, facts, direct) {
      const [first] = evidence.calls
      if (when?.noDirect !== true && when?.showsOwnAnswers !== true && evidence.calls.every(({ count }) => count === 0))
        return skip(`not routed: ${first?.status ?? 'closed'}`)
      return judge(evidence, facts, direct)
    },
  })
}

/** Every URL at which the card says that the agent is reached over HTTP, by its path in the card. */
function urlsOf(value: unknown, path = ''): [path: string, url: string][] {
  if (Array.isArray(value)) return value.flatMap((item, index) => urlsOf(item, `${path}/${index}`))
  if (!isRecord(value) || value.protocolBinding === 'GRPC' || value.transport === 'GRPC') return []
  return Object.entries(value).flatMap(([key, member]) => {
    const isUrl = key === 'url' && typeof member === 'string' && URL.canParse(member)
    return isUrl ? ([[`${path}/${key}`, member]] as [string, string][]) : urlsOf(member, `${path}/${key}`)
  })
}

const cardIn = (record: ExchangeRecord | undefined): unknown =>
  parsed(record?.calls[0]?.response?.body.toString('utf8') ?? '')

/** URLs of the agent in a card that lead elsewhere than to this origin. */
function wrongUrlsIn(name: string, call: Call, origin: string): WrongUrl[] {
  const away = urlsOf(parsed(call.response?.body.toString('utf8') ?? '')).flatMap(([path, url]) => {
    const cause = path.includes('provider') ? null : wrongOrigin(url, origin)
    return cause === null ? [] : [{ cause, origin: new URL(url).origin }]
  })
  return [...new Map(away.map(one => [one.cause, one])).keys()].map(cause => {
    const origins = [...new Set(away.filter(one => one.cause === cause).map(one => one.origin))]
    return { cause, text: `${name}: clients leave the gateway for ${origins.join(', ')}` }
  })
}

/** URLs of the agent itself, in the first card. */
function ownUrl(records: readonly ExchangeRecord[], origin: string): string | undefined {
  return urlsOf(cardIn(records[0])).find(
    ([path, url]) => !path.includes('provider') && new URL(url).origin === new URL(origin).origin,
  )?.[1]
}

export const A2A_CHECKS: Check[] = [
  a2aCheck({
    id: 'A2A-CARD',
    title: "The card's URLs lead back to the gateway",
    level: 'hazard',
    sources: [],
    when: { showsOwnAnswers: true },
    page: {
      sent: 'GET of the agent card of both generations, which svc answers itself, and a request to the first URL in it.',
      expected: 'URLs of the agent have the origin of the gateway, and lead to the agent.',
      why: 'Otherwise clients go past the gateway and its rules, or nowhere.',
      configure: { nginx: 'proxy_set_header Host $http_host;' },
    },
    plan: ({ gateway: { origin } }) => ({
      inOrder: true,
      connections: CARDS.map(name => ({
        requests: [{ label: name, path: `/.well-known/${name}`, noMarker: true, isValid: false }],
      })),
      follow(records) {
        const url = ownUrl(records, origin)
        if (url === undefined || records.length > CARDS.length) return null
        const { pathname, search } = new URL(url)
        return {
          route: ROOT,
          requests: [
            {
              label: 'agent',
              method: 'POST',
              path: `${pathname}${search}`,
              noMarker: true,
              isValid: false,
              fields: [['Content-Type', 'application/json'], ...V1],
              body: '{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"id":"probe"}}',
            },
          ],
        }
      },
    }),
    judge(evidence, facts, direct) {
      const found: WrongUrl[] = []
      const own: WrongUrl[] = []
      for (const name of CARDS) {
        const without = direct?.call(name)
        const problem = ownAnswerProblem(without?.status, 200)
        if (problem !== null) return problem
        const call = evidence.call(name)
        if (call.status !== 200) return skip(`not routed: ${call.status ?? 'closed'}`)
        found.push(...wrongUrlsIn(name, call, facts.gateway.origin))
        if (without !== undefined) own.push(...wrongUrlsIn(name, without, facts.directOrigin))
      }
      const verdict = judgeOwnUrls(found, own, facts)
      const agent = evidence.calls.find(({ label }) => label === 'agent')
      return agent !== undefined && parsed(agent.bodyText)?.jsonrpc !== '2.0'
        ? worst([verdict, fail(`a URL of the card does not reach the agent: ${agent.status ?? 'closed'}`)])
        : verdict
    },
  }),
  a2aCheck({
    id: 'A2A-SIG',
    title: 'Signatures of cards',
    level: 'other-spec',
    sources: [{ spec: 'A2A 1.0' }],
    page: {
      sent: 'GET of a signed card.',
      expected: 'It comes back as it is, or without its signature.',
      why: 'Clients refuse a card whose content is not what was signed.',
    },
    plan: () => one({ path: '/.well-known/agent-card.json', script: () => jsonReply(CARD), http11: true }),
    judge({ first }) {
      if (first.count === 0) return skip(`not routed: ${first.status ?? 'closed'}`)
      const back = parsed(first.response?.body.toString('utf8') ?? '')
      if (back === null) return fail('what came back is not a card')
      const { signatures, ...content } = back
      const { signatures: sent, ...signed } = CARD
      if (!Array.isArray(signatures) || signatures.length === 0) return note('the signature is removed')
      const changes = jsonDifferences(JSON.stringify(signed), JSON.stringify(content))
      const wrong = [...(changes?.missing ?? []), ...(changes?.changed ?? []), ...(changes?.added ?? [])]
      if (wrong.length > 0) return fail(`the content changed under its signature: ${wrong.slice(0, 5).join(', ')}`)
      return JSON.stringify(signatures) === JSON.stringify(sent) ? pass() : fail('the signature is changed')
    },
  }),
  a2aCheck({
    id: 'A2A-VERSION',
    title: 'Version fields',
    level: 'other-spec',
    sources: [{ spec: 'A2A 1.0' }],
    page: {
      sent: 'A message as application/a2a+json with A2A-Version and A2A-Extensions; the answer has the same.',
      expected: 'They arrive and come back.',
      why: 'Agents answer in another version, or refuse, without them.',
    },
    plan: () =>
      one({
        method: 'POST',
        path: '/v1/message:send',
        fields: [['Content-Type', MEDIA_TYPE], ...VERSION_FIELDS],
        content: marker => JSON.stringify(message(marker)),
        http11: true,
        script: () =>
          answers({ fields: [dateField(), ['Content-Type', MEDIA_TYPE], ...VERSION_FIELDS], body: '{"message":{}}' }),
      }),
    judge({ first }) {
      if (first.arrival === null) return skip(`not routed: ${first.status ?? 'closed'}`)
      const compact = (values: readonly string[]): string => values.join(',').replaceAll(' ', '')
      const lost = VERSION_FIELDS.flatMap(([name, value]) => [
        ...(compact(first.arrival!.values(name.toLowerCase())) === compact([value]) ? [] : [`${name} of the request`]),
        ...(compact(first.values(name.toLowerCase())) === compact([value]) ? [] : [`${name} of the answer`]),
      ])
      if (lost.length > 0) return fail(`lost or changed: ${lost.join(', ')}`)
      const types = [first.arrival.values('content-type').join(), first.values('content-type').join()]
      return types.every(type => type === MEDIA_TYPE)
        ? pass()
        : warn(`the content type is changed: ${types.join(', ')}`)
    },
  }),
  a2aCheck({
    id: 'A2A-STREAM',
    title: 'Streams',
    level: 'integrity',
    sources: [{ spec: 'A2A 1.0' }],
    page: {
      sent: 'A streamed message with five updates, 400 ms apart, and a subscription to the task.',
      expected: 'Every update comes once, as it is sent.',
      why: 'A part of an artifact that is lost or comes twice spoils it.',
      configure: { nginx: 'proxy_buffering off;' },
    },
    plan: () =>
      each([
        rpc('message', 'SendStreamingMessage', {
          params: message,
          fields: V1,
          script: () =>
            eventReply(
              UPDATES.map(value => ({ value: arrived(value) })),
              { gapMs: GAP_MS },
            ),
        }),
        rpc('subscription', 'SubscribeToTask', {
          params: marker => ({ id: marker }),
          fields: V1,
          script: () =>
            eventReply(
              UPDATES.slice(3).map(value => ({ value: arrived(value) })),
              { gapMs: GAP_MS },
            ),
        }),
      ]),
    judge(evidence) {
      const found: Verdict[] = []
      for (const [label, updates] of [
        ['message', UPDATES],
        ['subscription', UPDATES.slice(3)],
      ] as const) {
        const call = evidence.call(label)
        if (call.count === 0) return skip(`not routed: ${call.status ?? 'closed'}`)
        const isSame =
          eventsOf(call).length === updates.length &&
          eventsOf(call).every(({ data }, index) => hasSameValues(updates[index]!, data))
        if (!isSame) found.push(fail(`${label}: an update is lost, changed or repeated`))
        else if (medianLagMs(call) > 1_000) found.push(warn(`${label}: updates come late: buffered`))
      }
      return found.length === 0 ? pass() : worst(found)
    },
  }),
  a2aCheck({
    id: 'A2A-ERRORS',
    title: 'Errors',
    level: 'integrity',
    sources: [{ spec: 'A2A 1.0' }],
    page: {
      sent: 'Requests that the agent answers with an unknown task, in JSON-RPC, and an unsupported version, in HTTP+JSON with details.',
      expected: 'Status, code and details come back.',
      why: 'Clients decide by the reason what to do next.',
    },
    plan: () =>
      each([
        rpc('unknown task', 'GetTask', {
          params: marker => ({ id: marker }),
          fields: V1,
          script: () => jsonReply(arrived(ERRORS['unknown task']!.body)),
        }),
        {
          label: 'unsupported version',
          method: 'POST',
          path: '/v1/message:send',
          fields: [
            ['Content-Type', MEDIA_TYPE],
            ['A2A-Version', '9.9'],
          ],
          content: marker => JSON.stringify(message(marker)),
          http11: true,
          isValid: false,
          script: () => jsonReply(ERRORS['unsupported version']!.body, { status: 400 }),
        } satisfies RequestSpec,
      ]),
    judge(evidence) {
      const found = Object.entries(ERRORS).flatMap(([label, { status, body }]): Verdict[] => {
        const call: Call = evidence.call(label)
        if (call.count === 0) return []
        if (call.status !== status) return [fail(`${label}: ${status} came back as ${call.status ?? 'nothing'}`)]
        const changes = jsonDifferences(JSON.stringify(body), JSON.stringify(rpcAnswer(call)))
        const wrong = [...(changes?.missing ?? ['everything']), ...(changes?.changed ?? [])]
        return wrong.length === 0 ? [] : [fail(`${label}: lost or changed: ${wrong.slice(0, 5).join(', ')}`)]
      })
      return found.length === 0 ? pass() : worst(found)
    },
  }),
  a2aCheck({
    id: 'A2A-PUSH',
    title: 'Push notifications through the gateway',
    level: 'observation',
    sources: [],
    when: { counts: true, noDirect: true },
    page: {
      sent: "A message to svc's own agent whose push notifications go to the gateway.",
      expected: 'Whether they come through is reported.',
      why: 'Agents behind a gateway may have no way back through it.',
    },
    plan: ({ gateway: { origin } }) => ({
      connections: [
        {
          requests: [
            {
              label: 'message',
              method: 'POST',
              path: '',
              noMarker: true,
              isValid: false,
              silenceMs: 3_000,
              fields: [['Content-Type', 'application/json'], ...V1],
              content: (marker, encoding) =>
                JSON.stringify({
                  jsonrpc: '2.0',
                  id: 1,
                  method: 'SendMessage',
                  params: {
                    ...message('Weather in Utrecht?'),
                    configuration: {
                      taskPushNotificationConfig: {
                        url: `${origin}${stepPath(encoding, Number(/-(\d+)$/.exec(marker)?.[1] ?? 0))}`,
                      },
                    },
                  },
                }),
            },
          ],
        },
      ],
    }),
    judge(evidence) {
      const sent = evidence.call('message')
      if (sent.count > 0) return note('reaches', { arrivals: sent.count })
      const answer = rpcAnswer(sent)
      if (sent.status === 404 || answer === null) return skip(`not routed: ${sent.status ?? 'closed'}`)
      const { error } = answer
      return isRecord(error)
        ? note(`refused by the agent: ${String(error.code)}`, { message: String(error.message).slice(0, 200) })
        : note('never')
    },
  }),
]
