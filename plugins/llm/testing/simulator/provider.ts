/** Settings of a simulator as an entry of `llm.providers`. */
import type { Json, JsonObject } from 'svc/plugin'
import { isRecord, parseGoDuration } from 'svc/toolkit'
import type { ItemPath, Severity } from '../../../import/types.ts'
import type { SimulatorSettings } from './arguments.ts'

interface Find {
  (path: ItemPath, severity: Severity, message: string): void
}

const FAILURES: Readonly<Record<string, string>> = {
  rate_limit: 'rate_limit',
  invalid_api_key: 'invalid_credential',
  context_length: 'context_length',
  server_error: 'server_error',
  invalid_request: 'bad_request',
  model_not_found: 'not_found',
}
const DEFAULT_CONTEXT = 1024
const DEFAULT_SLOTS = 5
const DEFAULT_QUEUE = 1000
const DEFAULT_BLOCK = 16
const MAX_COUNT = 10_000
const MAX_LORAS = 20
const MAX_NAMES = 50
const MAX_NAME = 100
const MAX_MS = 86_400_000
const MAX_FACTOR = 100
const MAX_TOKENS = 10_000_000
const MAX_BLOCK = 1024
const MAX_GAUGE = 1_000_000
const MAX_PREFILL_MS = 10_000
const MAX_STARTUP_MS = 600_000
const GAUGES: ReadonlyMap<string, string> = new Map([
  ['running-requests', 'running'],
  ['waiting-requests', 'waiting'],
  ['kv-cache-usage', 'kv_usage'],
])
const FUNCTIONS: ReadonlyMap<string, string> = new Map([
  ['oscillate', 'oscillate'],
  ['ramp', 'ramp'],
  ['rampreset', 'ramp'],
  ['squarewave', 'square'],
])
/** Settings that the simulator itself ignores. */
const IGNORED = [
  'config',
  'mm-processor-kwargs',
  'ec-transfer-config',
  'enforce-eager',
  'no-enforce-eager',
  'no-enable-sleep-mode',
  'enable-prefix-caching',
  'no-enable-prefix-caching',
  'tensor-parallel-size',
  'latency-calculator',
  'enable-kvcache',
]

/** The provider; what it cannot have is found. */
export function readProvider(name: string, settings: SimulatorSettings, find: Find): JsonObject {
  const reader = new Reader(settings, find)
  const names = reader.texts('served-model-name')
  const model = reader.texts('model')
  const mode = reader.texts('mode')[0]
  if (mode !== undefined && mode !== 'echo' && mode !== 'random') reader.lost('mode', 'expected echo or random')
  if (mode === 'echo') reader.changed('mode', 'the echo has all messages with their roles, not the last one alone')
  const loras = reader.loras()
  // Those that the simulator serves; it refuses others.
  const models = [...(names.length > 0 ? names : model), ...loras]
  const seed = reader.take('seed')
  const provider: JsonObject = {
    name,
    format: 'openai',
    ...(models.length === 0 ? {} : { models, strict_models: true }),
    mode: mode === 'echo' ? 'echo' : 'random',
    context_window: reader.whole('max-model-len', 1, MAX_TOKENS) ?? DEFAULT_CONTEXT,
    capacity: reader.capacity(),
    ...reader.profile(seed),
    ...reader.failure(),
    metrics: reader.metrics(),
    ...(loras.length === 0 ? {} : { loras }),
    ...reader.start(),
  }
  reader.others()
  return provider
}

class Reader {
  readonly #settings: SimulatorSettings
  readonly #find: Find
  readonly #read = new Set<string>(IGNORED)

  constructor(settings: SimulatorSettings, find: Find) {
    this.#settings = settings
    this.#find = find
  }

  take(name: string): Json | undefined {
    this.#read.add(name)
    return this.#settings.get(name)?.value
  }

  lost(name: string, message: string): void {
    this.#find(this.#settings.get(name)?.path ?? [], 'lost', message)
  }

  changed(name: string, message: string): void {
    this.#find(this.#settings.get(name)?.path ?? [], 'changed', message)
  }

  /** Texts of a list, or separated by spaces or commas. */
  texts(name: string): string[] {
    const value = this.take(name)
    if (value === undefined || value === null) return []
    const texts = (Array.isArray(value) ? value.map(String) : String(value).split(/[\s,]+/)).filter(text => text !== '')
    const kept = texts.filter(text => text.length <= MAX_NAME).slice(0, MAX_NAMES)
    if (kept.length < texts.length)
      this.lost(name, `expected at most ${MAX_NAMES} names of at most ${MAX_NAME} characters`)
    return kept
  }

  /** A number from `min` to `max`; others are lost. */
  number(name: string, min: number, max: number): number | undefined {
    const value = this.take(name)
    if (value === undefined || value === null) return undefined
    const number = typeof value === 'object' || value === '' ? Number.NaN : Number(value)
    if (number >= min && number <= max) return number
    this.lost(name, `expected a number from ${min} to ${max}`)
    return undefined
  }

  whole(name: string, min: number, max: number): number | undefined {
    const number = this.number(name, min, max)
    return number === undefined ? undefined : Math.round(number)
  }

  /** Milliseconds of a duration; a number has no unit. */
  duration(name: string, max = MAX_MS): number | undefined {
    const value = this.take(name)
    if (value === undefined || value === null) return undefined
    const ms = typeof value === 'number' || /^\d+$/.test(String(value)) ? Number(value) : parseGoDuration(String(value))
    if (ms !== null && ms >= 0 && ms <= max) return Math.round(ms * 1000) / 1000
    this.lost(name, `expected a duration such as 100ms, of at most ${max} ms`)
    return undefined
  }

