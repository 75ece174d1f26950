/**
 * Finds problems that other problems hide: an invalid item is removed before its plugin gets the options, so checks by the
 * plugin itself do not run. This module corrects the mistakes in memory (it removes invalid keys and adds missing ones) and
 * reloads until nothing new is found.
 */
import { missingKeyIn } from '../config/schema-problems.ts'
import type { Host } from '../host/host.ts'
import type { Finding } from './findings.ts'

/** Problems are rarely hidden behind several others. */
const MAX_ROUNDS = 5
const PLACEHOLDER = 'placeholder-of-svc-check'

/** `findings` are those of the original configuration. `find` returns the current findings of the host. */
export async function hiddenFindings(
  host: Host,
  findings: readonly Finding[],
  find: () => Promise<Finding[]>,
): Promise<Finding[]> {
  const corrections = new Corrections(host)
  const known = new Set(findings.map(keyOf))
  const hidden: Finding[] = []
  let latest = findings
  for (let round = 0; round < MAX_ROUNDS && corrections.apply(latest); round++) {
    await host.reload({ force: true })
    latest = await find()
    for (const finding of latest) {
      if (known.has(keyOf(finding)) || corrections.haveCaused(finding)) continue
      known.add(keyOf(finding))
      hidden.push(finding)
    }
  }
  return hidden
}

function keyOf({ file, at, message }: Finding): string {
  return JSON.stringify([file, at, message])
}

class Corrections {
  readonly #host: Host
  /** Corrections by path. */
  readonly #applied = new Map<string, 'removed' | 'filled in'>()

  constructor(host: Host) {
    this.#host = host
  }

  /** Returns false if there is nothing left to correct. */
  apply(findings: readonly Finding[]): boolean {
    return findings.filter(finding => this.#applyOne(finding)).length > 0
  }

  #applyOne({ file, at, message }: Finding): boolean {
    if (at === null || file === null || file !== this.#host.configFile) return false
    const missing = missingKeyIn(message)
    const place = missing === null ? at : `${at}.${missing}`
    const before = this.#applied.get(place)
    if (before === 'filled in' || (before === 'removed' && missing === null)) return false
    const value = missing === null ? undefined : `${PLACEHOLDER}-${this.#applied.size}`
    if (!this.#host.settings.substitute(place, value)) return false
    this.#applied.set(place, missing === null ? 'removed' : 'filled in')
    return true
  }

  /** Whether a finding is about a correction, not about the file. */
  haveCaused({ file, at, message }: Finding): boolean {
    if (at === null || message.includes(PLACEHOLDER)) return true
    if (file !== this.#host.configFile) return false
    const missing = missingKeyIn(message)
    return [at, ...(missing === null ? [] : [`${at}.${missing}`])].some(place =>
      [...this.#applied.keys()].some(
        path => place === path || place.startsWith(`${path}.`) || place.startsWith(`${path}[`),
      ),
    )
  }
}
