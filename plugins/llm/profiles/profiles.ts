/** The latency profiles by name: built-in ones, and those of svc.yaml. */
import { type Json } from 'svc/plugin'
import { unknownName } from 'svc/toolkit'
import { BadInput } from '../contract/errors.ts'
import { isInline, readInlineProfile, readProfile, type Profile } from './profile.ts'

const BUILT_IN: Readonly<Record<string, Json>> = {
  instant: { ttft: 0, gap: 0 },
  fast: { ttft: { lognormal: { median: 120, p99: 350 } }, gap: { normal: { mean: 8, sd: 2 } } },
  typical: {
    ttft: { lognormal: { median: 450, p99: 1800 } },
    gap: { normal: { mean: 18, sd: 5 } },
    prefill_ms_per_token: 0.1,
  },
  slow: {
    ttft: { lognormal: { median: 1500, p99: 6000 } },
    gap: { normal: { mean: 60, sd: 20 } },
    prefill_ms_per_token: 0.5,
  },
  thinking: { ttft: { lognormal: { median: 4000, p99: 15_000 } }, gap: { normal: { mean: 25, sd: 8 } } },
}

const HEADER = 'X-Svc-Profile'

export class Profiles {
  readonly #byName = new Map<string, Profile>()

  constructor(own: Readonly<Record<string, Json>>, report: (at: string, details: string) => void) {
    for (const [name, value] of Object.entries(BUILT_IN))
      this.#byName.set(name, readProfile(value, '', { name, source: 'built-in' }))
    for (const [name, value] of Object.entries(own)) {
      const at = `llm.profiles.${name}`
      try {
        this.#byName.set(name, readProfile(value, at, { name, source: 'svc.yaml' }))
      } catch (error) {
        if ((error as { code?: unknown }).code !== 'SVC_INPUT_PROBLEM') throw error
        const problem = error as Error & { at: string }
        report(problem.at, problem.message)
      }
    }
  }

  get(name: string): Profile | undefined {
    return this.#byName.get(name)
  }

  list(): Profile[] {
    return [...this.#byName.values()]
  }

  names(): string[] {
    return [...this.#byName.keys()]
  }

  /** A profile by name, or an inline one. Throws an `InputProblem` for a wrong one; undefined: the name is unknown. */
  find(text: string): Profile | undefined {
    return isInline(text) ? readInlineProfile(text) : this.get(text)
  }

  /** The profile that the header names. Throws `BadInput`: a typo must not look like a fast model. */
  ofHeader(text: string): Profile {
    try {
      const profile = this.find(text.trim())
      if (profile !== undefined) return profile
    } catch (error) {
      if ((error as { code?: unknown }).code !== 'SVC_INPUT_PROBLEM') throw error
      const { at, message } = error as Error & { at: string }
      throw new BadInput(`${HEADER}: ${at === '' ? '' : `${at}: `}${message}`, { param: HEADER })
    }
    const { message } = unknownName('profile', text.trim().slice(0, 100), this.names())
    throw new BadInput(`${HEADER}: ${message}`, { param: HEADER })
  }
}
