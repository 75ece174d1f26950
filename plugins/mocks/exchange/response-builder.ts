/** Builds the responses of a call: from the document, from the body of a rule, or a problem. */
import type { PlannedCallbacks } from './callbacks.ts'
import type { OperationCall } from './engine.ts'
import { subjectOf } from './subject.ts'
import { PROBLEMS, problemBody, type ProblemCode } from '../errors.ts'
import { mergePatch, type Json, type JsonObject } from '../document/json.ts'
import { referencedRequest } from 'svc/toolkit'
import { appliedPreferences } from '../request/prefer.ts'
import type { Violation } from '../request/validation.ts'
import { serializeBody, type Serialized } from '../response/body-text.ts'
import type { Rendered } from '../response/rendering.ts'
import type { ChosenType } from '../response/representation.ts'
import { headerText } from '../response/response-headers.ts'
import { choiceForStatus, type Choice } from '../api/response-choice.ts'
import type { Outcome } from '../rules/outcome.ts'
import { fillText, fillValue, type TemplateScope } from '../rules/template.ts'
import { SeededRandom } from '../schema/seed.ts'

/** A response, and where it came from. */
export interface MockResponse {
  status: number
  /** A header can occur more than once. */
  headers: [string, string][]
  body: Buffer | null
  /** Whether to close the connection without a response. */
  abort: boolean
  delayMs: number
  source: string
  rule: string | null
  violations: Violation[]
  credential: string | null
  /** Requests that the response causes. */
  callbacks?: PlannedCallbacks
}

/** The source of the decision, and modifications of the response. */
export interface Decision {
  outcome: Outcome | null
  /** Null if the source is the origin of the body. */
  source: string | null
  rule: string | null
}

export interface ProblemOptions {
  status?: number
  extra?: JsonObject
  headers?: [string, string][]
  source?: string
}

export class ResponseBuilder {
  readonly #call: OperationCall
  #drawn = 0
  #scope: TemplateScope | undefined

  constructor(call: OperationCall) {
    this.#call = call
  }

