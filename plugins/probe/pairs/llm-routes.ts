/** The key `llm` of the routes file: where the wires of a gateway of models live, and what it is called there. */
import { isRecord } from 'svc/toolkit'
import type { Field } from '../client/response-parser.ts'
import { guess, readRoute, rejectUnknown, RoutesProblem, type GroupRoute } from '../client/routes-text.ts'
import { BASE_KEYS, PRESETS, type BaseKey } from './presets.ts'

export const MARKS = ['cache_control', 'prompt_cache_breakpoint', 'none'] as const
export type Marks = (typeof MARKS)[number]

export interface RoutedModel {
  name: string
  /** Client wires that know it; null: all. */
  wires: readonly string[] | null
  headers: readonly Field[]
}

/** Dollars for a million tokens. */
export interface Prices {
  input: number
  output: number
  cached?: number
  cache_write_5m?: number
  cache_write_1h?: number
}

export interface LlmRoutes {
  /** Base URLs by wire; empty: those of svc. */
  bases: Readonly<Record<string, GroupRoute>>
  /** Client wires that are tried; null: all that have a base. */
  wires: readonly string[] | null
  /** Null: the gateway's own list. */
  models: readonly RoutedModel[] | null
  headers: readonly Field[]
  marks: Marks
  /** A model with two deployments, which are used in order, or in turn. */
  fallback: string | null
  replicas: string | null
  /** Credentials of users. */
  tenants: readonly string[]
  /** `byModel` is empty if the prices are those of all models. */
  cost: { header: string; all: Prices | null; byModel: Readonly<Record<string, Prices>> } | null
  spend: { url: string; id: string; value: string; waitS: number } | null
  /** Has `{q}`. */
  cache: string
  embeddings: readonly string[] | null
}

export const NO_LLM_ROUTES: LlmRoutes = {
  bases: {},
  wires: null,
  models: null,
  headers: [],
  marks: 'none',
  fallback: null,
  replicas: null,
  tenants: [],
  cost: null,
  spend: null,
  cache: '{q}',
  embeddings: null,
}

const KEYS = [
  'preset',
  ...BASE_KEYS,
  'wires',
  'model',
  'models',
  'credential',
  'headers',
  'marks',
  'fallback',
  'replicas',
  'tenants',
  'cost',
  'spend',
  'cache',
  'embeddings',
] as const

/** The wires that have a base. */
const WIRES_OF_BASE: Readonly<Record<BaseKey, readonly string[]>> = {
  openai: ['chat', 'responses'],
  anthropic: ['messages'],
  gemini: ['gemini'],
  bedrock: ['converse'],
  azure: ['azure'],
  cohere: ['cohere'],
}
const WIRES = Object.values(WIRES_OF_BASE).flat()
const PRICES = ['input', 'output', 'cached', 'cache_write_5m', 'cache_write_1h'] as const
const MAX_NAME = 200
const MAX_MODELS = 40
const MAX_TENANTS = 10
const MAX_WAIT_S = 60
const DEFAULT_WAIT_S = 2

export interface RoutesContext {
  /** For `${NAME}` in headers. */
  environment: Readonly<Record<string, string | undefined>>
  /** Wires of other plugins. */
  moreWires: readonly string[]
}

export interface ReadLlm {
  llm: LlmRoutes
  /** Of the group `llm`; null: the default. */
  openai: GroupRoute | null
  model: string | null
  ownCredential: boolean
}

