/** The metric of rules: hits by what the rule did. */
import type { Metrics } from './metrics.ts'

const ACTIONS = ['delay', 'fail', 'abort', 'respond', 'reply'] as const

/** Creates the metric and returns the function that counts a hit. */
export function createRuleHits(metrics: Metrics): (action: (typeof ACTIONS)[number]) => void {
  const hits = metrics.counter('svc_rule_hits_total', 'Requests on which a rule acted, by what it did', ['action'])
  for (const action of ACTIONS) hits.inc({ action }, 0)
  return action => hits.inc({ action })
}
