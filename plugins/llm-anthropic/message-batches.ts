/** Message batches: `/v1/messages/batches`. */
import type { JsonObject } from 'svc/plugin'
import type {
  Batch,
  Batches,
  BatchItem,
  Documents,
  Engine,
  HandlerRoute,
  ItemResult,
  ResultFormat,
  RouteInput,
} from '../llm/types.ts'
import { requestIdOf } from './errors.ts'
import { checkPage, pageOf, readPage } from './page.ts'

interface Data extends JsonObject {
  /** Document with the requests, one as JSON on each line. */
  requests: string
}
interface Results extends JsonObject {
  /** Document with the results. */
  document: string
  counts: JsonObject
}

const REQUESTS = 'batch-requests'
const RESULTS = 'batch-results'
const CUSTOM_ID = /^[a-zA-Z0-9_-]{1,64}$/
const DAY_MS = 86_400_000
const UNKNOWN = `msgbatch_${'0'.repeat(24)}`
const PATH = '/v1/messages/batches'

interface Request {
  custom_id: string
  params: Record<string, unknown>
}

export function messageBatchRoutes(engine: Engine, batches: Batches, documents: Documents): HandlerRoute[] {
  const find = async (input: RouteInput): Promise<Batch> => {
    const id = input.params.message_batch_id ?? ''
    const found = await batches.get(input, id)
    if (found === undefined)
      throw engine.badInput(`Message Batch with id '${id.slice(0, 100)}' not found.`, {
        status: 404,
        kind: 'not_found',
      })
    return found
  }
  const requestsOf = async (batch: Batch): Promise<Request[] | null> => {
    const { requests } = batch.data as Data
    const document = await documents.get(batch, REQUESTS, requests)
    const content = document && (await documents.content(document))
    return content === undefined ? null : (JSON.parse(content.toString()) as Request[])
  }
  const withResults = (batch: Batch, input: RouteInput, now: number): Promise<Batch> => {
    let ids: string[] = []
    const items = async (): Promise<BatchItem[]> => {
      const requests = (await requestsOf(batch)) ?? []
      ids = requests.map(request => request.custom_id)
      return requests.map(({ params }) => ({ path: '/v1/messages', body: { ...params, stream: false } }))
    }
    const counts = { succeeded: 0, errored: 0, canceled: 0, expired: 0 }
    const format: ResultFormat = {
      lineOf(result) {
        const value = resultOf(engine, batch, ids, result)
        return { file: RESULTS, value, kept: () => (counts[value.result.type] += 1) }
      },
      async finish(files) {
        const content = files.get(RESULTS) ?? []
        const type = 'application/x-jsonl'
        await documents.put(batch, { kind: RESULTS, id: batch.id, name: batch.id, type, content })
        return { document: batch.id, counts } satisfies Results
      },
    }
    return batches.withResults(batch, input, items, format, now)
  }
  const show = async (batch: Batch, input: RouteInput): Promise<Shown> => {
    const now = Date.now()
    return showBatch(batches, await withResults(batch, input, now), input, now)
  }
  return [
    {
      method: 'POST',
      path: PATH,
      op: 'other',
      describe: {
        summary: 'create a message batch',
        requestBody: { required: true, content: { 'application/json': { type: 'object' } } },
        parameters: [
          {
            name: 'X-Svc-Batch',
            in: 'header',
            description: 'How long it takes and how it ends, such as `2s, errors=10` or `500, expire`',
            schema: { type: 'string' },
          },
        ],
        examples: [
          {
            name: 'One request',
            method: 'POST',
            path: `/ai/anthropic${PATH}`,
            headers: [{ name: 'anthropic-version', value: '2023-06-01' }],
            json: {
              requests: [
                {
                  custom_id: 'a',
                  params: { model: 'svc-claude', max_tokens: 64, messages: [{ role: 'user', content: 'hello' }] },
                },
              ],
            },
          },
        ],
      },
      async handle(input) {
        const requests = readRequests(engine, input.json(), batches.maxItems)
        const id = `msgbatch_${engine.randomId(24)}`
        const content = Buffer.from(JSON.stringify(requests))
        const stored = await documents.put(input, { kind: REQUESTS, id, name: id, type: 'application/json', content })
        if (stored === undefined) throw engine.badInput('The batch is too large.', { status: 413, kind: 'too_large' })
        // `fail` is an error of each request here, not of the batch.
        const plan = batches.planOf(input)
        const created = await batches.create(input, {
          id,
          plan: plan.outcome === 'fail' ? { ...plan, outcome: 'complete', errors: 100 } : plan,
          total: requests.length,
          isInvalid: false,
          data: { requests: id },
        })
        return { body: await show(created, input) }
      },
    },
    {
      method: 'GET',
      path: PATH,
      op: 'other',
      describe: describeRoute('GET', PATH, 'list message batches', 'All batches', 200),
      async handle(input) {
        const newestFirst = (await batches.list(input)).toReversed()
        const asked = readPage(engine, input)
        checkPage(engine, newestFirst, asked)
        const { page, hasMore } = pageOf(newestFirst, asked)
        const data: { id: string }[] = []
        for (const batch of page) data.push(await show(batch, input))
        return { body: { data, has_more: hasMore, first_id: data[0]?.id ?? null, last_id: data.at(-1)?.id ?? null } }
      },
    },
    {
      method: 'GET',
      path: `${PATH}/{message_batch_id}`,
      op: 'other',
      describe: describeRoute('GET', `${PATH}/${UNKNOWN}`, 'get a message batch', 'Unknown id', 404),
      handle: async input => ({ body: await show(await find(input), input) }),
    },
    {
      method: 'POST',
      path: `${PATH}/{message_batch_id}/cancel`,
      op: 'other',
      describe: describeRoute('POST', `${PATH}/${UNKNOWN}/cancel`, 'cancel a message batch', 'Unknown id', 404),
      async handle(input) {
        const found = await find(input)
        const { isEnded } = batches.stateAt(found, Date.now())
        if (isEnded) throw engine.badInput(`Batch ${found.id} cannot be canceled because it has already ended.`)
        return { body: await show(await batches.cancel(found), input) }
      },
    },
    {
      method: 'DELETE',
      path: `${PATH}/{message_batch_id}`,
      op: 'other',
      describe: describeRoute('DELETE', `${PATH}/${UNKNOWN}`, 'delete a message batch', 'Unknown id', 404),
      async handle(input) {
        const found = await find(input)
        const { isEnded } = batches.stateAt(found, Date.now())
        if (!isEnded)
          throw engine.badInput(`Batch ${found.id} cannot be deleted while it is still processing. Cancel it first.`)
        for (const kind of [REQUESTS, RESULTS]) {
          const document = await documents.get(found, kind, found.id)
          if (document !== undefined) await documents.delete(document)
        }
        await batches.delete(found)
        return { body: { id: found.id, type: 'message_batch_deleted' } }
      },
    },
    {
      method: 'GET',
      path: `${PATH}/{message_batch_id}/results`,
      op: 'other',
      describe: describeRoute(
        'GET',
        `${PATH}/${UNKNOWN}/results`,
        'get the results of a message batch',
        'Unknown id',
        404,
      ),
      async handle(input) {
        const batch = await withResults(await find(input), input, Date.now())
        const document = batch.results === null ? undefined : await documents.get(batch, RESULTS, batch.id)
        const chunks = document && (await documents.chunks(document))
        if (chunks === undefined)
          throw engine.badInput(`Batch ${batch.id} has no available results.`, { status: 404, kind: 'not_found' })
        const stored = { bytes: document!.bytes, chunks }
        return { body: {}, stored, contentType: 'application/x-jsonl' }
      },
    },
  ]
}

