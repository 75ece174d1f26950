/** The metrics of an inference engine, in the names that vLLM uses. */
import type { ProviderLoad, Slots } from '../capacity/slots.ts'
import { Exposition, type Labels } from './exposition.ts'
import { valueAt, type FakeGauge } from './fake-gauge.ts'
import { Histogram } from './histogram.ts'
import type { Gauge, StatedLoad } from './stated-load.ts'

export interface EngineMetricsOptions {
  slots: Slots
  /** The listed models without adapters, the default first. */
  models: readonly string[]
  /** Adapters: models that are served as the default model. */
  loras(): readonly string[]
  fake: Partial<Record<Gauge, FakeGauge>>
  stated: StatedLoad
  /** Tokens that the KV cache holds. */
  kvTokens: number
  /** Tokens of a block, and whether prefixes are cached. */
  block: number
  isCaching: boolean
  /** Tokens in the prefix cache. */
  cachedTokens(): Promise<number>
}

/** A generation that has ended. Times are in seconds. */
export interface ServedGeneration {
  model: string
  reason: 'stop' | 'length' | 'abort'
  promptTokens: number
  cachedTokens: number
  completionTokens: number
  /** From arrival to the first token; null: there was none. */
  ttft: number | null
  total: number
  queue: number
}

const REASONS = ['stop', 'length', 'abort'] as const
const TTFT = [
  0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10, 20, 40, 80, 160, 640, 2560,
]
const GAP = [0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.75, 1, 2.5, 5, 7.5, 10, 20, 40, 80]
const REQUEST = [0.3, 0.5, 0.8, 1, 1.5, 2, 2.5, 5, 10, 15, 20, 30, 40, 50, 60, 120, 240, 480, 960, 1920, 7680]
const TOKENS = [
  1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 50_000, 100_000, 200_000, 500_000, 1_000_000,
]

/** What is counted for a model. */
class ModelStats {
  promptTokens = 0
  generationTokens = 0
  prefixQueries = 0
  prefixHits = 0
  readonly success: Record<(typeof REASONS)[number], number> = { stop: 0, length: 0, abort: 0 }
  readonly ttft = new Histogram(TTFT)
  readonly gap = new Histogram(GAP)
  readonly total = new Histogram(REQUEST)
  readonly queue = new Histogram(REQUEST)
  readonly prefill = new Histogram(REQUEST)
  readonly decode = new Histogram(REQUEST)
  readonly inference = new Histogram(REQUEST)
  readonly prompt = new Histogram(TOKENS)
  readonly generation = new Histogram(TOKENS)
}

const MAX_MODELS = 20
const OTHER = 'other'

const HISTOGRAMS: readonly [name: string, help: string, of: (stats: ModelStats) => Histogram][] = [
  ['time_to_first_token_seconds', 'Time to the first token in seconds.', stats => stats.ttft],
  ['inter_token_latency_seconds', 'Time between tokens in seconds.', stats => stats.gap],
  ['time_per_output_token_seconds', 'Time between tokens in seconds.', stats => stats.gap],
  ['e2e_request_latency_seconds', 'Time of whole requests in seconds.', stats => stats.total],
  ['request_queue_time_seconds', 'Time in the queue in seconds.', stats => stats.queue],
  ['request_prefill_time_seconds', 'Time from the queue to the first token in seconds.', stats => stats.prefill],
  ['request_decode_time_seconds', 'Time from the first to the last token in seconds.', stats => stats.decode],
  ['request_inference_time_seconds', 'Time outside the queue in seconds.', stats => stats.inference],
  ['request_prompt_tokens', 'Prompt tokens of requests.', stats => stats.prompt],
  ['request_generation_tokens', 'Generated tokens of requests.', stats => stats.generation],
]

const COUNTERS: readonly [name: string, help: string, of: (stats: ModelStats) => number][] = [
  ['prefix_cache_queries_total', 'Tokens looked up in the prefix cache.', stats => stats.prefixQueries],
  ['prefix_cache_hits_total', 'Tokens found in the prefix cache.', stats => stats.prefixHits],
  ['num_preemptions_total', 'Generations that were preempted.', () => 0],
  ['prompt_tokens_total', 'Prompt tokens that were processed.', stats => stats.promptTokens],
  ['generation_tokens_total', 'Tokens that were generated.', stats => stats.generationTokens],
]

export class EngineMetrics {
  readonly #options: EngineMetricsOptions
  readonly #models = new Map<string, ModelStats>()

  constructor(options: EngineMetricsOptions) {
    this.#options = options
    for (const model of options.models.slice(0, MAX_MODELS)) this.#models.set(model, new ModelStats())
  }

  get stated(): StatedLoad {
    return this.#options.stated
  }