  capacity(): JsonObject {
    const slots = this.whole('max-num-seqs', 1, MAX_COUNT) ?? DEFAULT_SLOTS
    const queue = this.whole('max-waiting-queue-length', 0, MAX_COUNT) ?? DEFAULT_QUEUE
    const factor = this.number('time-factor-under-load', 1, MAX_FACTOR)
    const [size, block] = [this.whole('kv-cache-size', 1, MAX_TOKENS), this.whole('block-size', 1, MAX_BLOCK)]
    return {
      slots,
      queue,
      ...(factor === undefined || factor <= 1 ? {} : { load_factor: factor }),
      ...(size === undefined ? {} : { kv_tokens: Math.min(MAX_TOKENS, size * (block ?? DEFAULT_BLOCK)) }),
    }
  }

  profile(seed: Json | undefined): JsonObject {
    const [ttft, gap] = ['time-to-first-token', 'inter-token-latency'].map(name => {
      const [mean, sd] = [this.duration(name), this.duration(`${name}-std-dev`)]
      if (mean === undefined) return undefined
      return sd === undefined || sd === 0 ? `constant(${mean})` : `normal(${mean},${sd})`
    })
    const prefill = this.duration('prefill-time-per-token', MAX_PREFILL_MS)
    const parts = [
      ...(ttft === undefined && prefill === undefined ? [] : [`ttft=${ttft ?? 'constant(0)'}`]),
      ...(gap === undefined ? [] : [`gap=${gap}`]),
      ...(prefill === undefined ? [] : [`prefill=${prefill}`]),
    ]
    if (parts.length === 0) {
      if (seed !== undefined) this.lost('seed', 'a seed has no meaning without latencies')
      return {}
    }
    return {
      profile: [
        ...parts,
        ...(seed === undefined || seed === null
          ? []
          : [
              `seed=${String(seed as string | number)
                .replaceAll(/[;=]/g, '-')
                .slice(0, MAX_NAME)}`,
            ]),
      ].join('; '),
    }
  }

  loras(): string[] {
    const given = this.take('lora-modules')
    const list = given === undefined || given === null ? [] : Array.isArray(given) ? given : [given]
    const names = list.flatMap(item => {
      const value = typeof item === 'string' ? parsed(item) : item
      return isRecord(value) && typeof value.name === 'string' && value.name !== '' && value.name.length <= MAX_NAME
        ? [value.name]
        : []
    })
    if (names.length < list.length || names.length > MAX_LORAS)
      this.lost('lora-modules', `expected at most ${MAX_LORAS} adapters with names`)
    return names.slice(0, MAX_LORAS)
  }

  /** Sleep, and the time until it is ready. */
  start(): JsonObject {
    const startup = this.duration('startup-duration', MAX_STARTUP_MS)
    const sleeps = String(this.take('enable-sleep-mode')) === 'true' && this.take('no-enable-sleep-mode') === undefined
    return {
      ...(sleeps ? { sleep_mode: true } : {}),
      ...(startup === undefined ? {} : { startup_ms: Math.round(startup) }),
    }
  }

  failure(): JsonObject {
    const rate = this.whole('failure-injection-rate', 0, 100)
    const types = this.texts('failure-types')
    if (rate === undefined || rate <= 0) return {}
    const words = (types.length === 0 ? Object.keys(FAILURES) : types).flatMap(type =>
      Object.hasOwn(FAILURES, type) ? FAILURES[type]! : [],
    )
    if (words.length === 0) {
      this.lost('failure-types', 'these failures have no counterpart')
      return {}
    }
    if (words.length > 1)
      this.changed(types.length === 0 ? 'failure-injection-rate' : 'failure-types', `all failures are ${words[0]}`)
    return { fail: `${words[0]}:${rate}` }
  }

  metrics(): JsonObject {
    const given = this.take('fake-metrics')
    const value = typeof given === 'string' ? parsed(given) : given
    if (value === undefined || value === null) return { format: 'vllm' }
    const fake: JsonObject = {}
    for (const [name, member] of Object.entries(isRecord(value) ? (value as JsonObject) : {})) {
      const gauge = GAUGES.get(name)
      const read = gauge === undefined ? undefined : readGauge(member, gauge === 'kv_usage' ? 1 : MAX_GAUGE)
      if (gauge === undefined || read === undefined)
        this.lost('fake-metrics', `${name.slice(0, 60)}, or its value, has no counterpart`)
      else {
        fake[gauge] = read
        if (typeof member === 'string' && member.startsWith('ramp:'))
          this.changed('fake-metrics', `the ramp of ${name} starts again after each period`)
      }
    }
    return { format: 'vllm', ...(Object.keys(fake).length === 0 ? {} : { fake }) }
  }

  /** Settings that nothing has read. */
  others(): void {
    for (const name of this.#settings.keys())
      if (!this.#read.has(name)) this.lost(name, 'this setting has no counterpart')
  }
}

function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json
  } catch {
    return undefined
  }
}

/** A number from 0 to `max`, or a function such as `oscillate:0:10:5s`. */
function readGauge(value: Json, max: number): Json | undefined {
  const isWithin = (number: number): boolean => number >= 0 && number <= max
  if (typeof value === 'number' || (typeof value === 'string' && /^\d+(?:\.\d+)?$/.test(value)))
    return isWithin(Number(value)) ? Number(value) : undefined
  if (typeof value !== 'string') return undefined
  const [name = '', start, end, period] = value.split(':')
  const [from, to, ms] = [Number(start), Number(end), parseGoDuration(period ?? '')]
  const word = FUNCTIONS.get(name)
  if (word === undefined || !isWithin(from) || !isWithin(to) || ms === null || ms < 100 || ms > MAX_MS) return undefined
  return { [word]: [from, to], period_s: ms / 1000 }
}
