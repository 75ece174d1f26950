/** The routes of batches. */
import type { JsonObject } from 'svc/plugin'
import type {
  Batch,
  Batches,
  BatchItem,
  Documents,
  Engine,
  ItemResult,
  HandlerRoute,
  ResultFormat,
  RouteInput,
} from '../../llm/types.ts'
import { metadataOf, missing } from '../format/parameters.ts'
import { describeGet, describeOther, describePost } from '../format/describe.ts'
import { FILE_KIND, jsonExpiryOf, storeFile, unknownFile } from '../files/routes.ts'
import { pageOf } from '../format/page.ts'
import { checkInput, requestsIn, type BatchProblem } from './input.ts'

export type BatchRouteName = 'createBatch' | 'listBatches' | 'batch' | 'cancelBatch'

interface Data extends JsonObject {
  endpoint: string
  input_file_id: string
  model: string | null
  metadata: JsonObject | null
  problems: BatchProblem[]
  output_seconds: number | null
}
interface Results extends JsonObject {
  output_file_id: string | null
  error_file_id: string | null
  completed: number
  failed: number
  usage: JsonObject
}

const ENDPOINTS = ['chat/completions', 'responses', 'embeddings', 'completions', 'moderations', 'images/generations']
/** The files of results. */
const OUTPUT = 'output'
const ERROR = 'error'
const DAY_SECONDS = 86_400
const UNKNOWN = `batch_${'0'.repeat(24)}`

export function batchRoutes(
  engine: Engine,
  batches: Batches,
  documents: Documents,
): Record<BatchRouteName, HandlerRoute> {
  const find = async (input: RouteInput): Promise<Batch> => {
    const id = input.params.batch_id ?? ''
    const found = await batches.get(input, id)
    if (found === undefined)
      throw engine.badInput(`No batch found with id '${id.slice(0, 100)}'.`, { status: 404, param: 'batch_id' })
    return found
  }
  const show = async (batch: Batch, input: RouteInput): Promise<Shown> => {
    const now = Date.now()
    return showBatch(batches, await withResults({ engine, batches, documents }, batch, input, now), now)
  }
  return {
    createBatch: {
      method: 'POST',
      path: '/batches',
      op: 'other',
      describe: {
        ...describePost('/batches', 'create a batch', [
          {
            name: 'Unknown file',
            body: { input_file_id: 'file-0', endpoint: '/v1/chat/completions', completion_window: '24h' },
            status: 400,
          },
        ]),
        parameters: [
          {
            name: 'X-Svc-Batch',
            in: 'header',
            description: 'How long it takes and how it ends, such as `2s, errors=10` or `500, expire`',
            schema: { type: 'string' },
          },
        ],
      },
      async handle(input) {
        const created = await create({ engine, batches, documents }, input)
        return { body: await show(created, input) }
      },
    },
    listBatches: {
      method: 'GET',
      path: '/batches',
      op: 'other',
      describe: describeGet('/batches', 'list batches', 'All batches'),
      async handle(input) {
        const page = pageOf(engine, await batches.list(input), input.query, { limit: 20, max: 100 })
        const data: { id: string }[] = []
        for (const batch of page.data) data.push(await show(batch, input))
        return { body: { ...page, data } }
      },
    },
    batch: {
      method: 'GET',
      path: '/batches/{batch_id}',
      op: 'other',
      describe: describeGet(`/batches/${UNKNOWN}`, 'get a batch', 'Unknown id', 404),
      handle: async input => ({ body: await show(await find(input), input) }),
    },
    cancelBatch: {
      method: 'POST',
      path: '/batches/{batch_id}/cancel',
      op: 'other',
      describe: describeOther('POST', `/batches/${UNKNOWN}/cancel`, 'cancel a batch', 'Unknown id', 404),
      async handle(input) {
        const found = await find(input)
        const { isEnded, phase } = batches.stateAt(found, Date.now())
        if (isEnded) throw engine.badInput(`Cannot cancel a batch with status '${phase}'.`, { param: 'batch_id' })
        return { body: await show(await batches.cancel(found), input) }
      },
    },
  }
}

