/**
 * What each check says of a wrong proxy, for its page: `findings.json` of the plugin, which the tests of wrong proxies write
 * with `SVC_WRITE_DOCS=1`.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { CATALOG } from '../../plugins/probe/checks/index.ts'
import type { RunResult } from '../../plugins/probe/client/probe-run.ts'
import { root } from '../support/examples.ts'

export interface ShownFinding {
  /** The fault of the proxy. */
  proxy: string
  verdict: string
  summary: string
}
export type ShownFindings = Record<string, ShownFinding>

const FILE = join(root, 'plugins', 'probe', 'catalog', 'findings.json')
export const WRITES_FINDINGS = process.env.SVC_WRITE_DOCS !== undefined

function readFindings(): ShownFindings {
  return JSON.parse(readFileSync(FILE, 'utf8')) as ShownFindings
}

/** What the pages of checks show that need the models of a gateway, and of the others. */
export function findingsBy(needsModels: boolean): ShownFindings {
  const ids = new Set(
    CATALOG.filter(({ forModels, forPair }) => (forModels !== undefined || forPair !== undefined) === needsModels).map(
      ({ id }) => id,
    ),
  )
  return Object.fromEntries(Object.entries(readFindings()).filter(([id]) => ids.has(id)))
}

interface Found {
  id: string
  finding: ShownFinding
}

/** Of several findings of a check, a `fail` counts before a `warn`, and then the first. `more`: only for checks without any. */
export function writeFindings(found: readonly Found[], { more = false } = {}): void {
  const all = readFindings()
  const best = new Map<string, ShownFinding>()
  for (const verdict of ['fail', 'warn'])
    for (const { id, finding } of found) if (finding.verdict === verdict && !best.has(id)) best.set(id, finding)
  for (const [id, finding] of best) if (!more || all[id] === undefined) all[id] = finding
  const ordered = Object.fromEntries(CATALOG.flatMap(({ id }) => (all[id] === undefined ? [] : [[id, all[id]]])))
  writeFileSync(FILE, `${JSON.stringify(ordered, null, 2)}\n`)
}

/** Findings of a run through a proxy. */
export function findingsOf(proxy: string, { results }: RunResult): Found[] {
  return results
    .filter(({ verdict }) => verdict === 'fail' || verdict === 'warn')
    .map(({ check, verdict, summary }) => ({
      id: check.id,
      finding: { proxy, verdict, summary: withoutPorts(summary) },
    }))
}

/** Ports differ from run to run. */
function withoutPorts(text: string): string {
  return text.replaceAll(/(127\.0\.0\.1):\d+/g, '$1:8000')
}
