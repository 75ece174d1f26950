/** The group `proc`: gateways that let svc process requests and responses. */
import { defineCheck, fail, note, pass, skip, warn, type Check, type Verdict } from '../../catalog/check.ts'
import { sha256, type Call } from '../../client/evidence.ts'
import { answers, dateField, probeBody, randomBytes, script } from '../builders.ts'
import { asking, isAsked, isUseless, OF_SERVICE, outageOf, outagesOf, shownStatus } from '../service-scenes.ts'

const NOT_ASKED = 'svc is not asked as external processor about the path of the probe'
const proc = asking('proc')
/** Gateways hold back what they have processed up to a limit, often 1 MiB. */
const LONG = 200_000
const PROCESSOR = 'X-Svc-Proc'

const phasesOf = (call: Call): readonly string[] => call.asked.at(-1)?.phases ?? []

/** Why nothing can be said; null if svc was asked and the request arrives. */
function obstacle(call: Call): Verdict | null {
  if (!isAsked(call)) return skip(NOT_ASKED)
  return call.count === 0 ? skip(`a request that nothing stops does not arrive: ${shownStatus(call)}`) : null
}

const PROC_PHASES = defineCheck({
  id: 'PROC-PHASES',
  title: 'Phases that the processor sees',
  group: 'proc',
  since: '2026.2',
  level: 'observation',
  impact: 'low',
  sources: [],
  when: OF_SERVICE,
  page: {
    sent: 'A POST with a body, whose response has one too; the processor changes nothing.',
    expected: 'Nothing: the phases are reported.',
    why: 'A processor that does not see bodies cannot change them; the other checks depend on it.',
  },
  plan: () => ({ connections: [proc('all', null, { method: 'POST', body: 'probe' })] }),
  judge(evidence) {
    const call = evidence.first
    return obstacle(call) ?? note(phasesOf(call).join(', '), { phases: phasesOf(call) })
  },
})

const PROC_HEADERS = defineCheck({
  id: 'PROC-HEADERS',
  title: 'Changes of fields are made',
  group: 'proc',
  since: '2026.2',
  level: 'integrity',
  sources: [],
  when: OF_SERVICE,
  page: {
    sent: 'A request and a response, in each of which the processor adds, replaces and removes a field.',
    expected: 'The changed fields arrive, and come back.',
    why: 'What a processor adds, such as the name of the tenant, other parts rely on.',
  },
  plan: () => ({
    connections: [
      proc(
        'changed',
        {
          mutate: {
            request: {
              headers: { set: { 'x-probe-added': 'in', 'x-probe-replaced': 'in' }, remove: ['x-probe-removed'] },
            },
            response: {
              headers: { set: { 'x-probe-added': 'out', 'x-probe-replaced': 'out' }, remove: ['x-probe-removed'] },
            },
          },
        },
        {
          fields: [
            ['X-Probe-Replaced', 'sent'],
            ['X-Probe-Removed', 'sent'],
          ],
          script: script(step => ({
            fields: [
              dateField(),
              ['Content-Type', 'text/plain'],
              ['X-Probe-Replaced', 'sent'],
              ['X-Probe-Removed', 'sent'],
            ],
            body: probeBody(step),
          })),
        },
      ),
    ],
  }),
  judge(evidence) {
    const call = evidence.first
    const reason = obstacle(call)
    if (reason !== null) return reason
    const phases = phasesOf(call)
    const sides = [
      { phase: 'request_headers', side: 'request', word: 'in', values: (name: string) => call.arrival!.values(name) },
      { phase: 'response_headers', side: 'response', word: 'out', values: (name: string) => call.values(name) },
    ].filter(({ phase }) => phases.includes(phase))
    if (sides.length === 0) return skip(`the processor sees no fields: ${phases.join(', ')}`)
    const wrong = sides.flatMap(({ side, word, values }) => [
      ...['x-probe-added', 'x-probe-replaced']
        .filter(name => values(name).join() !== word)
        .map(name => `${name} of the ${side} is ${JSON.stringify(values(name).join())}`),
      ...(values('x-probe-removed').length > 0 ? [`x-probe-removed of the ${side} is still there`] : []),
    ])
    if (wrong.length > 0) return fail(wrong.join('; '), { phases, wrong })
    return sides.length === 2 ? pass('', { phases }) : note(`only the ${sides[0]!.side} is processed`, { phases })
  },
})

const PROC_BODY = defineCheck({
  id: 'PROC-BODY',
  title: 'Changes of bodies are made',
  group: 'proc',
  since: '2026.2',
  level: 'integrity',
  sources: [],
  when: OF_SERVICE,
  page: {
    sent: 'A request and a response with bodies that the processor writes in upper case.',
    expected: 'The changed bodies arrive and come back, whole.',
    why: 'A body that is redacted, and passes as it was, is a leak.',
  },
  plan: () => ({
    connections: [
      proc('upper', null, {
        method: 'POST',
        body: 'body of the probe',
        fields: [[PROCESSOR, 'upper']],
        script: () => answers({ body: 'answer of the probe' }),
      }),
    ],
  }),
  judge(evidence) {
    const call = evidence.first
    const reason = obstacle(call)
    if (reason !== null) return reason
    const phases = phasesOf(call)
    const sides = [
      {
        phase: 'request_body',
        side: 'request',
        body: call.arrival!.content.toString('latin1'),
        isWhole: call.arrival!.isComplete,
        expected: 'BODY OF THE PROBE',
      },
      {
        phase: 'response_body',
        side: 'response',
        body: call.bodyText,
        isWhole: call.response?.isComplete === true,
        expected: 'ANSWER OF THE PROBE',
      },
    ].filter(({ phase }) => phases.includes(phase))
    if (sides.length === 0) return skip(`the processor sees no bodies: ${phases.join(', ')}`)
    const wrong = sides
      .filter(({ body, isWhole, expected }) => body !== expected || !isWhole)
      .map(
        ({ side, body, isWhole }) =>
          `the ${side} has ${JSON.stringify(body.slice(0, 80))}${isWhole ? '' : ', cut off'}`,
      )
    if (wrong.length > 0) return fail(wrong.join('; '), { phases, wrong })
    return sides.length === 2
      ? pass('', { phases })
      : note(`only the body of the ${sides[0]!.side} is processed`, { phases })
  },
})