export function describeRoute(
  method: string,
  path: string,
  summary: string,
  name: string,
  expectStatus: number,
): HandlerRoute['describe'] {
  const headers = [{ name: 'anthropic-version', value: '2023-06-01' }]
  return { summary, examples: [{ name, method, path: `/ai/anthropic${path}`, headers, expectStatus }] }
}

function readRequests(engine: Engine, body: Record<string, unknown>, max: number): Request[] {
  const { json } = engine
  if (!Array.isArray(body.requests)) throw engine.badInput('requests: Field required')
  const given: unknown[] = body.requests
  if (given.length === 0) throw engine.badInput('requests: List should have at least 1 item after validation, not 0')
  if (given.length > max)
    throw engine.badInput(`requests: List should have at most ${max} items after validation, not ${given.length}`)
  const requests = given.map((request, index) => {
    const id = json.own(request, 'custom_id')
    if (typeof id !== 'string') throw engine.badInput(`requests.${index}.custom_id: Field required`)
    if (!CUSTOM_ID.test(id))
      throw engine.badInput(`requests.${index}.custom_id: String should match pattern '${CUSTOM_ID.source}'`)
    const params = json.own(request, 'params')
    if (typeof params !== 'object' || params === null) throw engine.badInput(`requests.${index}.params: Field required`)
    return { custom_id: id, params: json.objectOf(params) }
  })
  if (new Set(requests.map(request => request.custom_id)).size < requests.length)
    throw engine.badInput('requests: custom_id values must be unique')
  return requests
}

