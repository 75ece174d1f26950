/**
 * An agent's conversation with its model: requests in the shape of a real client, each with what came back before. What it cannot
 * go on with is named, as is what a client would not notice.
 */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Json, JsonObject } from 'svc/plugin'
import { InputProblem, isRecord } from 'svc/toolkit'
import type { ProbeConversations, SeenReply } from '../../../probe/types.ts'
import { readAgentShape, type AgentStart, type ModelShape } from '../../file/agent-shape.ts'
import type { AgentTraffic } from '../../file/demo.ts'
import { replaceReferences, scopeOf } from '../../file/references.ts'
import { sessionKey } from '../context.ts'
import type { SentRequest } from '../sent.ts'
import { sendHost } from './agent-host.ts'
import { withResult, type AgentResult } from './agent-result.ts'
import { sendRequest, type SendOptions } from './request.ts'

const DEFAULT_TURNS = 20

/** The last one has the fact `agent`; those of turns have their number as `turn`. */
export async function sendAgent(traffic: AgentTraffic, options: SendOptions): Promise<SentRequest[]> {
  const { context } = options
  const text = await readFile(join(context.agentsFolder, `${traffic.client}.yaml`), 'utf8')
  const shape = readAgentShape(text, traffic.scenario)
  if (shape.kind === 'host') return sendHost(shape, traffic, options)
  const conversations = await context.conversations()
  if (conversations === undefined) throw new InputProblem('agent', 'the plugin probe is off')
  return new Conversation(shape, traffic, { ...options, conversations }).run()
}

type ConversationOptions = SendOptions & { conversations: ProbeConversations }

class Conversation {
  readonly #shape: ModelShape
  readonly #options: ConversationOptions
  readonly #headers: Record<string, string>
  readonly #bearer: string | null
  readonly #maxTurns: number
  readonly #tools: ReadonlySet<string>
  readonly #items: Json[]
  readonly #sent: SentRequest[] = []
  readonly #result: AgentResult = { turns: 0, completed: false, error: null, lost: [] }

