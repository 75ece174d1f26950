/** Errors and limits of models, repeated requests, and credentials. */
import { isSecretParameter } from 'svc/toolkit'
import { fail, note, pass, warn, worst, type Verdict } from '../../catalog/check.ts'
import type { ArrivalView } from '../../client/evidence.ts'
import type { Field } from '../../client/response-parser.ts'
import { END, one, RECEIVE, wait, type Action } from '../builders.ts'
import { chat, delta, errorAnswer, errorType, event, piece, readStream, streamHead, WORDS, STREAM_END } from './chat.ts'
import { llmCheck, stream } from './llm-check.ts'

const CLIENT_KEY = 'Bearer probe-client-key'
const FIRST_ERRORS: [status: number, reason: string, type: string][] = [
  [429, 'Too Many Requests', 'rate_limit_exceeded'],
  [500, 'Internal Server Error', 'server_error'],
  [529, 'Overloaded', 'overloaded_error'],
]
const RETRIED: Record<string, () => Action[]> = {
  500: () => errorAnswer(500, 'Internal Server Error', 'server_error'),
  503: () => errorAnswer(503, 'Service Unavailable', 'service_unavailable'),
  429: () => errorAnswer(429, 'Too Many Requests', 'rate_limit_exceeded'),
  closed: () => [RECEIVE, END],
}
const words = (count: number): Action[] => WORDS.slice(0, count).map(word => piece(event(delta({ content: word }))))

export const LLM_ERR_FIRST = llmCheck({
  id: 'LLM-ERR-FIRST',
  title: 'Error before a token',
  level: 'hazard',
  sources: [],
  when: { breaks: true },
  page: {
    sent: 'Streams that are answered with 429, 500 and 529, and one whose first event is an error.',
    expected: 'Status and type of the error come back.',
    why: 'Clients decide by them whether to try again.',
  },
  plan: () => ({
    inOrder: true,
    connections: [
      ...FIRST_ERRORS.map(([status, reason, type]) => stream(String(status), () => errorAnswer(status, reason, type))),
      stream('error event', () => [
        RECEIVE,
        streamHead(),
        piece(event('{"error":{"message":"The probe asked for it.","type":"server_error","code":null}}')),
        ...STREAM_END,
      ]),
    ].map(request => ({ requests: [{ ...request, isValid: false, timeoutMs: 15_000 }] })),
  }),
  judge(evidence) {
    const found: Verdict[] = []
    for (const [status, , type] of FIRST_ERRORS) {
      const call = evidence.call(String(status))
      if (call.status === 200 && readStream(call).content !== '') found.push(fail(`${status} came back as text`))
      else if (call.status !== status) found.push(warn(`${status} came back as ${call.status ?? 'nothing'}`))
      else if (errorType(call) !== type) found.push(warn(`${status}: the type of the error is lost`))
    }
    const last = evidence.call('error event')
    const seen = readStream(last)
    if (seen.content !== '') found.push(fail('an error event came back as text'))
    else if (last.status === 200 && seen.errors === 0) found.push(warn('an error event is lost'))
    return found.length === 0 ? pass() : worst(found)
  },
})

export const LLM_ERR_MID = llmCheck({
  id: 'LLM-ERR-MID',
  title: 'Error in mid-stream',
  level: 'integrity',
  sources: [],
  when: { breaks: true },
  page: {
    sent: 'Five tokens, then the connection is closed; five tokens, then an error event.',
    expected: 'The client can tell that the answer is not complete: the stream breaks off, or has an error.',
    why: 'Half an answer is used as if it were whole.',
  },
  plan: () => ({
    inOrder: true,
    connections: [
      stream('closed', () => [RECEIVE, streamHead(), ...words(5), wait(200), END]),
      stream('error', () => [
        RECEIVE,
        streamHead(),
        ...words(5),
        piece(event('{"error":{"message":"The probe asked for it.","type":"server_error","code":null}}')),
        ...STREAM_END,
      ]),
    ].map(request => ({ requests: [{ ...request, isValid: false }] })),
  }),
  judge(evidence) {
    const found: Verdict[] = []
    for (const label of ['closed', 'error']) {
      const call = evidence.call(label)
      const { content, finish, errors, dones } = readStream(call)
      const isWhole = call.response?.isComplete === true
      if (errors === 0 && finish !== null && (dones > 0 || isWhole))
        found.push(fail(`${label}: ends like a complete answer`))
      else if (content.split('One').length > 2) found.push(fail(`${label}: the content begins a second time`))
      else if (errors === 0 && isWhole && dones > 0) found.push(fail(`${label}: ends with [DONE]`))
      else if (label === 'error' && errors === 0 && isWhole) found.push(fail('the error event is lost'))
      else if (label === 'closed' && errors === 0 && isWhole)
        found.push(warn('closed: the stream that broke off ends in order, without an error'))
    }
    return found.length === 0 ? pass() : worst(found)
  },
})

