/** The shape of an agent's requests: `agents/<client>.yaml`. What a run decides is left to `run/traffic/agent.ts`. */
import type { Json, JsonObject } from 'svc/plugin'
import { asObject, below, InputProblem, parseYaml, pointerTokens, valueAt } from 'svc/toolkit'
import type { McpAction } from './demo.ts'
import { headersOf, readAction } from './read-traffic.ts'
import { Part } from './values.ts'

/** A request before the first turn. */
export interface AgentStart {
  method: string
  path: string
  /** Members of the body of a turn; null: no body. */
  members: string[] | null
  /** Sent at the same time. */
  times: number
  /** A member of the answer that must be a number; null: only the status is judged. */
  counts: string | null
}

export interface ModelShape {
  kind: 'model'
  start: AgentStart[]
  path: string
  headers: Record<string, string>
  /** Headers whose values must arrive. */
  keeps: string[]
  /** Without the conversation. */
  body: JsonObject
  /** The member of the body that has the conversation. */
  conversation: string
  /** Items in front of the first prompt. */
  first: Json[]
  /** An item, with `{{prompt}}`. */
  prompt: Json
  /** A block behind the results of tools; null: none. */
  reminder: Json | null
  /** Members of the last block of the conversation. */
  mark: JsonObject
  /** The agent returns the thoughts of the model, with their signatures. */
  thinks: boolean
  prompts: string[]
  /** By the name of the tool, with references to its arguments. */
  results: Record<string, string>
}

export interface HostShape {
  kind: 'host'
  path: string
  lists: McpAction[]
  /** Called if the server lists a tool of this name, or one that ends with it. */
  calls: { name: string; arguments: JsonObject }[]
  /** How long its stream is open before it leaves. */
  streamMs: number
}

export type AgentShape = ModelShape | HostShape

const SHAPE = [
  'start',
  'path',
  'headers',
  'keeps',
  'body',
  'fill',
  'conversation',
  'first',
  'prompt',
  'reminder',
  'mark',
  'thinks',
  'prompts',
  'results',
]
const HOST = ['path', 'lists', 'calls', 'stream_ms']
const FILE = ['client', 'about', 'scenarios', 'host', ...SHAPE]

/** What a scenario says replaces what the file says. Throws `InputProblem`; `scenario` null: the first one. */
export function readAgentShape(text: string, scenario: string | null): AgentShape {
  const file = new Part(parseYaml(text).value as Json, '', FILE)
  if (file.has('host')) return readHost(file)
  const scenarios = file.object('scenarios')
  const name = scenario ?? Object.keys(scenarios)[0] ?? ''
  if (!Object.hasOwn(scenarios, name))
    throw new InputProblem('scenario', `expected one of ${Object.keys(scenarios).join(', ')}`)
  const { client: _client, about: _about, scenarios: _all, ...common } = file.given
  const part = new Part({ ...common, ...asObject(scenarios[name], 'scenarios') }, `scenarios.${name}`, SHAPE)
  return {
    kind: 'model',
    start: part.list('start', 10).map((one, index) => readStart(one, below(part.place('start'), index))),
    path: part.path('path'),
    headers: headersOf(part, 'headers'),
    keeps: part.texts('keeps', 10),
    body: filled(part.object('body'), part),
    conversation: part.text('conversation'),
    first: part.list('first', 10),
    prompt: part.object('prompt'),
    reminder: part.has('reminder') ? part.object('reminder') : null,
    mark: part.object('mark'),
    thinks: part.flag('thinks'),
    prompts: part.texts('prompts', 20),
    results: part.named('results'),
  }
}

function readStart(value: Json, at: string): AgentStart {
  const part = new Part(value, at, ['method', 'path', 'members', 'times', 'counts'])
  return {
    method: part.textOr('method', 'GET'),
    path: part.path('path'),
    members: part.has('members') ? part.texts('members', 20) : null,
    times: part.integerOr('times', 1, 10, 1),
    counts: part.optionalText('counts'),
  }
}

function readHost(file: Part): HostShape {
  const part = new Part(file.given.host, 'host', HOST)
  return {
    kind: 'host',
    path: part.path('path'),
    lists: part.list('lists', 10).map((one, index) => readAction(one, below(part.place('lists'), index))),
    calls: part.list('calls', 10).map((one, index) => {
      const call = new Part(one, below(part.place('calls'), index), ['name', 'arguments'])
      return { name: call.text('name'), arguments: call.object('arguments') }
    }),
    streamMs: part.integerOr('stream_ms', 10, 10_000, 300),
  }
}

/** Adds tools to the list at `fill.at`, until it has `fill.to`: agents with MCP servers have many. */
function filled(body: JsonObject, part: Part): JsonObject {
  if (!part.has('fill')) return body
  const fill = new Part(part.given.fill, part.place('fill'), ['at', 'to', 'as'])
  const copy = structuredClone(body)
  const list = valueAt(copy, pointerTokens(fill.text('at')) ?? [])
  if (!Array.isArray(list)) throw new InputProblem(fill.place('at'), 'expected the pointer of a list')
  const template = JSON.stringify(fill.object('as'))
  const to = fill.integer('to', 1, 200)
  for (let number = list.length + 1; number <= to; number++)
    list.push(JSON.parse(template.replaceAll('{{number}}', String(number))) as Json)
  return copy
}