  /** Stated and configured figures come before real ones. */
  load(now: number): ProviderLoad {
    const real = this.#options.slots.load()
    return {
      running: Math.round(this.#replaced('running', now) ?? real.running),
      waiting: Math.round(this.#replaced('waiting', now) ?? real.waiting),
      kvCacheUsage: this.#replaced('kv_usage', now) ?? real.kvCacheUsage,
    }
  }

  observe(served: ServedGeneration): void {
    const stats = this.#statsOf(served.model)
    const { promptTokens, completionTokens, ttft, total, queue } = served
    stats.success[served.reason] += 1
    stats.promptTokens += promptTokens
    stats.generationTokens += completionTokens
    if (this.#options.isCaching) stats.prefixQueries += promptTokens
    stats.prefixHits += served.cachedTokens
    stats.total.observe(total)
    stats.queue.observe(queue)
    stats.inference.observe(Math.max(0, total - queue))
    stats.prompt.observe(promptTokens)
    stats.generation.observe(completionTokens)
    if (ttft === null) return
    const decode = Math.max(0, total - ttft)
    stats.ttft.observe(ttft)
    stats.prefill.observe(Math.max(0, ttft - queue))
    stats.decode.observe(decode)
    if (completionTokens > 1) stats.gap.observe(decode / (completionTokens - 1), completionTokens - 1)
  }

  /** Prometheus text format. */
  async text(now: number): Promise<string> {
    const exposition = new Exposition()
    this.#addGauges(exposition, now, await this.#options.cachedTokens())
    const all = [...this.#models].map(([model, stats]) => ({ labels: labelsOf(model), stats }))
    for (const [name, help, of] of COUNTERS)
      exposition.add(
        `vllm:${name}`,
        'counter',
        help,
        all.map(({ labels, stats }) => ({ labels, value: of(stats) })),
      )
    exposition.add(
      'vllm:request_success_total',
      'counter',
      'Generations that ended, by reason.',
      all.flatMap(({ labels, stats }) =>
        REASONS.map(reason => ({ labels: { ...labels, finished_reason: reason }, value: stats.success[reason] })),
      ),
    )
    for (const [name, help, of] of HISTOGRAMS)
      exposition.addHistogram(
        `vllm:${name}`,
        help,
        all.map(({ labels, stats }) => ({ labels, histogram: of(stats) })),
      )
    this.#addInfo(exposition, now)
    return exposition.text()
  }

  /** Replaced figures belong to the first model, as an engine has one. */
  #addGauges(exposition: Exposition, now: number, cached: number): void {
    const { slots, kvTokens } = this.#options
    const models = [...this.#models.keys()]
    const counted = (gauge: 'running' | 'waiting'): { labels: Labels; value: number }[] => {
      const replaced = this.#replaced(gauge, now)
      const own = replaced === null ? this.#byModel(slots.models(gauge)) : null
      return models.map((model, index) => ({
        labels: labelsOf(model),
        value: own === null ? (index === 0 ? Math.round(replaced ?? 0) : 0) : (own.get(model) ?? 0),
      }))
    }
    const inUse = Math.min(kvTokens, slots.tokens)
    // What generations need is taken from the cache.
    const usage = (inUse + Math.min(cached, kvTokens - inUse)) / kvTokens
    const kvUsage = this.#replaced('kv_usage', now) ?? usage
    exposition.add('vllm:num_requests_running', 'gauge', 'Generations that are running.', counted('running'))
    exposition.add('vllm:num_requests_waiting', 'gauge', 'Generations that are waiting.', counted('waiting'))
    exposition.add(
      'vllm:kv_cache_usage_perc',
      'gauge',
      'Share of the KV cache in use; 1 is all.',
      models.map(model => ({ labels: labelsOf(model), value: kvUsage })),
    )
  }

  #addInfo(exposition: Exposition, now: number): void {
    const { slots, block, kvTokens, isCaching } = this.#options
    const loras = this.#options.loras()
    const adapters = (of: 'running' | 'waiting'): string =>
      loras.filter(lora => slots.models(of).includes(lora)).join(',')
    exposition.add('vllm:lora_requests_info', 'gauge', 'Adapters in use, and when they were read.', [
      {
        labels: {
          max_lora: String(loras.length),
          running_lora_adapters: adapters('running'),
          waiting_lora_adapters: adapters('waiting'),
        },
        value: now / 1000,
      },
    ])
    exposition.add('vllm:cache_config_info', 'gauge', 'Configuration of the KV cache.', [
      {
        labels: {
          block_size: String(block),
          enable_prefix_caching: isCaching ? 'True' : 'False',
          engine: '0',
          gpu_memory_utilization: '0.9',
          num_gpu_blocks: String(Math.floor(kvTokens / block)),
        },
        value: 1,
      },
    ])
  }

  /** What a client states, otherwise what the configuration says; null: the real figure applies. */
  #replaced(gauge: Gauge, now: number): number | null {
    const stated = this.stated.current(now)[gauge]
    if (stated !== undefined) return stated.value
    const fake = this.#options.fake[gauge]
    return fake === undefined ? null : valueAt(fake, now)
  }

  #byModel(models: readonly string[]): Map<string, number> {
    const counts = new Map<string, number>()
    for (const model of models) {
      const label = this.#labelOf(model)
      counts.set(label, (counts.get(label) ?? 0) + 1)
    }
    return counts
  }

  #statsOf(model: string): ModelStats {
    return this.#models.get(this.#labelOf(model))!
  }

  /** The label of a model, which has its own figures from now on. */
  #labelOf(model: string): string {
    const [first = OTHER] = this.#models.keys()
    const name = this.#options.loras().includes(model) ? first : model.slice(0, 100)
    const label = this.#models.has(name) || this.#models.size < MAX_MODELS - 1 ? name : OTHER
    if (!this.#models.has(label)) this.#models.set(label, new ModelStats())
    return label
  }
}

function labelsOf(model: string): Labels {
  return { model_name: model, engine: '0' }
}