/** Throws `RoutesProblem`. */
export function readLlm(value: unknown, context: RoutesContext): ReadLlm {
  if (value === undefined) return { llm: NO_LLM_ROUTES, openai: null, model: null, ownCredential: false }
  if (!isRecord(value)) throw new RoutesProblem('routes: llm must be a mapping, such as {openai: /v1}')
  const { moreWires } = context
  const known = [...WIRES, ...moreWires]
  rejectUnknown('llm.', value, [...KEYS, ...moreWires])
  const preset = readPreset(value.preset)
  const bases = readBases(value, preset?.bases ?? {}, moreWires)
  if (value.model !== undefined) nameOf('llm.model', value.model)
  const { credential } = value
  if (credential !== undefined && credential !== 'gateway' && credential !== 'client')
    throw new RoutesProblem('routes: llm.credential must be "gateway" or "client"')
  const models = value.models === undefined ? null : readModels(value.models, known, context)
  const marks = value.marks ?? preset?.marks ?? 'none'
  if (!isOneOf(MARKS, marks)) throw new RoutesProblem(`routes: llm.marks must be one of ${MARKS.join(', ')}`)
  const optionalName = (key: 'fallback' | 'replicas'): string | null =>
    value[key] === undefined ? null : nameOf(`llm.${key}`, value[key])
  return {
    llm: {
      bases,
      wires: value.wires === undefined ? null : readWires('llm.wires', value.wires, known),
      models,
      headers: value.headers === undefined ? [] : readHeaders('llm.headers', value.headers, context),
      marks,
      fallback: optionalName('fallback'),
      replicas: optionalName('replicas'),
      tenants: value.tenants === undefined ? [] : readTenants(value.tenants),
      cost: value.cost === undefined ? null : readCost(value.cost, preset?.costHeader ?? null),
      spend: value.spend === undefined ? null : readSpend(value.spend),
      cache: value.cache === undefined ? '{q}' : readCache(value.cache),
      embeddings:
        value.embeddings === undefined
          ? null
          : listOf('llm.embeddings', value.embeddings, MAX_MODELS).map((one, at) =>
              nameOf(`llm.embeddings[${at}]`, one),
            ),
    },
    openai: bases.chat ?? null,
    model: (value.model as string | undefined) ?? models?.[0]?.name ?? null,
    ownCredential: credential === 'gateway',
  }
}

function readPreset(value: unknown): (typeof PRESETS)[string] | null {
  if (value === undefined) return null
  const name = typeof value === 'string' ? value : ''
  if (!Object.hasOwn(PRESETS, name))
    throw new RoutesProblem(
      `routes: llm.preset: unknown preset "${String(value).slice(0, 50)}"${guess(name, Object.keys(PRESETS))}`,
    )
  return PRESETS[name]!
}

/** The file wins over the preset. */
function readBases(
  value: Record<string, unknown>,
  preset: Readonly<Partial<Record<BaseKey, string>>>,
  moreWires: readonly string[],
): Record<string, GroupRoute> {
  const bases: Record<string, GroupRoute> = {}
  for (const key of BASE_KEYS) {
    const text = value[key] ?? preset[key]
    if (text === undefined) continue
    const route = readRoute(`llm.${key}`, text)
    for (const wire of WIRES_OF_BASE[key]) bases[wire] = route
  }
  for (const wire of moreWires) if (value[wire] !== undefined) bases[wire] = readRoute(`llm.${wire}`, value[wire])
  return bases
}

function readWires(at: string, value: unknown, known: readonly string[]): string[] {
  return listOf(at, value, known.length).map(word => {
    if (typeof word === 'string' && known.includes(word)) return word
    const text = typeof word === 'string' ? word : ''
    throw new RoutesProblem(`routes: ${at}: unknown wire "${String(word).slice(0, 50)}"${guess(text, known)}`)
  })
}

function readModels(value: unknown, wires: readonly string[], context: RoutesContext): RoutedModel[] {
  return listOf('llm.models', value, MAX_MODELS).map((one, index) => {
    const at = `llm.models[${index}]`
    if (!isRecord(one)) return { name: nameOf(at, one), wires: null, headers: [] }
    rejectUnknown(`${at}.`, one, ['model', 'wires', 'headers'])
    return {
      name: nameOf(`${at}.model`, one.model),
      wires: one.wires === undefined ? null : readWires(`${at}.wires`, one.wires, wires),
      headers: one.headers === undefined ? [] : readHeaders(`${at}.headers`, one.headers, context),
    }
  })
}

