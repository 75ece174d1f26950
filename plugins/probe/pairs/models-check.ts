/** Checks of gateways of models that run once, with the client wires that reach a model, and not for each pair. */
import {
  defineCheck,
  skip,
  type Check,
  type ModelSettings,
  type PairContext,
  type Plan,
  type Verdict,
} from '../catalog/check.ts'
import type { Evidence } from '../client/evidence.ts'

/** What such a check knows of the gateway. */
export interface Models {
  /** The one that most clients speak first; never empty. */
  clients: readonly [PairContext, ...PairContext[]]
  /** Credentials of users. */
  tenants: readonly string[]
  settings: ModelSettings
}

type Own = Omit<Check, 'since' | 'sources' | 'plan' | 'judge' | 'forModels' | 'forPair'>

export interface ModelsCheck extends Own {
  /** Why it is not tried with these models; null: it is. */
  reasonWithout?(models: Models): string | null
  plan(models: Models, facts: { timeoutMs: number }): Plan
  judge(evidence: Evidence, models: Models): Verdict
}

export function modelsCheck({ reasonWithout, plan, judge, when, ...rest }: ModelsCheck): Check {
  const base: Check = {
    ...rest,
    since: '2026.2',
    sources: [],
    when: { ...when, pairs: true, judgesRefusal: true },
    plan: () => ({ connections: [] }),
    judge: () => skip('no pair of wires'),
    forModels(clients, tenants) {
      const { forModels: _made, ...own } = base
      const [first, ...others] = clients
      if (first === undefined) return own
      const models = (settings: ModelSettings): Models => ({ clients: [first, ...others], tenants, settings })
      const reasonOf = (settings: ModelSettings): string | null => reasonWithout?.(models(settings)) ?? null
      return {
        ...own,
        plan: facts => (reasonOf(facts.models) === null ? plan(models(facts.models), facts) : { connections: [] }),
        judge(evidence, facts) {
          const reason = reasonOf(facts.models)
          return reason === null ? judge(evidence, models(facts.models)) : skip(reason)
        },
      }
    },
  }
  return defineCheck(base)
}