const PROC_WHOLE = defineCheck({
  id: 'PROC-WHOLE',
  title: 'Processed bodies stay whole',
  group: 'proc',
  since: '2026.2',
  level: 'integrity',
  sources: [],
  when: OF_SERVICE,
  page: {
    sent: `Bodies of ${LONG} random bytes, in chunks and with a length, in requests and responses; the processor changes nothing.`,
    expected: 'SHA-256 of the content is the same on both sides.',
    why: 'Bodies go through the processor in pieces, and a lost piece corrupts data.',
  },
  plan: () => ({
    inOrder: true,
    isEnough: isUseless('length'),
    connections: (['length', 'chunked'] as const).map((framing, index) =>
      proc(framing, null, {
        method: 'POST',
        framing,
        chunkSize: 7_001,
        body: randomBytes(LONG, index + 1),
        script: () =>
          answers({
            fields: [dateField(), ['Content-Type', 'application/octet-stream']],
            body: randomBytes(LONG, index + 3).toString('latin1'),
            framing,
          }),
      }),
    ),
  }),
  judge(evidence) {
    const reason = evidence.calls.map(obstacle).find(one => one !== null)
    if (reason != null) return reason
    const wrong = evidence.calls.flatMap((call, index) => [
      ...(call.arrival!.record.body_sha256 === sha256(randomBytes(LONG, index + 1)) ? [] : [`request, ${call.label}`]),
      ...(sha256(call.response?.body ?? '') === sha256(randomBytes(LONG, index + 3))
        ? []
        : [`response, ${call.label}`]),
    ])
    const phases = phasesOf(evidence.first)
    return wrong.length === 0 ? pass('', { phases }) : fail(`another body: ${wrong.join('; ')}`, { phases, wrong })
  },
})

const IMMEDIATE = 'immediate answer of the probe'

const PROC_IMMEDIATE = defineCheck({
  id: 'PROC-IMMEDIATE',
  title: 'The processor answers itself',
  group: 'proc',
  since: '2026.2',
  level: 'integrity',
  sources: [],
  when: OF_SERVICE,
  page: {
    sent: 'A request that nothing stops, and one that the processor answers with 403, a field and a body.',
    expected: 'The latter does not arrive, and its client gets the answer of the processor.',
    why: 'A processor that refuses a request must be obeyed.',
  },
  plan: () => ({
    inOrder: true,
    isEnough: isUseless('passes'),
    connections: [
      proc('passes', null),
      proc('answered', {
        mutate: { immediate: { status: 403, headers: { set: { 'x-probe-immediate': '1' } }, body: IMMEDIATE } },
      }),
    ],
  }),
  judge(evidence) {
    const reason = obstacle(evidence.call('passes'))
    if (reason !== null) return reason
    const call = evidence.call('answered')
    const values = { status: call.status, asked: isAsked(call) }
    if (call.count > 0) return fail(`arrives${isAsked(call) ? '' : ', without being asked about'}`, values)
    if (call.status !== 403) return fail(`the client gets ${shownStatus(call)} in place of 403`, values)
    const lost = [
      ...(call.bodyText === IMMEDIATE ? [] : ['the body']),
      ...(call.values('x-probe-immediate').join() === '1' ? [] : ['the field']),
    ]
    return lost.length === 0 ? pass('', values) : warn(`without ${lost.join(' and ')} of the processor`, values)
  },
})

const OUTAGES = outagesOf('processor', {})

const PROC_DOWN = defineCheck({
  id: 'PROC-DOWN',
  title: 'When the processor fails',
  group: 'proc',
  since: '2026.2',
  level: 'hazard',
  sources: [],
  when: { ...OF_SERVICE, breaks: true },
  page: {
    sent: 'A request while the processor fails, resets the stream, and does not reply.',
    expected: 'The request does not arrive.',
    why: 'A processor that redacts or refuses protects nothing while requests pass without it.',
    configure: { Envoy: '`failure_mode_allow: false`, which is the default.' },
  },
  plan: () => ({
    inOrder: true,
    isEnough: isUseless('works'),
    connections: [proc('works', null), ...OUTAGES.map(({ label, then }) => proc(label, then))],
  }),
  judge(evidence) {
    const reason = obstacle(evidence.call('works'))
    if (reason !== null) return reason
    const { open, values } = outageOf(evidence, OUTAGES)
    if (open.length > 0) return warn(`fails open: ${open.map(({ text }) => text).join('; ')}`, values)
    return pass('fails closed', values)
  },
})

export const PROC_CHECKS: readonly Check[] = [
  PROC_PHASES,
  PROC_HEADERS,
  PROC_BODY,
  PROC_WHOLE,
  PROC_IMMEDIATE,
  PROC_DOWN,
]