interface Services {
  engine: Engine
  batches: Batches
  documents: Documents
}

async function create({ engine, batches, documents }: Services, input: RouteInput): Promise<Batch> {
  const { json } = engine
  const body = input.json()
  const fileId = json.textOf(body.input_file_id)
  if (fileId === undefined) throw missing(engine, 'input_file_id')
  const endpoint = json.textOf(body.endpoint)
  if (endpoint === undefined) throw missing(engine, 'endpoint')
  if (!ENDPOINTS.includes(endpoint.replace(/^\/(?:v1\/)?/, '')))
    throw engine.badInput(
      `Invalid value: '${endpoint.slice(0, 100)}'. Supported values are: ${ENDPOINTS.map(name => `'/v1/${name}'`).join(', ')}.`,
      { param: 'endpoint', code: 'invalid_value' },
    )
  if (body.completion_window !== '24h')
    throw engine.badInput("Invalid value for 'completion_window': expected '24h'.", {
      param: 'completion_window',
      code: 'invalid_value',
    })
  const metadata = body.metadata == null ? null : metadataOf(engine, body.metadata)
  const after = jsonExpiryOf(engine, body, 'output_expires_after') ?? null
  const file = await documents.get(input, FILE_KIND, fileId)
  const chunks = file && (await documents.chunks(file))
  if (chunks === undefined) throw unknownFile(engine, fileId, { status: 400, param: 'input_file_id' })
  const { maxItems, maxLineBytes } = batches
  const { total, problems, model } = await checkInput(engine, chunks, { endpoint, maxItems, maxLineBytes })
  const data: Data = {
    endpoint,
    input_file_id: fileId,
    model,
    metadata: metadata as JsonObject | null,
    problems,
    output_seconds: after,
  }
  return batches.create(input, {
    id: `batch_${engine.randomId(24)}`,
    plan: batches.planOf(input),
    total,
    isInvalid: problems.length > 0,
    data,
  })
}

/** The batch with its output files, if it has ended. */
async function withResults(
  { engine, batches, documents }: Services,
  batch: Batch,
  input: RouteInput,
  now: number,
): Promise<Batch> {
  const data = batch.data as Data
  const ids: string[] = []
  const path = data.endpoint.replace(/^\/v1/, '')
  const items = async (): Promise<Iterable<BatchItem> | null> => {
    const file = await documents.get(input, FILE_KIND, data.input_file_id)
    const chunks = file && (await documents.chunks(file))
    return chunks === undefined ? null : itemsIn(chunks)
  }
  function* itemsIn(chunks: Iterable<Buffer>): Iterable<BatchItem> {
    const { maxItems, maxLineBytes } = batches
    for (const { customId, body } of requestsIn(engine, chunks, { endpoint: data.endpoint, maxItems, maxLineBytes })) {
      ids.push(customId)
      yield { path, body }
    }
  }
  const counts = { [OUTPUT]: 0, [ERROR]: 0 }
  const usage = { input: 0, cached: 0, output: 0, reasoning: 0 }
  const format: ResultFormat = {
    lineOf(result) {
      if (result.kind === 'cancelled') return null
      const isOutput = result.kind === 'done' && result.status < 400
      const file = isOutput ? OUTPUT : ERROR
      const kept = (): void => {
        counts[file] += 1
        if (isOutput) addUsage(engine, usage, result.body)
      }
      return { file, value: lineOf(engine, batch, ids, result), kept }
    },
    async finish(files) {
      const owner = { provider: batch.provider, session: batch.session }
      const store = async (what: typeof OUTPUT | typeof ERROR): Promise<string | null> => {
        const content = files.get(what)
        if (content === undefined) return null
        const id = `file-${engine.digest(batch.id, what).slice(0, 24)}`
        const name = `${batch.id}_${what}.jsonl`
        const stored = { id, name, purpose: 'batch_output', content, seconds: data.output_seconds ?? undefined }
        return (await storeFile(engine, documents, owner, stored)).id
      }
      const summary: Results = {
        output_file_id: await store(OUTPUT),
        error_file_id: await store(ERROR),
        completed: counts[OUTPUT],
        failed: counts[ERROR],
        usage: shownUsage(usage),
      }
      return summary
    },
  }
  return batches.withResults(batch, input, items, format, now)
}

