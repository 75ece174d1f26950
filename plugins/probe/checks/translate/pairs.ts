/** Which pairs of wires a gateway has. They are found before any check runs. */
import { defineCheck, note, skip } from '../../catalog/check.ts'
import { shownPair } from '../../pairs/pair.ts'

export const TRN_PAIRS = defineCheck({
  id: 'TRN-PAIRS',
  title: 'Pairs of wires',
  group: 'translate',
  since: '2026.2',
  level: 'observation',
  impact: 'low',
  sources: [],
  when: { pairs: true, noDirect: true, judgesRefusal: true },
  page: {
    sent: 'One small request to each model on each client wire.',
    expected: 'Nothing: the pairs that arrive are those that the other checks of the group test.',
    why: 'A gateway that translates loses other things on each way; what is not routed is not tested.',
  },
  plan: () => ({ connections: [] }),
  judge(_evidence, { pairs }) {
    if (pairs.length === 0) return skip('the gateway names no model: give llm.models in --routes')
    const tested = pairs.filter(({ state }) => state === 'tested')
    const others = pairs.length - tested.length
    const names = tested.map(({ pair }) => shownPair(pair))
    const summary = names.length === 0 ? 'no pair is routed' : names.join(', ')
    return note(others === 0 ? summary : `${summary}; ${others} not tested`, { pairs })
  },
})
