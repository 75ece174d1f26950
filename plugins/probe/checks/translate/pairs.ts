/** Which pairs of wires a gateway has. They are found before any check runs. */
import { defineCheck, note, skip } from '../../catalog/check.ts'
import { shownPair } from '../../pairs/pair.ts'
import { REPLY_LIMITS, REQUEST_LIMITS, type WireLimits } from '../../wires/types.ts'
import { WIRES } from '../../wires/wires.ts'

/** In words, for people. */
function cannotSay({ request, reply, schemaKeywords, refusedInFormats }: WireLimits): string {
  const named = (limits: Iterable<string>, names: Readonly<Record<string, string>>): string =>
    [...limits].map(limit => names[limit]).join(', ') || 'nothing'
  return [
    `not in requests: ${named(request, REQUEST_LIMITS)}`,
    `not in replies: ${named(reply, REPLY_LIMITS)}`,
    ...(schemaKeywords === null ? [] : [`schemas of tools take only ${[...schemaKeywords].join(', ')}`]),
    ...(refusedInFormats.size === 0 ? [] : [`schemas of replies do not take ${[...refusedInFormats].join(', ')}`]),
  ].join('; ')
}

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
    cannot: Object.fromEntries(WIRES.map(({ id, limits }) => [id, cannotSay(limits)])),
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