  constructor(shape: ModelShape, { headers, bearer, turns }: AgentTraffic, options: ConversationOptions) {
    this.#shape = shape
    this.#options = options
    const key = bearer ?? sessionKey(options.context)
    const scope = scopeOf({ key, run: options.context.id })
    this.#headers = {
      'content-type': 'application/json',
      ...(replaceReferences(shape.headers, 'headers', scope).value as Record<string, string>),
      ...headers,
    }
    this.#bearer = bearer
    this.#maxTurns = turns ?? DEFAULT_TURNS
    this.#tools = namesIn(shape.body.tools ?? null)
    this.#items = [...shape.first]
  }

  async run(): Promise<SentRequest[]> {
    const { start, prompt, prompts } = this.#shape
    this.#items.push(this.#promptItem(prompt, prompts[0] ?? ''))
    for (const one of start) await this.#begin(one)
    for (const [index, text] of prompts.entries()) {
      if (index > 0) this.#items.push(this.#promptItem(prompt, text))
      if (!(await this.#answered())) break
    }
    this.#result.completed = this.#result.error === null
    return withResult(this.#sent, this.#result)
  }

  #promptItem(prompt: Json, text: string): Json {
    return replaceReferences(prompt, 'prompt', scopeOf({ prompt: text })).value
  }

  /** A request before the first turn. */
  async #begin({ method, path, members, times, counts }: AgentStart): Promise<void> {
    const whole = this.#body()
    const body =
      members === null ? null : Object.fromEntries(Object.entries(whole).filter(([key]) => members.includes(key)))
    const all = await Promise.all(Array.from({ length: times }, () => this.#send(method, path, body)))
    const failed = all.find(
      one => one.status !== 200 || (counts !== null && typeof memberOf(one.body, counts) !== 'number'),
    )
    if (failed !== undefined)
      this.#lose(
        failed.status === 200
          ? `${path} without ${counts}`
          : `${path}, answered with ${failed.status ?? failed.error ?? 'nothing'}`,
      )
  }

  /** Asks the model until it calls no more tools. False: the agent cannot go on. */
  async #answered(): Promise<boolean> {
    const { path, reminder, results } = this.#shape
    const { conversations } = this.#options
    for (;;) {
      if (this.#result.turns >= this.#maxTurns)
        return this.#fail(`the model calls tools for more than ${this.#maxTurns} turns`)
      this.#result.turns++
      const sent = await this.#send('POST', path, this.#body(), true)
      if (sent.status === null) return this.#fail(`no answer: ${sent.error ?? 'the connection was closed'}`)
      const request = { method: 'POST', target: path }
      const answer = {
        status: sent.status,
        fields: sent.answerFields,
        body: sent.body,
        isComplete: sent.error === null,
      }
      const reply = conversations.read(request, answer)
      if (reply === null) throw new InputProblem('agent', `${path} is not a path of a model`)
      if (reply.error !== null) return this.#fail(`${reply.error.status}: ${reply.error.message.slice(0, 300)}`)
      if (sent.status !== 200) return this.#fail(`answered with ${sent.status}`)
      this.#check(reply)
      const returned = reply.calls.map(({ id, name, args }) => ({ id, name, text: resultOf(results, name, args) }))
      this.#items.push(...(conversations.continued(request, { turn: reply.turn, results: returned }) as Json[]))
      if (reply.calls.length === 0) return true
      if (reminder !== null) addBlock(this.#items.at(-1), reminder)
    }
  }

  /** What is wrong with a reply that an agent can go on with, for a while. */
  #check({ calls, thoughts, problems }: SeenReply): void {
    const { conversation, thinks } = this.#shape
    for (const problem of problems) this.#lose(problem)
    for (const { id, name } of calls) {
      if (!this.#tools.has(name))
        this.#lose(`the name of a tool: ${name.slice(0, 100)} was called, which the agent does not have`)
      // Gemini has ids for parallel calls only.
      if (id === null && conversation !== 'contents') this.#lose(`the id of the call of ${name}`)
    }
    if (!thinks || calls.length === 0) return
    const isSigned = thoughts.some(({ signature }) => signature !== null) || calls[0]!.signature !== null
    if (!isSigned) this.#lose(thoughts.length === 0 ? 'the thought before a call' : 'the signature of a thought')
  }

  #lose(what: string): void {
    this.#result.lost.push({ turn: this.#result.turns, what })
  }

  #fail(error: string): false {
    this.#result.error = error
    return false
  }

  #body(): JsonObject {
    const { body, conversation, mark } = this.#shape
    const items = structuredClone(this.#items)
    const [last] = blocksOf(items.at(-1)).slice(-1)
    if (isRecord(last)) Object.assign(last, mark)
    return { ...body, [conversation]: items }
  }

  async #send(method: string, path: string, body: JsonObject | null, isTurn = false): Promise<SentRequest> {
    const sent = await sendRequest(
      {
        method,
        path,
        headers: this.#headers,
        body: body === null ? null : JSON.stringify(body),
        bearer: this.#bearer,
      },
      this.#options,
    )
    const facts: Record<string, Json> = isTurn ? { turn: this.#result.turns, keeps: this.#shape.keeps } : {}
    this.#sent.push({ ...sent, facts })
    return sent
  }
}

function blocksOf(item: Json | undefined): Json[] {
  const content = isRecord(item) ? (item.content as Json | undefined) : undefined
  return Array.isArray(content) ? content : []
}

function addBlock(item: Json | undefined, block: Json): void {
  const blocks = blocksOf(item)
  if (blocks.length > 0) blocks.push(block)
}

/** Names of tools, in all forms of the formats. */
function namesIn(value: Json): Set<string> {
  if (Array.isArray(value)) return new Set(value.flatMap(one => [...namesIn(one)]))
  if (!isRecord(value)) return new Set()
  const own = typeof value.name === 'string' ? [value.name] : []
  const inner = [value.function, value.functionDeclarations, value.tools].map(one => namesIn((one ?? null) as Json))
  return new Set([...own, ...inner.flatMap(names => [...names])])
}

/** The text for the tool, with the arguments of the call in place of their names. */
function resultOf(results: Readonly<Record<string, string>>, name: string, args: unknown): string {
  const text = Object.hasOwn(results, name) ? results[name]! : `${name} is done.`
  const given = isRecord(args) ? args : {}
  const scope = { valueOf: (key: string) => String(given[key] ?? ''), names: () => Object.keys(given) }
  return String(replaceReferences(text, `results.${name}`, scope).value)
}

function memberOf(body: string, name: string): unknown {
  try {
    const value: unknown = JSON.parse(body)
    return isRecord(value) ? value[name] : undefined
  } catch {
    return undefined
  }
}
