/** What a run creates at the upstream, and removes again: rules, mocks, issuers, tokens. */
import type { JsonObject } from 'svc/plugin'
import { isRecord } from 'svc/toolkit'
import type { Demo, StepRule } from '../file/demo.ts'
import { laneSession, sessionsOf, type Mark, type RunContext } from './context.ts'
import { UpstreamError } from './control.ts'

/** Kinds of `POST /_svc/reset` that stay: the records are what the verdict points to. */
const KEPT = new Set(['requests', 'connections'])
/** Rules go with the run even if it crashes. */
const EXPIRES_S = 20 * 60

export class Resources {
  readonly #context: RunContext
  /** Rules of lanes, by lane. */
  readonly #laneRules = new Map<string, Set<string>>()
  readonly #mocks: string[] = []
  readonly #issuers: string[] = []
  /** Kinds that the end resets. */
  #kinds: string[] = []

  constructor(context: RunContext) {
    this.#context = context
  }

  /** Makes sure that the session is empty. Rejects with `UpstreamError` if the control plane refuses. */
  async open(): Promise<void> {
    const { control, id } = this.#context
    const { removed } = await control.get('POST', `/_svc/reset?session=${id}`)
    this.#kinds = Object.keys(isRecord(removed) ? removed : {}).filter(kind => !KEPT.has(kind))
  }

  /** Deploys documents as mocks of the run. */
  async deploy(mocks: Demo['mocks']): Promise<void> {
    for (const [name, document] of Object.entries(mocks)) {
      const own = `${this.#context.id}-${name}`
      await this.#context.control.get('PUT', `/_svc/mocks/${own}`, document)
      this.#mocks.push(own)
    }
  }

  /** The tokens of a demo by name. */
  async tokens(orders: Demo['tokens']): Promise<Record<string, string>> {
    const tokens: Record<string, string> = {}
    for (const [name, { issuer, ...order }] of Object.entries(orders)) {
      const path =
        typeof issuer === 'string' ? `/oauth/i/${encodeURIComponent(issuer)}/debug/token` : '/oauth/debug/token'
      const { token } = await this.#context.control.get('POST', path, order)
      if (typeof token !== 'string')
        throw new UpstreamError(`the token ${name} could not be made: is the plugin identity off?`)
      tokens[name] = token
    }
    return tokens
  }

  async putRules(rules: readonly StepRule[], stepId: string): Promise<void> {
    const { control, id } = this.#context
    for (const [index, { lane, rule }] of rules.entries()) {
      const name = typeof rule.name === 'string' ? rule.name : `step-${stepId}-${index + 1}`
      const body: JsonObject = { expires_in_secs: EXPIRES_S, ...rule, name }
      if (lane === null) {
        await control.get('PUT', `/_svc/rules/${name}?session=${id}`, body)
        continue
      }
      const own = `${id}-${name}`
      const { control: laneControl, session } = sessionsOf(this.#context, lane)
      await laneControl.get('PUT', `/_svc/rules/${own}?session=${session}`, {
        ...body,
        name: own,
        match: withMark(rule.match, this.#context),
      })
      if (!this.#laneRules.has(lane)) this.#laneRules.set(lane, new Set())
      this.#laneRules.get(lane)!.add(own)
    }
  }

  /** By the names that the demo gave them; those that are not there are no mistake. */
  async removeRules(names: readonly string[]): Promise<void> {
    const { control, id } = this.#context
    for (const name of names) {
      await control.ask('DELETE', `/_svc/rules/${name}?session=${id}`)
      for (const [lane, own] of this.#laneRules)
        if (own.delete(`${id}-${name}`))
          await sessionsOf(this.#context, lane).control.ask(
            'DELETE',
            `/_svc/rules/${id}-${name}?session=${laneSession(lane)}`,
          )
    }
  }

  /** Settings, keys and faults of issuers. */
  async identity({ issuer, rotate, faults }: JsonObject): Promise<void> {
    const { control } = this.#context
    if (isRecord(issuer)) {
      const { name, ...settings } = issuer
      const path = `/_svc/identity/issuers/${encodeURIComponent(String(name ?? 'default'))}`
      await control.get('PUT', path, settings)
      if (typeof name === 'string' && name !== 'default') this.#issuers.push(path)
    }
    if (typeof rotate === 'string')
      await control.get('POST', `/_svc/identity/issuers/${encodeURIComponent(rotate)}/rotate`, {})
    if (isRecord(faults)) {
      const { issuer: of = 'default', ...body } = faults
      await control.get('PUT', `/_svc/identity/issuers/${encodeURIComponent(String(of))}/faults`, body)
    }
  }

  /** Never rejects: what can't be removed expires. */
  async close(): Promise<void> {
    const { control, id } = this.#context
    const removals: (() => Promise<unknown>)[] = [
      ...[...this.#laneRules].flatMap(([lane, names]) =>
        [...names].map(name => () => {
          const { control: laneControl, session } = sessionsOf(this.#context, lane)
          return laneControl.ask('DELETE', `/_svc/rules/${name}?session=${session}`)
        }),
      ),
      ...this.#mocks.map(name => () => control.ask('DELETE', `/_svc/mocks/${name}`)),
      ...this.#issuers.map(path => () => control.ask('DELETE', path)),
      ...(this.#kinds.length === 0
        ? []
        : [() => control.ask('POST', `/_svc/reset?session=${id}`, { kinds: this.#kinds })]),
    ]
    for (const remove of removals) await remove().catch(() => {})
  }
}

/** A rule of a lane acts on requests of the run alone, by the mark that survived the gateway. */
function withMark(match: unknown, { mark, id }: { mark: Mark | null; id: string }): JsonObject {
  const own = isRecord(match) ? (match as JsonObject) : {}
  if (mark === 'path') return { ...own, url: { contains: id } }
  const header: JsonObject =
    mark === 'baggage'
      ? { baggage: { contains: id } }
      : mark === 'key'
        ? { authorization: { contains: id } }
        : { 'x-svc-session': id }
  return { ...own, header: { ...(isRecord(own.header) ? (own.header as JsonObject) : {}), ...header } }
}