function readHeaders(at: string, value: unknown, { environment }: RoutesContext): Field[] {
  if (!isRecord(value)) throw new RoutesProblem(`routes: ${at} must be a mapping of names to values`)
  return Object.entries(value).map(([name, given]) => {
    const place = `${at}.${name.slice(0, 100)}`
    if (!/^[!#$%&'*+.^_`|~\w-]{1,200}$/.test(name))
      throw new RoutesProblem(`routes: ${place} is not the name of a field`)
    if (name.toLowerCase() === 'host') throw new RoutesProblem(`routes: ${place}: the Host field is given as --host`)
    if (typeof given !== 'string' && typeof given !== 'number')
      throw new RoutesProblem(`routes: ${place} must be a text`)
    const text = String(given).replaceAll(/\$\{(\w{1,100})\}/g, (_all, variable: string) => {
      const set = environment[variable]
      if (set === undefined) throw new RoutesProblem(`routes: ${place}: the variable ${variable} is not set`)
      return set
    })
    if (text.length > 8_192 || /[^\t\u0020-\u007e\u0080-\u00ff]/.test(text))
      throw new RoutesProblem(`routes: ${place}: the value has control characters, or is too long`)
    return [name, text] as const
  })
}

function readTenants(value: unknown): string[] {
  const tenants = listOf('llm.tenants', value, MAX_TENANTS).map((one, index) => {
    if (typeof one !== 'string' || !/^[\u0021-\u007e]{1,8192}$/.test(one))
      throw new RoutesProblem(`routes: llm.tenants[${index}] must be a credential`)
    return one
  })
  if (tenants.length < 2) throw new RoutesProblem('routes: llm.tenants must have two or more credentials')
  if (new Set(tenants).size < tenants.length)
    throw new RoutesProblem('routes: llm.tenants must have different credentials')
  return tenants
}

function readCost(value: unknown, presetHeader: string | null): LlmRoutes['cost'] {
  if (!isRecord(value)) throw new RoutesProblem('routes: llm.cost must be a mapping with header and prices')
  rejectUnknown('llm.cost.', value, ['header', 'prices'])
  const header = value.header ?? presetHeader
  if (typeof header !== 'string' || !/^[\w-]{1,200}$/.test(header))
    throw new RoutesProblem('routes: llm.cost.header must be the name of a field')
  const { prices } = value
  if (!isRecord(prices)) throw new RoutesProblem('routes: llm.cost.prices must be a mapping')
  const isByModel = Object.values(prices).some(isRecord)
  if (!isByModel) return { header, all: readPrices('llm.cost.prices', prices), byModel: {} }
  const byModel = Object.entries(prices).map(
    ([model, one]) => [model, readPrices(`llm.cost.prices.${model.slice(0, 50)}`, one)] as const,
  )
  return { header, all: null, byModel: Object.fromEntries(byModel) }
}

function readPrices(at: string, value: unknown): Prices {
  if (!isRecord(value)) throw new RoutesProblem(`routes: ${at} must be a mapping`)
  rejectUnknown(`${at}.`, value, PRICES)
  for (const key of PRICES) {
    const price = value[key]
    if (price === undefined && key !== 'input' && key !== 'output') continue
    if (typeof price !== 'number' || !Number.isFinite(price) || price < 0)
      throw new RoutesProblem(`routes: ${at}.${key} must be a number that is not negative`)
  }
  return value as unknown as Prices
}

function readSpend(value: unknown): LlmRoutes['spend'] {
  if (!isRecord(value)) throw new RoutesProblem('routes: llm.spend must be a mapping with url, id and value')
  rejectUnknown('llm.spend.', value, ['url', 'id', 'value', 'wait_s'])
  const { url, id, value: pointer, wait_s: waitS = DEFAULT_WAIT_S } = value
  if (typeof url !== 'string' || !/^\/[\w.~%/?=&{}-]{0,500}$/.test(url) || !url.includes('{id}'))
    throw new RoutesProblem('routes: llm.spend.url must be a path with {id}')
  if (typeof id !== 'string' || !/^[\w-]{1,200}$/.test(id))
    throw new RoutesProblem('routes: llm.spend.id must be the name of a field of answers')
  if (typeof pointer !== 'string' || !/^(?:\/(?:[^~/]|~[01])*)+$/.test(pointer) || pointer.length > 500)
    throw new RoutesProblem('routes: llm.spend.value must be a JSON pointer such as /0/spend')
  if (typeof waitS !== 'number' || !(waitS >= 0 && waitS <= MAX_WAIT_S))
    throw new RoutesProblem(`routes: llm.spend.wait_s must be a number from 0 to ${MAX_WAIT_S}`)
  return { url, id, value: pointer, waitS }
}

function readCache(value: unknown): string {
  if (typeof value !== 'string' || !value.includes('{q}') || value.length > 10_000)
    throw new RoutesProblem('routes: llm.cache must be a text with {q}')
  return value
}

function nameOf(at: string, value: unknown): string {
  // oxlint-disable-next-line no-control-regex -- control characters are what it looks for
  if (typeof value !== 'string' || value === '' || value.length > MAX_NAME || /[\u0000-\u001f\u007f]/.test(value))
    throw new RoutesProblem(`routes: ${at} must be the name of a model, of at most ${MAX_NAME} characters`)
  return value
}

function listOf(at: string, value: unknown, max: number): unknown[] {
  if (!Array.isArray(value) || value.length === 0 || value.length > max)
    throw new RoutesProblem(`routes: ${at} must be a list of 1 to ${max} entries`)
  return value
}

function isOneOf<T extends string>(words: readonly T[], value: unknown): value is T {
  return words.some(word => word === value)
}