  /** A response of the document, modified by a rule or override. */
  fromChoice(choice: Choice, decision: Decision): MockResponse {
    const chosen = this.#chosen(choice, decision.outcome?.mediaType)
    const rejection = this.#notAcceptable(chosen)
    if (rejection) return rejection
    const { rendered, preferred } = this.#render(choice, chosen)
    const merge = decision.outcome?.merge
    const own = decision.outcome?.mediaType ?? rendered.contentType
    const changed =
      merge === undefined && own === rendered.contentType ? null : this.#changed(rendered, decision.outcome, own)
    const response = this.#response(
      choice.status,
      changed?.bytes ?? rendered.bytes,
      changed?.type ?? own,
      decision.source ?? rendered.source,
      decision,
    )
    response.headers.push(...rendered.headers.map(([name, value]): [string, string] => [name, value]))
    const applied = preferred && appliedPreferences(preferred)
    if (applied) response.headers.push(['Preference-Applied', applied])
    this.#applyHeaders(response, decision.outcome)
    return response
  }

  /** The body of a rule or override, with the media type of the document's response. */
  fromBody(body: Json, choice: Choice | undefined, status: number, decision: Decision): MockResponse {
    const chosen = choice && this.#chosen(choice, null)
    const contentType =
      decision.outcome?.mediaType ??
      chosen?.type ??
      (typeof body === 'string' && !choice ? 'text/plain; charset=utf-8' : 'application/json')
    const filled = this.#fillValue(body, decision.outcome)
    const merge = decision.outcome?.merge
    const value = merge === undefined ? filled : mergePatch(filled, this.#fillValue(merge, decision.outcome))
    const { bytes, type } = this.#serialize(value, contentType, chosen?.media.schema)
    const response = this.#response(status, bytes, type, decision.source ?? 'generated', decision)
    this.#applyHeaders(response, decision.outcome)
    return response
  }

  /** A status that the document does not define, without a body. */
  empty(status: number, decision: Decision): MockResponse {
    const response = this.#response(status, null, null, decision.source ?? 'generated', decision)
    this.#applyHeaders(response, decision.outcome)
    return response
  }

  abort(rule: string): MockResponse {
    return { ...this.#response(502, null, null, `rule:${rule}`, { outcome: null, source: null, rule }), abort: true }
  }

  /** A rejection by security or validation: the document's response if defined, otherwise a problem. */
  reject(code: ProblemCode, detail: string, options: ProblemOptions): MockResponse {
    const status = PROBLEMS[code].status
    const choice = this.#refusalChoice(status)
    if (!choice) return this.problem(code, detail, options)
    const { rendered } = this.#render(choice, this.#chosen(choice, null))
    const response = this.#response(choice.status, rendered.bytes, rendered.contentType, 'error', {
      outcome: null,
      source: null,
      rule: null,
    })
    const own = new Set((options.headers ?? []).map(([name]) => name.toLowerCase()))
    response.headers.push(
      ...rendered.headers
        .filter(([name]) => !own.has(name.toLowerCase()))
        .map(([name, value]): [string, string] => [name, value]),
      ...(options.headers ?? []),
      ['X-Svc-Mock-Error', code],
    )
    return response
  }

  /** Sends 400 instead of 422 if the document defines only 400. */
  #refusalChoice(status: number): Choice | undefined {
    const { operation } = this.#call
    const declares = (name: string): boolean => operation.responses.some(response => response.status === name)
    if (status === 422 && !declares('422') && declares('400')) return choiceForStatus(operation, 400)
    return choiceForStatus(operation, status)
  }

  /** A problem response of the engine (RFC 9457). */
  problem(code: ProblemCode, detail: string, options: ProblemOptions): MockResponse {
    const { context, operation } = this.#call
    const status = options.status ?? PROBLEMS[code].status
    const body = problemBody(code, status, detail, { mock: context.mock, operation: operation.key, ...options.extra })
    const response = this.#response(
      status,
      Buffer.from(JSON.stringify(body)),
      'application/problem+json',
      options.source ?? 'error',
      { outcome: null, source: null, rule: null },
    )
    response.headers.push(...(options.headers ?? []), ['X-Svc-Mock-Error', code])
    return response
  }

  /** Expands the template references in a text. */
  fill(text: string, outcome: Outcome): string {
    return outcome.isTemplate ? fillText(text, this.#templates()) : text
  }

  #fillValue(value: Json, outcome: Outcome | null): Json {
    return outcome?.isTemplate === false ? value : fillValue(value, this.#templates())
  }

  /** The media type of a response; `wanted` replaces `Accept`. */
  #chosen(choice: Choice, wanted: string | null | undefined): ChosenType | undefined {
    const { incoming, live } = this.#call
    return live.renderer.representations.choose(choice, wanted ?? incoming.header('accept'))
  }

  #notAcceptable(chosen: ChosenType | undefined): MockResponse | null {
    const { live, violations } = this.#call
    const { validation } = live.parts.settings
    if (!chosen || chosen.fits || validation === 'off') return null
    const available = [...chosen.offered]
    if (validation === 'enforce')
      return this.problem('not_acceptable', 'no media type of the response is acceptable', { extra: { available } })
    violations.push({
      in: 'header',
      path: '/accept',
      keyword: 'media_type',
      message: `no media type of the response is acceptable (${available.join(', ')})`,
    })
    return null
  }

  #render(
    choice: Choice,
    chosen: ChosenType | undefined,
  ): { rendered: Rendered; preferred: OperationCall['preferences'] | null } {
    const { live, operation, path, preferences, incoming, context } = this.#call
    const { settings } = live.parts
    const isAsked =
      preferences.code !== null ||
      preferences.example !== null ||
      preferences.dynamic !== null ||
      preferences.seed !== null
    // Responses with a random seed are never reused, so they are not cached.
    const wanted = preferences.seed === 'random' ? `random ${context.random()}` : (preferences.seed ?? '')
    const seed = [context.mock, settings.seed, wanted].join('\u0002')
    const rendered = live.renderer.render(
      {
        operation,
        choice,
        dynamic: preferences.dynamic ?? settings.dynamic,
        seed,
        path,
        echo: settings.echo,
        requestBody: incoming.json,
        budgets: context,
      },
      chosen,
    )
    return { rendered, preferred: isAsked ? preferences : null }
  }

  /** Patches the rendered value, or encodes it as another media type. */
  #changed(rendered: Rendered, outcome: Outcome | null, type: string | null): Serialized | null {
    const merge = outcome?.merge
    if (rendered.value === undefined && merge === undefined) return null
    const value =
      merge === undefined ? (rendered.value ?? null) : mergePatch(rendered.value, this.#fillValue(merge, outcome))
    return this.#serialize(value, type ?? 'application/json', rendered.schema)
  }

  #serialize(value: Json, type: string, schema: Json | undefined): Serialized {
    const { live, context } = this.#call
    const { output, writing: steps } = context
    return serializeBody(value, { type, schema, encoding: undefined, api: live.api, output, steps })
  }

  #response(
    status: number,
    body: Buffer | null,
    contentType: string | null,
    source: string,
    decision: Decision,
  ): MockResponse {
    const { violations, credential, live, skipped } = this.#call
    const headers: [string, string][] = contentType === null || body === null ? [] : [['Content-Type', contentType]]
    if (skipped !== null)
      headers.push(['X-Svc-Mock-Validation', `skipped; reason="${headerText(skipped.replaceAll(/["\\]/g, "'"))}"`])
    return {
      status,
      headers,
      body,
      abort: false,
      delayMs: live.parts.settings.delayMs + (decision.outcome?.delayMs ?? 0),
      source,
      rule: decision.rule,
      violations,
      credential,
    }
  }

  /** Headers of a rule or override replace existing headers. */
  #applyHeaders(response: MockResponse, outcome: Outcome | null): void {
    for (const [name, value] of Object.entries(outcome?.headers ?? {})) {
      response.headers = response.headers.filter(([other]) => other.toLowerCase() !== name.toLowerCase())
      for (const line of [value].flat()) response.headers.push([name, headerText(this.fill(line, outcome!))])
    }
  }

  #templates(): TemplateScope {
    const call = this.#call
    const { path, count, context, operation } = call
    this.#scope ??= {
      request: referencedRequest(subjectOf(call), () => path),
      get state() {
        return call.memory.state
      },
      count,
      session: context.session,
      mock: context.mock,
      operation: operation.key,
      get output() {
        return context.output
      },
      now: () => context.now(),
      uuid: () => seededUuid(this.#seed('uuid')),
      draw: () => new SeededRandom(this.#seed('draw')).next(),
    }
    return this.#scope
  }

  /** Another one each time. */
  #seed(kind: 'uuid' | 'draw'): string {
    const { context, live, operation, count } = this.#call
    const parts = [context.mock, live.parts.settings.seed, context.session, operation.key, count, this.#drawn++]
    return [...parts, ...(kind === 'uuid' ? [] : [kind])].join('\u0003')
  }
}

/** A deterministic UUID v4 for a seed. */
function seededUuid(seed: string): string {
  const random = new SeededRandom(seed)
  return `${random.hex(8)}-${random.hex(4)}-4${random.hex(3)}-${'89ab'.charAt(random.integer(0, 3))}${random.hex(3)}-${random.hex(12)}`
}
