/** Whether the gateway reuses answers; other rules depend on it. */
import { defineCheck, note } from '../../catalog/check.ts'
import { answers, dateField, rfc } from '../builders.ts'

const cacheable = (step: number): ReturnType<typeof answers> =>
  answers({
    fields: [dateField(), ['Content-Type', 'text/plain'], ['Cache-Control', 'public, max-age=60']],
    body: `probe ${step} answer {{n}}`,
  })

export const CCH_STORE = defineCheck({
  id: 'CCH-STORE',
  title: 'Reuse of answers',
  group: 'caching',
  since: '2026.1',
  level: 'observation',
  sources: rfc(9111, '3'),
  when: { first: true, counts: true },
  page: {
    sent: 'The same GET three times, a second apart; the answer may be reused for 60 seconds.',
    expected: 'Whether the gateway asks the upstream each time is reported.',
    why: 'A cache may answer itself, so other rules are judged differently.',
  },
  plan: () => ({
    connections: [
      { requests: [{ label: 'first', script: cacheable }] },
      { delayMs: 1_000, requests: [{ label: 'second', sameAs: 'first', script: cacheable }] },
      { delayMs: 1_000, requests: [{ label: 'third', sameAs: 'first', script: cacheable }] },
    ],
    inOrder: true,
  }),
  judge(evidence) {
    const { count } = evidence.first
    const last = evidence.call('third')
    const shown = ['age', 'x-cache', 'cache-status', 'x-varnish'].filter(name => last.values(name).length > 0)
    const reuses = count < 3
    return note(
      reuses ? `reuses: ${count} of 3 arrived${shown.length === 0 ? '' : ` (${shown.join(', ')})`}` : 'no reuse',
      {
        reuses,
        arrived: count,
        shown,
      },
    )
  },
})
