/** The batches of providers: records with a plan, whose items run when somebody first asks for the results. */
import {
  createRecords,
  Pacer,
  type JsonObject,
  type Records,
  type RecordStore,
  type StoredRecord,
  type Svc,
  type SvcBudgets,
} from 'svc/plugin'
import { digest, generator } from '../engine/seed.ts'
import type { RouteInput, BatchPlan } from '../contract/route.ts'
import { BatchResults, type ResultFormat } from './batch-results.ts'
import { DEFAULT_PLAN, parsePlan, stateAt, type BatchState } from './batch-plan.ts'
import type { Owner } from './owner.ts'

/** A batch. Plain data; `data` is what the format keeps. */
export interface Batch<D extends JsonObject = JsonObject> {
  provider: string
  session: string
  id: string
  /** Milliseconds since 1970. */
  createdAt: number
  plan: BatchPlan
  total: number
  cancelledAt: number | null
  isInvalid: boolean
  data: D
  /** What the format learned from the results; null: they are not made yet. */
  results: JsonObject | null
}

/** An item to run. */
export interface BatchItem {
  /** End of the path of a POST route, such as `/chat/completions`, or the whole path with parameters in braces. */
  path: string
  params?: Record<string, string>
  body: object
}

/** The syntax of `X-Svc-Batch`. */
export const EXPECTED_PLAN = 'expected a time such as 2s, then fail, expire, cancel, errors=10 or shuffle'

export interface Batches {
  /** Largest number of items. */
  readonly maxItems: number
  /** A plan in the syntax of `X-Svc-Batch`; null if it is not valid. */
  parsePlan(text: string): BatchPlan | null
  /** The plan that the request asks for; default: that of its provider. */
  planOf(input: RouteInput): BatchPlan
  create(owner: Owner, batch: Pick<Batch, 'id' | 'plan' | 'total' | 'isInvalid' | 'data'>): Promise<Batch>
  get(owner: Owner, id: string): Promise<Batch | undefined>
  /** In the order of their creation. */
  list(owner: Owner): Promise<Batch[]>
  delete(batch: Batch): Promise<void>
  /** Cancels a batch that has not ended. */
  cancel(batch: Batch): Promise<Batch>
  stateAt(batch: Batch, now: number): BatchState
  /**
   * The batch with its results. After its end, the first look runs the items, one batch after the other, and the format
   * keeps what they returned. `now` is the time whose state is shown: a batch that has ended by then has results. Throws
   * `OutputUnavailable`; then the next look runs them again.
   */
  withResults(
    batch: Batch,
    input: RouteInput,
    items: () => Promise<Iterable<BatchItem> | null>,
    format: ResultFormat,
    now?: number,
  ): Promise<Batch>
  /** The most bytes of a line of a file with requests. */
  readonly maxLineBytes: number
  clear(session: string | null): Promise<number>
}

const BOUNDS = {
  normal: { maxCount: 500, maxPerGroup: 500, maxPlanMs: 86_400_000, ttlMs: 86_400_000 * 2, maxBytes: 16 * 1024 * 1024 },
  public: { maxCount: 50, maxPerGroup: 5, maxPlanMs: 600_000, ttlMs: 3_600_000, maxBytes: 2 * 1024 * 1024 },
}
const PUBLIC_ITEMS = 50

export class BatchStore implements Batches {
  readonly maxItems: number
  readonly maxLineBytes: number
  readonly #batches: RecordStore<Batch>
  /** The batches that have run once: a second run is not counted. */
  readonly #runs: RecordStore<true>
  readonly #budgets: SvcBudgets
  readonly #maxBytes: number
  readonly #maxPlanMs: number
  #last: Promise<unknown> = Promise.resolve()

