/** Batches: `models/{model}:batchGenerateContent` and `batches`. */
import { isOutputError, Pacer, type JsonObject } from 'svc/plugin'
import type {
  Batch,
  BatchItem,
  Batches,
  BatchPhase,
  Documents,
  Engine,
  ItemResult,
  RouteInput,
  HandlerRoute,
  ResultFormat,
} from '../llm/types.ts'
import { describeAction, modelOf } from './actions.ts'
import { field } from './fields.ts'
import { describeRoute, FILE_KIND, replyOf, storeFile } from './files.ts'
import { readPage } from './page.ts'

interface Data extends JsonObject {
  model: string
  displayName: string
  /** The input is a file, and the output too. */
  isFile: boolean
}
interface Results extends JsonObject {
  succeeded: number
  failed: number
}
interface Item {
  key: string | null
  metadata: unknown
  request: Record<string, unknown>
}

const INPUT = 'batch-input'
const OUTPUT = 'batch-output'
const TYPE = 'type.googleapis.com/google.ai.generativelanguage.v1main.GenerateContentBatch'
const UNKNOWN = 'unknown'
const BETA = ['/ai/gemini/v1']

const STATES: Readonly<Record<BatchPhase, string>> = {
  validating: 'BATCH_STATE_PENDING',
  in_progress: 'BATCH_STATE_RUNNING',
  finalizing: 'BATCH_STATE_RUNNING',
  cancelling: 'BATCH_STATE_RUNNING',
  completed: 'BATCH_STATE_SUCCEEDED',
  failed: 'BATCH_STATE_FAILED',
  expired: 'BATCH_STATE_EXPIRED',
  cancelled: 'BATCH_STATE_CANCELLED',
}
/** Codes of google.rpc by HTTP status. */
const CODES: Readonly<Record<number, number>> = { 400: 3, 401: 16, 403: 7, 404: 5, 409: 10, 429: 8, 503: 14, 504: 4 }
const INTERNAL = 13
const RESOURCE_EXHAUSTED = 8

interface Services {
  engine: Engine
  batches: Batches
  documents: Documents
}

