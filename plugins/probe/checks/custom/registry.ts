/** The checks of other plugins, and the catalog with them. */
import { forPlugin, type PersonalPoint } from 'svc/plugin'
import type { Check } from '../../catalog/check.ts'
import type { CustomCheck, CustomPairCheck, ProbeChecks } from '../../types.ts'
import { CATALOG } from '../index.ts'
import { checkOf } from './custom-check.ts'
import { pairCheckOf } from './custom-pair-check.ts'
import { checkProblem } from './validation.ts'

const MAX_CHECKS = 200

/** A registry that records which plugin adds a check. */
export function createCheckRegistry(own: string): ProbeChecks & PersonalPoint<ProbeChecks> {
  const added: (CustomCheck | CustomPairCheck)[] = []
  const owners = new Map<string, string>()
  const registryOf = (plugin: string): ProbeChecks => ({
    add(check) {
      const problem = checkProblem(check)
      if (problem !== null) throw new Error(`the check ${shownId(check)} is not valid: ${problem}`)
      const owner = owners.get(check.id)
      if (owner !== undefined) throw new Error(`the check ${check.id} of ${plugin} was already added by ${owner}`)
      if (added.length >= MAX_CHECKS) throw new Error(`plugins can add at most ${MAX_CHECKS} checks`)
      owners.set(check.id, plugin)
      added.push({ ...check })
    },
    list: () => added,
  })
  return { ...registryOf(own), [forPlugin]: registryOf }
}

/** The catalog with the checks of other plugins; without them if there is no extension point. */
export function catalogWith(point: ProbeChecks | undefined): readonly Check[] {
  return point === undefined
    ? CATALOG
    : [...CATALOG, ...point.list().map(one => ('forPairs' in one ? pairCheckOf(one) : checkOf(one)))]
}

function shownId(check: unknown): string {
  const id: unknown = typeof check === 'object' && check !== null && 'id' in check ? check.id : undefined
  return JSON.stringify(String(id).slice(0, 100))
}