export const LLM_429 = llmCheck({
  id: 'LLM-429',
  title: 'Limits come through',
  level: 'hazard',
  sources: [],
  when: { breaks: true },
  page: {
    sent: 'A completion that is answered with 429, Retry-After: 7 and x-ratelimit fields.',
    expected: 'All of it comes back.',
    why: 'Clients wait as long as they are asked to.',
  },
  plan: () =>
    one({
      ...chat('429', {
        script: () =>
          errorAnswer(429, 'Too Many Requests', 'rate_limit_exceeded', [
            ['Retry-After', '7'],
            ['x-ratelimit-limit-requests', '60'],
            ['x-ratelimit-remaining-requests', '0'],
          ]),
      }),
      isValid: false,
      timeoutMs: 30_000,
    }),
  judge({ first }) {
    if (first.status !== 429) return warn(`429 came back as ${first.status ?? 'nothing'}`)
    if (first.values('retry-after').join() !== '7') return warn('Retry-After is missing or changed')
    if (errorType(first) !== 'rate_limit_exceeded') return warn('the type of the error is lost')
    return first.values('x-ratelimit-limit-requests').join() === '60' ? pass() : note('x-ratelimit fields are missing')
  },
})

export const LLM_CRED = llmCheck({
  id: 'LLM-CRED',
  title: 'Credentials',
  level: 'hazard',
  sources: [],
  page: {
    sent: 'A completion with a key of the client, answered with an error.',
    expected:
      "A gateway with a key of its own replaces it, in the fields and in the query; no key of the upstream comes back, and the client's is not put into the query.",
    why: 'A key that leaks is used by others, on the bill of its owner; queries are in the logs of every hop.',
  },
  plan: ({ hasCredentials }) => {
    const fields: Field[] = hasCredentials ? [] : [['Authorization', CLIENT_KEY]]
    return one({
      ...chat('key', { fields, script: () => errorAnswer(400, 'Bad Request', 'invalid_request_error') }),
      isValid: false,
    })
  },
  judge({ first }, { hasOwnLlmCredential }) {
    const sent = headerIn(first.record.sent.toString('latin1'), 'authorization')
    const arrived = credentialsOf(first.arrival!)
    const back = `${first.response?.head.toString('latin1') ?? ''}${first.bodyText}`
    const own = arrived.filter(({ key }) => key !== keyOf(sent))
    const shown = own.find(
      ({ key }) => key.length > 3 && [key, encodeURIComponent(key)].some(text => back.includes(text)),
    )
    if (shown !== undefined) return fail(`the upstream's credential (${shown.place}) is in the answer`)
    const passed = arrived.find(({ key }) => key === keyOf(sent))
    const inQuery = arrived.find(({ place }) => place.startsWith('query'))
    if (passed !== undefined && hasOwnLlmCredential)
      return warn(`the client's key arrives at the provider (${passed.place})`)
    if (passed !== undefined && inQuery === passed) return warn(`the client's key is put into the ${passed.place}`)
    const word = passed !== undefined ? 'passed on' : arrived.length === 0 ? 'removed' : 'replaced'
    return note(inQuery === undefined ? word : `${word}, in the ${inQuery.place}`)
  },
})

/** Fields with which clients of models send their key. */
const KEY_FIELDS = ['authorization', 'api-key', 'x-api-key', 'x-goog-api-key']

interface Credential {
  place: string
  key: string
}

/** The keys of a request, in its fields and its query. */
function credentialsOf(arrival: ArrivalView): Credential[] {
  const at = arrival.target.indexOf('?')
  const query = at === -1 ? [] : [...new URLSearchParams(arrival.target.slice(at + 1))]
  return [
    ...KEY_FIELDS.flatMap(name => arrival.values(name).map(value => ({ place: name, key: keyOf(value) }))),
    ...query
      .filter(([name, value]) => isSecretParameter(name, value))
      .map(([name, value]) => ({ place: `query parameter ${name}`, key: keyOf(value) })),
  ]
}

const keyOf = (value: string): string => value.trim().replace(/^Bearer /i, '')

function headerIn(message: string, name: string): string {
  const line = message.split('\r\n').find(one => one.toLowerCase().startsWith(`${name}:`))
  return line?.slice(name.length + 1).trim() ?? ''
}

export const LLM_RETRY = llmCheck({
  id: 'LLM-RETRY',
  title: 'Repeats that are paid for',
  level: 'hazard',
  impact: 'high',
  sources: [],
  when: { alone: true, breaks: true, counts: true },
  page: {
    sent: 'Completions and streams that are answered with 500, 503, 429, a closed connection, and one that breaks off after three tokens.',
    expected: 'Nothing is repeated once tokens have come.',
    why: 'Each attempt is paid for.',
  },
  plan: () => ({
    inOrder: true,
    connections: [
      ...Object.entries(RETRIED).flatMap(([failure, script]) => [
        chat(`plain ${failure}`, { script }),
        stream(`stream ${failure}`, script),
      ]),
      // Not a reset, which discards what a busy gateway has not read.
      stream('stream tokens', () => [RECEIVE, streamHead(), ...words(3), wait(300), END]),
    ].map(request => ({ requests: [{ ...request, isValid: false, timeoutMs: 30_000 }] })),
  }),
  judge(evidence) {
    const arrivals = Object.fromEntries(evidence.calls.map(({ label, count }) => [label, count]))
    if ((arrivals['stream tokens'] ?? 0) > 1) return fail('repeated after tokens had come', { arrivals })
    const repeated = Object.entries(arrivals).filter(([, count]) => count > 1)
    const text = repeated.map(([label, count]) => `${label} (${count} times)`).join(', ')
    if (repeated.some(([, count]) => count > 3)) return warn(`repeated often: ${text}`, { arrivals })
    return repeated.length > 0 ? note(`repeated: ${text}`, { arrivals }) : pass('', { arrivals })
  },
})
