/** The expectation `compare`: the same requests straight to svc, and what the gateway adds. */
import type { CompareTest, Traffic } from '../../file/demo.ts'
import type { RunContext } from '../context.ts'
import { sendAll } from '../sender.ts'
import { fieldValues, type SentRequest } from '../sent.ts'
import type { Outcome, StepEvidence } from './result.ts'
import { createChecker } from './tests.ts'
import { quantile, shownValue, testWords } from './words.ts'

export async function judgeCompare(
  { same, differ, addedMs, rounds }: CompareTest,
  { context }: StepEvidence,
  traffic: readonly Traffic[],
): Promise<Outcome> {
  const expected = [
    same.length === 0 ? '' : `${same.join(', ')} as without the gateway`,
    differ.length === 0 ? '' : `${differ.join(', ')} other than without the gateway`,
    ...Object.entries(addedMs).map(([name, test]) => testWords(`${name} of the added ms`, test)),
  ]
    .filter(text => text !== '')
    .join(', ')
  const single = traffic.slice(0, 1).map(one => ({ ...one, times: 1, perSecond: null, forMs: null, concurrency: 1 }))
  const direct = directly(context)
  let first: [SentRequest, SentRequest] | null = null
  const added: number[] = []
  // Both ways alternate, so that a slow machine slows both.
  for (let round = 0; round < rounds && !context.signal.aborted; round++) {
    const [through] = await sendAll(single, context)
    const [straight] = await sendAll(single, direct)
    if (through === undefined || straight === undefined) continue
    // Only of the first round the answers are needed.
    first ??= [through, straight]
    added.push(through.ms - straight.ms)
  }
  if (first === null) return { verdict: 'not-judged', expected, got: 'nothing to compare: the step sends nothing' }
  const partOf = (sent: SentRequest, name: string): string =>
    name === 'status'
      ? String(sent.status)
      : name === 'body'
        ? sent.body
        : fieldValues(sent.answerFields, name.slice('header.'.length)).join(', ')
  const [through, straight] = first
  const isSame = (name: string): boolean => partOf(through, name) === partOf(straight, name)
  const wrong = [...same.filter(name => !isSame(name)), ...differ.filter(isSame)]
  const checker = createChecker()
  const numbers = { p50: Math.round(quantile(added, 0.5) * 10) / 10, p99: Math.round(quantile(added, 0.99) * 10) / 10 }
  const slow = Object.entries(addedMs).filter(
    ([name, test]) => !checker.holds(name, test, [numbers[name as keyof typeof numbers]]),
  )
  const shown = [
    ...wrong.map(
      name =>
        `${name} is ${shownValue(partOf(through, name))}, without the gateway ${shownValue(partOf(straight, name))}`,
    ),
    ...(rounds > 1 ? [`added in ${added.length} rounds: p50 ${numbers.p50} ms, p99 ${numbers.p99} ms`] : []),
  ]
  return {
    verdict: wrong.length === 0 && slow.length === 0 ? 'seen' : 'not-seen',
    expected,
    got: shown.length === 0 ? 'as expected' : shown.join('; '),
  }
}

function directly(context: RunContext): RunContext {
  const { control, target } = context
  return {
    ...context,
    mark: 'header',
    target: {
      address: control.address,
      isDirect: true,
      trust: { ca: null, insecure: true, name: null },
      host: null,
      fields: target.fields,
      prefix: '',
      routes: null,
    },
  }
}
