/** The metric of rules: hits by what the rule did. */
import type { Metrics } from './metrics.ts'

/** Values of the label: plugins add steps. */
const MAX_ACTIONS = 20
const ACTIONS = ['delay', 'fail', 'abort', 'respond', 'reply', 'notify'] as const

/** Creates the metric and returns the function that counts a hit. */
export function createRuleHits(metrics: Metrics): (action: string) => void {
  const hits = metrics.counter('svc_rule_hits_total', 'Requests on which a rule acted, by what it did', ['action'])
  for (const action of ACTIONS) hits.inc({ action }, 0)
  const known = new Set<string>(ACTIONS)
  return action => {
    if (known.size < MAX_ACTIONS) known.add(action)
    hits.inc({ action: known.has(action) ? action : 'other' })
  }
}
