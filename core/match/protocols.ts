/** The protocols that plugins register for conditions: `testing.protocols`. */
import type {
  MatchableRequest,
  MatchField,
  MatchProtocol,
  MatchProtocols,
  MessageSteps,
  ReadFacts,
} from '../contract/testing.ts'
import { forPlugin, type PersonalPoint } from '../contract/plugin.ts'

/** A protocol with the readers of all plugins that registered it. */
export interface RegisteredProtocol {
  readonly name: string
  readonly fields: Readonly<Record<string, MatchField>>
  readonly headOnly: boolean
  /** What rules can do, if it is a protocol of requests within others; null otherwise. */
  readonly messages: MessageSteps | null
  /** Path prefixes of the requests; null: any. */
  readonly paths: readonly string[] | null
  read(request: MatchableRequest): ReadFacts | Promise<ReadFacts>
}

/** The protocols of one generation. */
export class ProtocolRegistry implements PersonalPoint<MatchProtocols> {
  readonly #byName = new Map<
    string,
    { protocol: MatchProtocol; readers: MatchProtocol['read'][]; paths: MatchProtocol['paths'][] }
  >()
  readonly #byPlugin = new Map<string, MatchProtocol[]>()
  readonly #words: ReadonlyMap<string, number>

  /** `words`: words for failures that no protocol has, with their status. */
  constructor(words: ReadonlyMap<string, number> = new Map()) {
    this.#words = words
  }

  [forPlugin](plugin: string): MatchProtocols {
    return { register: protocol => this.#register(plugin, protocol) }
  }

  #register(plugin: string, protocol: MatchProtocol): void {
    if (!/^[a-z]{1,32}$/.test(protocol.name))
      throw new Error(`the protocol name "${protocol.name}" must be 1 to 32 lower-case letters`)
    const known = this.#byName.get(protocol.name)
    if (known === undefined)
      this.#byName.set(protocol.name, { protocol, readers: [protocol.read], paths: [protocol.paths] })
    else if (Object.keys(known.protocol.fields).join() === Object.keys(protocol.fields).join()) {
      if (!known.readers.includes(protocol.read)) known.readers.push(protocol.read)
      known.paths.push(protocol.paths)
    } else throw new Error(`the protocol "${protocol.name}" is registered with other fields`)
    this.#byPlugin.set(plugin, [...(this.#byPlugin.get(plugin) ?? []), protocol])
  }

  get names(): string[] {
    return [...this.#byName.keys()]
  }

  find(name: string): RegisteredProtocol | undefined {
    const known = this.#byName.get(name)
    if (known === undefined) return undefined
    const { protocol, readers, paths } = known
    return {
      name,
      fields: protocol.fields,
      headOnly: protocol.headOnly ?? false,
      messages: protocol.messages ?? null,
      paths: paths.includes(undefined) ? null : paths.flatMap(pathsOf => pathsOf!()),
      read: request => firstFacts(readers, request),
    }
  }

  /** The protocols that a plugin registered. */
  ofPlugin(plugin: string | null): readonly MatchProtocol[] {
    return plugin === null ? [] : (this.#byPlugin.get(plugin) ?? [])
  }

  /** The protocol whose routes can send replies that rules define; undefined if none can. */
  replyReader(): { name: string; readReply: NonNullable<MatchProtocol['readReply']> } | undefined {
    for (const [name, { protocol }] of this.#byName)
      if (protocol.readReply !== undefined) return { name, readReply: protocol.readReply }
    return undefined
  }

  /** The words for failures, with their status. */
  failures(): ReadonlyMap<string, number> {
    const words = new Map(this.#words)
    for (const { protocol } of this.#byName.values())
      for (const [word, status] of Object.entries(protocol.failures?.() ?? {})) words.set(word, status)
    return words
  }
}

/** The facts of the first reader that knows the request; a promise only if one of them reads asynchronously. */
function firstFacts(
  [read, ...others]: readonly MatchProtocol['read'][],
  request: MatchableRequest,
): ReadFacts | Promise<ReadFacts> {
  if (read === undefined) return null
  const items = read(request)
  if (items instanceof Promise) return items.then(found => found ?? firstFacts(others, request))
  return items ?? firstFacts(others, request)
}
