/**
 * Problems that hide behind others: a wrong item is left out before its plugin sees it, so what only the plugin can
 * judge comes to light after a correction. Here the corrections are tried: wrong keys are left out and missing ones
 * filled in, in memory only, until nothing new is found.
 */
import { missingKeyIn } from '../config/schema-problems.ts'
import type { Host } from '../host/host.ts'
import type { Finding } from './findings.ts'

/** Problems that hide behind hidden ones are rare. */
const MAX_ROUNDS = 5
const PLACEHOLDER = 'placeholder-of-svc-check'

/** `findings` are those of the configuration as it is; `look` finds those of the host as it is then. */
export async function hiddenFindings(
  host: Host,
  findings: readonly Finding[],
  look: () => Promise<Finding[]>,
): Promise<Finding[]> {
  const corrections = new Corrections(host)
  const known = new Set(findings.map(keyOf))
  const hidden: Finding[] = []
  let latest = findings
  for (let round = 0; round < MAX_ROUNDS && corrections.make(latest); round++) {
    await host.reload({ force: true })
    latest = await look()
    for (const finding of latest) {
      if (known.has(keyOf(finding)) || corrections.caused(finding)) continue
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
  /** What was done at each place. */
  readonly #made = new Map<string, 'removed' | 'filled in'>()

  constructor(host: Host) {
    this.#host = host
  }

  /** False when there is nothing left to correct. */
  make(findings: readonly Finding[]): boolean {
    return findings.filter(finding => this.#makeOne(finding)).length > 0
  }

  #makeOne({ file, at, message }: Finding): boolean {
    if (at === null || file === null || file !== this.#host.configFile) return false
    const missing = missingKeyIn(message)
    const place = missing === null ? at : `${at}.${missing}`
    const before = this.#made.get(place)
    if (before === 'filled in' || (before === 'removed' && missing === null)) return false
    const value = missing === null ? undefined : `${PLACEHOLDER}-${this.#made.size}`
    if (!this.#host.settings.substitute(place, value)) return false
    this.#made.set(place, missing === null ? 'removed' : 'filled in')
    return true
  }

  /** Whether a finding is about what the corrections wrote, not about what is in the file. */
  caused({ file, at, message }: Finding): boolean {
    if (at === null || message.includes(PLACEHOLDER)) return true
    if (file !== this.#host.configFile) return false
    const missing = missingKeyIn(message)
    return [at, ...(missing === null ? [] : [`${at}.${missing}`])].some(place =>
      [...this.#made.keys()].some(
        made => place === made || place.startsWith(`${made}.`) || place.startsWith(`${made}[`),
      ),
    )
  }
}
