/** Which wrong gateways there are for the checks of gateways of models and agents. */
import t from 'tap'
import type { Check } from '../../plugins/probe/catalog/check.ts'
import { CATALOG } from '../../plugins/probe/checks/index.ts'
import { FAULTS_OF_EXCHANGES, FAULTS_OF_REPLIES, FAULTS_OF_REQUESTS } from './ai-gateways/faults.ts'
import { WRONG_GUARDS } from './ai-gateways/wrong-guards.ts'
import { WRONG_MODELS } from './ai-gateways/wrong-models.ts'
import { LIST_GATEWAYS } from './proxies/wrong-list-gateways.ts'
import { WRONG_PROXIES } from './proxies/wrong-proxies.ts'
import { REALTIME_PROXIES } from './proxies/wrong-realtime-proxies.ts'

const AT_LEAST = 2
const GROUPS = ['translate', 'llm', 'guardrails', 'realtime', 'mcp']
/** They report what a gateway does, and never find anything wrong. */
const OBSERVATIONS = ['TRN-PAIRS', 'LLM-ALIVE', 'LLM-CACHE-HIT', 'GRD-BLOCK']

/** By the id that finds them, what is wrong with each. The tests of these lists show that it is the only one. */
function wrongById(): Map<string, string[]> {
  const named = [
    ...Object.entries({
      ...FAULTS_OF_REQUESTS,
      ...FAULTS_OF_REPLIES,
      ...FAULTS_OF_EXCHANGES,
      ...WRONG_MODELS,
      ...WRONG_GUARDS,
    }).map(([name, { id }]) => ({ name, ids: [id] })),
    ...[...WRONG_PROXIES, ...LIST_GATEWAYS, ...REALTIME_PROXIES].map(({ name, caught }) => ({
      name,
      ids: Object.keys(caught),
    })),
  ]
  const found = new Map<string, string[]>()
  for (const { name, ids } of named) for (const id of ids) found.set(id, [...(found.get(id) ?? []), name])
  return found
}

const ofModels = ({ group, since, level, id }: Check): boolean =>
  GROUPS.includes(group) && since >= '2026.2' && level !== 'observation' && !OBSERVATIONS.includes(id)

t.test('at least two wrong gateways are found by each check of models and agents', t => {
  const found = wrongById()
  const own = CATALOG.filter(ofModels).map(({ id }) => id)
  t.ok(own.length > 40, `${own.length} checks`)
  for (const id of own) {
    const wrong = found.get(id) ?? []
    t.ok(new Set(wrong).size >= AT_LEAST, `${id}: ${wrong.join('; ')}`)
  }
  t.end()
})

t.test('those without wrong gateways only observe', t => {
  const found = wrongById()
  for (const id of OBSERVATIONS) {
    t.ok(
      CATALOG.some(check => check.id === id),
      id,
    )
    t.equal(found.get(id), undefined, id)
  }
  t.end()
})