export function batchRoutes(services: Services): HandlerRoute[] {
  const { engine, batches, documents } = services
  const find = async (input: RouteInput): Promise<Batch> => {
    const id = (input.params.batch ?? '').replace(/^batches\//, '')
    const found = await batches.get(input, id)
    if (found === undefined)
      throw engine.badInput(`Batch not found: batches/${id.slice(0, 100)}`, { kind: 'not_found', status: 404 })
    return found
  }
  const show = async (batch: Batch, input: RouteInput): Promise<object> => {
    const now = Date.now()
    return showOperation(services, await withResults(services, batch, input, now), input, now)
  }
  return [
    {
      method: 'POST',
      path: '/v1beta/models/{model}:batchGenerateContent',
      op: 'other',
      describe: describeAction('batchGenerateContent', 'generate content in a batch', {
        batch: {
          displayName: 'demo',
          inputConfig: {
            requests: {
              requests: [{ request: { contents: [{ parts: [{ text: 'hello' }] }] }, metadata: { key: 'a' } }],
            },
          },
        },
      }),
      async handle(input) {
        const created = await create(services, input)
        return replyOf(await show(created, input))
      },
    },
    {
      method: 'GET',
      path: '/v1beta/batches',
      aliases: BETA,
      op: 'other',
      describe: describeRoute('GET', '/v1beta/batches', 'list batches', 'All batches', 200),
      async handle(input) {
        const { start, size } = readPage(engine, input, { method: 'ListBatchesRequest', usual: 10, max: 100 })
        const all = (await batches.list(input)).toReversed()
        const operations: object[] = []
        for (const batch of all.slice(start, start + size))
          try {
            operations.push(await show(batch, input))
          } catch (error) {
            // What does not fit is on the next page.
            if (operations.length === 0 || !isOutputError(error)) throw error
            break
          }
        const { nextToken } = engine.cutPage(all, start, operations.length)
        return replyOf({
          ...(operations.length === 0 ? {} : { operations }),
          ...(nextToken === null ? {} : { nextPageToken: nextToken }),
        })
      },
    },
    {
      method: 'GET',
      path: '/v1beta/batches/{batch}',
      aliases: BETA,
      op: 'other',
      describe: describeRoute('GET', `/v1beta/batches/${UNKNOWN}`, 'get a batch', 'Unknown batch', 404),
      handle: async input => replyOf(await show(await find(input), input)),
    },
    {
      method: 'POST',
      path: '/v1beta/batches/{batch}:cancel',
      aliases: BETA,
      op: 'other',
      describe: describeRoute('POST', `/v1beta/batches/${UNKNOWN}:cancel`, 'cancel a batch', 'Unknown batch', 404),
      async handle(input) {
        const found = await find(input)
        const { isEnded } = batches.stateAt(found, Date.now())
        if (isEnded) throw engine.badInput(`Batch batches/${found.id} has already ended.`)
        await batches.cancel(found)
        return replyOf({})
      },
    },
    {
      method: 'DELETE',
      path: '/v1beta/batches/{batch}',
      aliases: BETA,
      op: 'other',
      describe: describeRoute('DELETE', `/v1beta/batches/${UNKNOWN}`, 'delete a batch', 'Unknown batch', 404),
      async handle(input) {
        const found = await find(input)
        for (const kind of [INPUT, OUTPUT]) {
          const document = await documents.get(found, kind, found.id)
          if (document !== undefined) await documents.delete(document)
        }
        await batches.delete(found)
        return replyOf({})
      },
    },
  ]
}

async function create({ engine, batches, documents }: Services, input: RouteInput): Promise<Batch> {
  const { json } = engine
  const batch = json.own(input.json(), 'batch')
  const config = field(engine, batch, 'inputConfig')
  const fileName = json.textOf(field(engine, config, 'fileName'))
  const inlined = json.own(json.own(config, 'requests'), 'requests')
  if (fileName === undefined && !Array.isArray(inlined))
    throw engine.badInput('* BatchGenerateContentRequest.batch.input_config: one of requests and file_name is required')
  const items =
    fileName === undefined
      ? json.listOf(inlined).map((given): Item => {
          const metadata = json.own(given, 'metadata') ?? null
          return { key: null, metadata, request: json.objectOf(json.own(given, 'request')) }
        })
      : await itemsOfFile({ engine, batches, documents }, input, fileName.replace(/^files\//, ''))
  if (items.length === 0) throw engine.badInput('The batch has no requests.')
  checkNumber(engine, batches, items.length)
  const id = engine.randomId(24)
  const content = Buffer.from(JSON.stringify(items))
  const stored = await documents.put(input, { kind: INPUT, id, name: id, type: 'application/json', content })
  if (stored === undefined) throw engine.badInput('The batch is too large.', { kind: 'too_large', status: 413 })
  const data: Data = {
    model: modelOf(input),
    displayName: (json.textOf(field(engine, batch, 'displayName')) ?? '').slice(0, 200),
    isFile: fileName !== undefined,
  }
  return batches.create(input, { id, plan: batches.planOf(input), total: items.length, isInvalid: false, data })
}

/** JSON lines `{key, request}`. */
async function itemsOfFile({ engine, batches, documents }: Services, input: RouteInput, id: string): Promise<Item[]> {
  const name = `files/${id.slice(0, 100)}`
  const file = await documents.get(input, FILE_KIND, id)
  const chunks = file && (await documents.chunks(file))
  if (chunks === undefined) throw engine.badInput(`File ${name} not found.`)
  const items: Item[] = []
  const pacer = new Pacer()
  let number = 0
  let total = 0
  for (const line of engine.linesOf(chunks, batches.maxLineBytes)) {
    if (pacer.isDue) await pacer.pause()
    number += 1
    if (line === null) throw engine.badInput(`Line ${number} of ${name} has more than ${batches.maxLineBytes} bytes.`)
    if (line.trim() === '' || ++total > batches.maxItems) continue
    engine.takeHistory(input.output(), line.length)
    let given: unknown
    try {
      given = JSON.parse(line)
    } catch {
      throw engine.badInput(`Line ${items.length + 1} of ${name} is not valid JSON.`)
    }
    const key = engine.json.textOf(engine.json.own(given, 'key')) ?? String(items.length)
    items.push({ key, metadata: null, request: engine.json.objectOf(engine.json.own(given, 'request')) })
  }
  checkNumber(engine, batches, total)
  return items
}

function checkNumber(engine: Engine, { maxItems }: Batches, total: number): void {
  if (total > maxItems) throw engine.badInput(`The batch has ${total} requests; at most ${maxItems} are supported.`)
}

async function withResults(
  { engine, batches, documents }: Services,
  batch: Batch,
  input: RouteInput,
  now: number,
): Promise<Batch> {
  const data = batch.data as Data
  let given: Item[] = []
  const items = async (): Promise<BatchItem[]> => {
    const document = await documents.get(batch, INPUT, batch.id)
    const content = document && (await documents.content(document))
    given = content === undefined ? [] : (JSON.parse(content.toString()) as Item[])
    return given.map(({ request }) => ({
      path: '/v1beta/models/{model}:generateContent',
      params: { model: data.model },
      body: request,
    }))
  }
  const owner = { provider: batch.provider, session: batch.session }
  const counts = { succeeded: 0, failed: 0 }
  const format: ResultFormat = {
    // What is inlined is read with the batch.
    ...(data.isFile ? {} : { maxBytes: engine.maxHistory({ outputBytes: input.output().limit }) }),
    lineOf(result) {
      const item = given[result.index]
      const reply = replyTo(engine, result)
      const kept = (): void => {
        counts['response' in reply ? 'succeeded' : 'failed'] += 1
      }
      if (data.isFile) return { file: OUTPUT, value: { key: item?.key, ...reply }, kept }
      const metadata = item?.metadata == null ? {} : { metadata: item.metadata }
      return { file: OUTPUT, value: { ...reply, ...metadata }, kept }
    },
    async finish(files) {
      const content = files.get(OUTPUT) ?? []
      if (data.isFile) {
        const name = `batch-${batch.id}`
        const file = { name, displayName: name, type: 'application/jsonl', content, isGenerated: true as const }
        await storeFile(engine, documents, owner, file)
      } else {
        const type = 'application/jsonl'
        await documents.put(owner, { kind: OUTPUT, id: batch.id, name: batch.id, type, content })
      }
      return counts satisfies Results
    },
  }
  return batches.withResults(batch, input, items, format, now)
}

function replyTo(
  engine: Engine,
  result: ItemResult,
): { response: object } | { error: { code: number; message: string } } {
  switch (result.kind) {
    case 'expired':
      return { error: { code: 4, message: 'The batch expired before the request was processed.' } }
    case 'cancelled':
      return { error: { code: 1, message: 'The batch was cancelled before the request was processed.' } }
    case 'failed':
      return { error: { code: INTERNAL, message: 'An internal error has occurred. (simulated)' } }
    case 'too_large':
      return { error: { code: RESOURCE_EXHAUSTED, message: engine.tooLargeMessage(result.limit) } }
  }
  if (result.status < 400) return { response: result.body }
  const message = engine.json.asText(engine.json.own(engine.json.own(result.body, 'error'), 'message'))
  return { error: { code: CODES[result.status] ?? INTERNAL, message } }
}

async function showOperation(
  { batches, documents, engine }: Services,
  batch: Batch,
  input: RouteInput,
  now: number,
): Promise<object> {
  const data = batch.data as Data
  const results = batch.results as Results | null
  const state = batches.stateAt(batch, now)
  const name = `batches/${batch.id}`
  const time = (ms: number): string => new Date(ms).toISOString()
  const count = (what: string, n: number): object => (n === 0 ? {} : { [what]: String(n) })
  let output: object | undefined
  if (results !== null && data.isFile) output = { responsesFile: `files/batch-${batch.id}` }
  else if (results !== null) {
    const document = await documents.get(batch, OUTPUT, batch.id)
    // It is parsed, and shown twice.
    if (document !== undefined) engine.takeHistory(input.output(), document.bytes)
    const chunks = document && (await documents.chunks(document))
    const lines = chunks === undefined ? [] : engine.linesOf(chunks, Infinity)
    const inlinedResponses = Array.from(lines, line => JSON.parse(line!) as object)
    output = { inlinedResponses: { inlinedResponses } }
  }
  const pending = batch.total - (results === null ? state.done : results.succeeded + results.failed)
  const isFailed = state.phase === 'failed'
  return {
    name,
    metadata: {
      '@type': TYPE,
      model: `models/${data.model}`,
      displayName: data.displayName,
      state: STATES[state.phase],
      name,
      createTime: time(batch.createdAt),
      updateTime: time(state.endedAt ?? Math.max(batch.createdAt, state.finalizingAt ?? state.inProgressAt ?? 0)),
      ...(state.endedAt === null ? {} : { endTime: time(state.endedAt) }),
      batchStats: {
        requestCount: String(batch.total),
        ...count('successfulRequestCount', results?.succeeded ?? state.done),
        ...count('failedRequestCount', results?.failed ?? 0),
        ...count('pendingRequestCount', isFailed ? 0 : pending),
      },
      ...(output === undefined ? {} : { output }),
    },
    ...(state.isEnded ? { done: true } : {}),
    ...(isFailed ? { error: { code: INTERNAL, message: 'The batch failed. (simulated)' } } : {}),
    ...(output === undefined ? {} : { response: { '@type': TYPE, ...output } }),
  }
}
