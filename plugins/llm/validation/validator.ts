/** The rules of all routes, and what a request that is not stricter or more lenient itself gets. */
import { unknownName } from 'svc/toolkit'
import type { RequestHeaders } from '../contract/provider.ts'
import type { RouteValidation, Violation } from '../contract/validation.ts'
import { problemOfNames, strictnessOf, type Level, type Strictness, type StrictnessOption } from './level.ts'
import { findViolations, MAX_NODES, orderOf, type RuleOrder } from './violations.ts'

/** Settings of a provider. */
export interface ProviderValidation {
  /** Null: those of the server apply. */
  strictness: Strictness | null
  /** Members that rules about unknown members accept. */
  fields: ReadonlySet<string>
}

export interface ValidatorOptions {
  /** `llm.validation`. */
  option: StrictnessOption | undefined
  /** `SVC_AI_VALIDATION`. */
  level: Level
  /** Logs an error of a plugin. */
  warn(message: string): void
  /** Reports a mistake in svc.yaml. */
  report(at: string, message: string, remedy?: string): void
}

/** A request as it is checked. */
export interface ValidatedInput {
  path: string
  body: Readonly<Record<string, unknown>>
  headers: RequestHeaders
  params: Readonly<Record<string, string>>
  fields: ReadonlySet<string>
}

const NO_EXCEPTIONS: readonly string[] = []

export class Validator {
  /** What applies where neither request, rule nor provider says anything. */
  readonly strictness: Strictness
  readonly #options: ValidatorOptions
  readonly #orders = new Map<RouteValidation, ReadonlyMap<string, RuleOrder>>()
  readonly #ids = new Set<string>()
  readonly #reported = new Set<string>()
  /** Options whose names are checked when all formats are registered. */
  readonly #unchecked: { at: string; option: StrictnessOption }[] = []

  constructor(options: ValidatorOptions) {
    this.#options = options
    const { option, level } = options
    this.strictness = strictnessOf(option) ?? { level, except: [], also: [] }
    this.checkLater('llm.validation', option)
  }

  /** What applies to the requests of a provider where neither request nor rule says anything. */
  strictnessOf(validation: ProviderValidation | undefined): Strictness {
    return validation?.strictness ?? this.strictness
  }

  /** Adds the rules of a route. Throws if two have the same id. */
  add(validation: RouteValidation): void {
    if (this.#orders.has(validation)) return
    this.#orders.set(validation, orderOf(validation))
    for (const { rule } of validation.rules) this.#ids.add(rule)
  }

  /** The ids of all rules. */
  ids(): readonly string[] {
    return [...this.#ids]
  }

  /** All rules, with the flavours that have them. */
  validations(): readonly RouteValidation[] {
    return [...this.#orders.keys()]
  }

  /** Formats register one after the other, so the names in an option are checked last. */
  checkLater(at: string, option: StrictnessOption | undefined): void {
    if (option !== undefined) this.#unchecked.push({ at, option })
  }

  /** Reports names in options that are not rules. */
  checkOptions(): void {
    const ids = this.ids()
    for (const { at, option } of this.#unchecked.splice(0)) {
      if (typeof option === 'string') continue
      for (const list of ['except', 'also'] as const) {
        const problem = problemOfNames(list, option[list] ?? NO_EXCEPTIONS, ids)
        if (problem !== null) this.#options.report(`${at}.${problem.at}`, problem.message, problem.remedy)
      }
    }
  }

  /** The violations of a request, the first the one that its vendor would name. */
  find(
    validation: RouteValidation,
    { path, body, headers, params, fields }: ValidatedInput,
    except: readonly string[] = NO_EXCEPTIONS,
  ): readonly Violation[] {
    return findViolations(
      validation,
      { path, body, headers, params, fields, nodes: { left: MAX_NODES } },
      { order: this.#orders.get(validation) ?? orderOf(validation), except, unknown: rule => this.#unknown(rule) },
    )
  }

  #unknown(rule: string): void {
    if (this.#reported.has(rule)) return
    this.#reported.add(rule)
    const { message } = unknownName('rule', rule, this.ids())
    this.#options.warn(`a route reports a violation of a rule that it does not list: ${message}`)
  }
}