  constructor(svc: Svc<unknown>, maxItems: number, { maxBytes }: { maxBytes: number }) {
    const { publicMode } = svc.config
    const { maxPlanMs, ...bounds } = BOUNDS[publicMode ? 'public' : 'normal']
    this.#budgets = svc.budgets
    this.#maxBytes = maxBytes
    this.maxLineBytes = svc.config.bodyLimit
    this.maxItems = publicMode ? Math.min(maxItems, PUBLIC_ITEMS) : maxItems
    this.#maxPlanMs = maxPlanMs
    this.#batches = createRecords(svc, svc.state<StoredRecord<Batch>>('batches', { ...bounds, schema: 2 }))
    this.#runs = createRecords(
      svc,
      svc.state<StoredRecord<true>>('batch-runs', { maxCount: bounds.maxCount, ttlMs: bounds.ttlMs, schema: 2 }),
    )
  }

  parsePlan(text: string): BatchPlan | null {
    return parsePlan(text, this.#maxPlanMs)
  }

  planOf(input: RouteInput): BatchPlan {
    const given = input.headers['x-svc-batch']
    const text = Array.isArray(given) ? given[0] : given
    const plan = text === undefined ? null : this.parsePlan(text)
    if (text !== undefined && plan === null) input.ignoreHeader('X-Svc-Batch', EXPECTED_PLAN)
    return plan ?? input.batchPlan ?? DEFAULT_PLAN
  }

  async create(
    { provider, session }: Owner,
    batch: Pick<Batch, 'id' | 'plan' | 'total' | 'isInvalid' | 'data'>,
  ): Promise<Batch> {
    const created: Batch = { provider, session, ...batch, createdAt: Date.now(), cancelledAt: null, results: null }
    await this.#of(created).put(created.id, created)
    return created
  }

  get(owner: Owner, id: string): Promise<Batch | undefined> {
    return this.#of(owner).peek(id)
  }

  async list(owner: Owner): Promise<Batch[]> {
    const found = await this.#of(owner).list()
    return found.map(({ value }) => value)
  }

  async delete(batch: Batch): Promise<void> {
    await this.#of(batch).delete(batch.id)
  }

  async cancel(batch: Batch): Promise<Batch> {
    const now = Date.now()
    const changed = await this.#of(batch).change(batch.id, found =>
      found.cancelledAt === null ? { ...found, cancelledAt: now } : found,
    )
    return changed ?? batch
  }

  stateAt(batch: Batch, now: number): BatchState {
    return stateAt(batch, now)
  }

  async withResults(
    batch: Batch,
    input: RouteInput,
    itemsOf: () => Promise<Iterable<BatchItem> | null>,
    format: ResultFormat,
    now = Date.now(),
  ): Promise<Batch> {
    const state = stateAt(batch, now)
    if (!state.isEnded || state.phase === 'failed' || batch.results !== null) return batch
    return this.#inTurn(async () => {
      // Another look may have run them meanwhile, or a client may have deleted the batch.
      const current = await this.get(batch, batch.id)
      if (current === undefined || current.results !== null) return current ?? batch
      const items = await itemsOf()
      const isCounted = await this.#runs.of(batch.provider, batch.session).add(batch.id, true)
      const output = this.#budgets.detachedOutput()
      try {
        const limit = Math.min(format.maxBytes ?? Infinity, output.limit, this.#maxBytes)
        const results = new BatchResults(format, output, limit)
        if (items !== null) await this.#run(batch, state, input, items, { results, isCounted })
        const summary = await format.finish(results.files(batch.plan.shuffle ? batch.id : null))
        const changed = await this.#of(batch).change(batch.id, found =>
          found.results === null ? { ...found, results: summary } : found,
        )
        return changed ?? { ...batch, results: summary }
      } finally {
        output.release()
      }
    })
  }

  /** One batch runs at a time, since each may need as much memory as the largest answer. */
  #inTurn<T>(run: () => Promise<T>): Promise<T> {
    const result = this.#last.then(run)
    this.#last = result.catch(() => {})
    return result
  }

  clear(session: string | null): Promise<number> {
    return this.#batches.clear(session)
  }

  bytes(): Promise<number> {
    return this.#batches.bytes()
  }

  #of({ provider, session }: Owner): Records<Batch> {
    return this.#batches.of(provider, session)
  }

  async #run(
    batch: Batch,
    state: BatchState,
    input: RouteInput,
    items: Iterable<BatchItem>,
    { results, isCounted }: { results: BatchResults; isCounted: boolean },
  ): Promise<void> {
    const failing = failingItems(batch, batch.total)
    const pacer = new Pacer(this.#budgets.workMs)
    let index = -1
    for (const item of items) {
      index += 1
      if (pacer.isDue) await pacer.pause()
      const left = batch.total - index - 1
      if (index >= state.done) results.add({ kind: state.phase === 'expired' ? 'expired' : 'cancelled', index }, left)
      else if (failing.has(index)) results.add({ kind: 'failed', index }, left)
      else if (results.isFull) results.add({ kind: 'too_large', index, limit: results.limit }, left)
      else {
        const { status, body, requestId } = await input.runItem(item.path, item.body, {
          batch: batch.id,
          isCounted,
          ...(item.params === undefined ? {} : { params: item.params }),
        })
        results.add({ kind: 'done', index, status, requestId, body }, left)
      }
    }
  }
}

/** The items that the plan makes fail: exactly its percentage of them. */
function failingItems({ id, plan }: Batch, total: number): ReadonlySet<number> {
  const count = Math.round((total * plan.errors) / 100)
  if (count === 0) return new Set()
  const next = generator(digest('batch errors', id))
  const drawn = Array.from({ length: total }, (_, index) => ({ index, place: next() }))
  drawn.sort((one, other) => one.place - other.place)
  return new Set(drawn.slice(0, count).map(({ index }) => index))
}