interface ResultLine {
  custom_id: string | undefined
  result: { type: 'succeeded' | 'errored' | 'canceled' | 'expired'; message?: object; error?: object }
}

function resultOf(engine: Engine, batch: Batch, ids: string[], result: ItemResult): ResultLine {
  const custom_id = ids[result.index]
  if (result.kind === 'expired') return { custom_id, result: { type: 'expired' } }
  if (result.kind === 'cancelled') return { custom_id, result: { type: 'canceled' } }
  if (result.kind === 'failed') {
    const requestId = requestIdOf(engine.digest(batch.id, result.index).slice(0, 32))
    const error = { type: 'error', error: { type: 'api_error', message: 'Internal server error (simulated)' } }
    return { custom_id, result: { type: 'errored', error: { ...error, request_id: requestId } } }
  }
  if (result.kind === 'too_large') {
    const requestId = requestIdOf(engine.digest(batch.id, result.index).slice(0, 32))
    const error = { type: 'invalid_request_error', message: engine.tooLargeMessage(result.limit) }
    return { custom_id, result: { type: 'errored', error: { type: 'error', error, request_id: requestId } } }
  }
  if (result.status >= 400) return { custom_id, result: { type: 'errored', error: result.body } }
  const { usage, ...message } = result.body as { usage: object }
  return {
    custom_id,
    result: { type: 'succeeded', message: { ...message, usage: { ...usage, service_tier: 'batch' } } },
  }
}

interface Shown extends Record<string, unknown> {
  id: string
}

function showBatch(batches: Batches, batch: Batch, input: RouteInput, now: number): Shown {
  const state = batches.stateAt(batch, now)
  const results = batch.results as Results | null
  const none = { succeeded: 0, errored: 0, canceled: 0, expired: 0 }
  const time = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString())
  return {
    id: batch.id,
    type: 'message_batch',
    processing_status: state.isEnded ? 'ended' : state.phase === 'cancelling' ? 'canceling' : 'in_progress',
    request_counts: results === null ? { processing: batch.total, ...none } : { processing: 0, ...results.counts },
    created_at: time(batch.createdAt),
    ended_at: time(state.endedAt),
    expires_at: time(batch.createdAt + DAY_MS),
    archived_at: null,
    cancel_initiated_at: time(batch.cancelledAt ?? state.cancellingAt),
    results_url: results === null ? null : input.url(`${input.basePath}${PATH}/${batch.id}/results`),
  }
}
