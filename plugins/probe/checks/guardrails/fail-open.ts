/** What a gateway does when its guardrail service fails. */
import { pass, skip, warn, type PairContext } from '../../catalog/check.ts'
import type { Evidence } from '../../client/evidence.ts'
import { exchangeOf, type ModelCall } from '../../pairs/model-calls.ts'
import { wireOf } from '../../wires/wires.ts'
import { ANSWER, guardCheck, question, QUESTION } from './guarded.ts'

const TIMEOUT_MS = 20_000
const FAILURES = ['unavailable', 'silent'] as const
const SHOWN = { unavailable: 'the service answers 503', silent: 'the service does not answer' } as const

function askCall(context: PairContext, ask: string, others?: (typeof FAILURES)[number]): ModelCall {
  return {
    label: others ?? 'works',
    context,
    request: question(`${ask}${QUESTION}`),
    mode: 'plain',
    step: ANSWER,
    ...(others === undefined ? {} : { others }),
    more: { timeoutMs: TIMEOUT_MS, silenceMs: TIMEOUT_MS, isValid: false },
  }
}

/** Requests of the gateway to other routes than those of models. */
function asked(evidence: Evidence, { label, context: { wires } }: ModelCall): number {
  return evidence.call(label).arrivals.filter(({ method, target }) => wireOf(wires, method, target) === null).length
}

export const GRD_FAILOPEN = guardCheck({
  id: 'GRD-FAILOPEN',
  title: 'When the guardrail service fails',
  level: 'hazard',
  when: { breaks: true },
  page: {
    sent: 'A prompt for which the gateway asks the guardrail service of svc, which answers 503, and then not at all.',
    expected: 'The prompt does not arrive at the model.',
    why: 'A guardrail that lets everything pass while its service is down can be switched off by overloading the service.',
  },
  calls: ([context], _value, ask) => [
    askCall(context, ask),
    ...FAILURES.map(failure => askCall(context, ask, failure)),
  ],
  judge(evidence, [context]) {
    const values = Object.fromEntries(
      ['works', ...FAILURES].map(label => {
        const { arrivals, received } = exchangeOf(evidence, { label, context, mode: 'plain' })
        const isAsked = asked(evidence, { ...askCall(context, ''), label }) > 0
        return [label, { asked: isAsked, arrives: arrivals.length > 0, status: received?.native.status ?? null }]
      }),
    )
    const tried = FAILURES.filter(failure => values[failure]!.asked)
    if (tried.length === 0) return skip('no guardrail service of svc was asked')
    if (!values.works!.arrives)
      return skip(`the prompt does not arrive while the service works: ${values.works!.status ?? 'closed'}`)
    const open = tried.filter(failure => values[failure]!.arrives).map(failure => SHOWN[failure])
    return open.length > 0 ? warn(`fails open: ${open.join('; ')}`, values) : pass('fails closed', values)
  },
})
