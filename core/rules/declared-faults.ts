/** Faults that plugins declare for their routes, requested by a word: `X-Svc-Fail: sold_out`, or `fail: sold_out` of a rule. */
import type { DeclaredFault } from '../contract/declarations.ts'

/** A declared fault with its word. */
export interface NamedFault extends DeclaredFault {
  word: string
}

/** What may replace parts of a declared fault. */
export interface FaultDetails {
  message?: string | null
  code?: string | null
}

export class DeclaredFaults {
  readonly #byPlugin: ReadonlyMap<string, Readonly<Record<string, DeclaredFault>>>

  constructor(byPlugin: ReadonlyMap<string, Readonly<Record<string, DeclaredFault>>> = new Map()) {
    this.#byPlugin = byPlugin
  }

  /** The fault of a plugin; null if it declares none with this word. */
  find(plugin: string | null, word: string | null): NamedFault | null {
    const faults = plugin === null ? undefined : this.#byPlugin.get(plugin)
    if (faults === undefined || word === null || !Object.hasOwn(faults, word)) return null
    return { word, ...faults[word]! }
  }

  /** The words that a plugin declares. */
  words(plugin: string | null): string[] {
    return Object.keys((plugin === null ? undefined : this.#byPlugin.get(plugin)) ?? {})
  }

  /** The words of all plugins, with their status. */
  statuses(): Map<string, number> {
    return new Map(
      [...this.#byPlugin.values()].flatMap(faults =>
        Object.entries(faults).map(([word, { status }]) => [word, status] as const),
      ),
    )
  }
}

/** The body of a declared fault: that of the declaration, or `{ error, details }` as `refusal` sends it. */
export function declaredBody(fault: NamedFault, { message, code }: FaultDetails = {}): Record<string, unknown> {
  if (fault.body !== undefined && message == null && code == null) return { ...fault.body }
  return { error: code ?? fault.code ?? fault.word, details: message ?? fault.message }
}