function lineOf(engine: Engine, batch: Batch, ids: string[], result: ItemResult): object {
  const own = { id: `batch_req_${engine.digest(batch.id, result.index).slice(0, 24)}`, custom_id: ids[result.index] }
  if (result.kind === 'expired') {
    const message = 'This request could not be executed before the completion window expired.'
    return { ...own, response: null, error: { code: 'batch_expired', message } }
  }
  if (result.kind === 'too_large') {
    const message = engine.tooLargeMessage(result.limit)
    return { ...own, response: null, error: { code: 'batch_output_too_large', message } }
  }
  const failure = {
    status_code: 500,
    request_id: engine.digest(batch.id, result.index, 'request').slice(0, 32),
    body: {
      error: {
        message: 'The server had an error while processing your request (simulated)',
        type: 'server_error',
        param: null,
        code: null,
      },
    },
  }
  const response =
    result.kind === 'done' ? { status_code: result.status, request_id: result.requestId, body: result.body } : failure
  return { ...own, response, error: null }
}

interface Usage {
  input: number
  cached: number
  output: number
  reasoning: number
}

/** Adds the tokens of a reply, whichever names its endpoint has for them. */
function addUsage({ json }: Engine, sum: Usage, body: object): void {
  const usage = json.own(body, 'usage')
  const count = (...names: string[]): number =>
    names.reduce((total, name) => total || (json.countOf(json.own(usage, name)) ?? 0), 0)
  const detail = (name: string, ...of: string[]): number =>
    of.reduce((total, member) => total || (json.countOf(json.own(json.own(usage, member), name)) ?? 0), 0)
  sum.input += count('input_tokens', 'prompt_tokens')
  sum.output += count('output_tokens', 'completion_tokens')
  sum.cached += detail('cached_tokens', 'input_tokens_details', 'prompt_tokens_details')
  sum.reasoning += detail('reasoning_tokens', 'output_tokens_details', 'completion_tokens_details')
}

function shownUsage({ input, cached, output, reasoning }: Usage): JsonObject {
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: cached },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: reasoning },
    total_tokens: input + output,
  }
}

interface Shown extends Record<string, unknown> {
  id: string
}

function showBatch(batches: Batches, batch: Batch, now: number): Shown {
  const data = batch.data as Data
  const results = batch.results as Results | null
  const state = batches.stateAt(batch, now)
  const seconds = (ms: number | null): number | null => (ms === null ? null : Math.floor(ms / 1000))
  const endedAs = (phase: string): number | null => (state.phase === phase ? seconds(state.endedAt) : null)
  const created = Math.floor(batch.createdAt / 1000)
  const problems: BatchProblem[] =
    data.problems.length > 0
      ? data.problems
      : [{ code: 'server_error', line: null, message: 'The batch failed (simulated).', param: null }]
  return {
    id: batch.id,
    object: 'batch',
    endpoint: data.endpoint,
    model: data.model,
    errors: state.phase === 'failed' ? { object: 'list', data: problems } : null,
    input_file_id: data.input_file_id,
    completion_window: '24h',
    status: state.phase,
    output_file_id: results?.output_file_id ?? null,
    error_file_id: results?.error_file_id ?? null,
    created_at: created,
    in_progress_at: seconds(state.inProgressAt),
    expires_at: created + DAY_SECONDS,
    finalizing_at: seconds(state.finalizingAt),
    completed_at: endedAs('completed'),
    failed_at: endedAs('failed'),
    expired_at: endedAs('expired'),
    cancelling_at: seconds(state.cancellingAt),
    cancelled_at: endedAs('cancelled'),
    request_counts: {
      total: batch.total,
      completed: results?.completed ?? state.done,
      failed: results?.failed ?? 0,
    },
    usage: results?.usage ?? shownUsage({ input: 0, cached: 0, output: 0, reasoning: 0 }),
    metadata: data.metadata,
  }
}
