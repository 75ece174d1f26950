/** Message batches and files with the official `@anthropic-ai/sdk`. */
import { setTimeout as wait } from 'node:timers/promises'
import t from 'tap'
import Anthropic, { toFile } from '@anthropic-ai/sdk'
import { serveLlm } from '../support/llm-formats.ts'

const server = await serveLlm(t)
const clientOf = (headers: Record<string, string> = {}): Anthropic =>
  new Anthropic({
    baseURL: `${server.url}/ai/anthropic`,
    apiKey: 'sk-ant-5555',
    maxRetries: 0,
    defaultHeaders: headers,
  })
const client = clientOf()
const failure = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => null,
    error => error as unknown,
  )
const request = (custom_id: string, params: object = {}): Anthropic.Messages.BatchCreateParams.Request => ({
  custom_id,
  params: {
    model: 'svc-echo',
    max_tokens: 64,
    messages: [{ role: 'user', content: custom_id }],
    ...params,
  },
})

async function ended(id: string): Promise<Anthropic.Messages.MessageBatch> {
  for (;;) {
    const batch = await client.messages.batches.retrieve(id)
    if (batch.processing_status === 'ended') return batch
    await wait(10)
  }
}

async function resultsOf(id: string): Promise<Anthropic.Messages.MessageBatchIndividualResponse[]> {
  const results = []
  for await (const result of await client.messages.batches.results(id)) results.push(result)
  return results
}

t.test('a batch ends with a result for each request [LLMN-164]', async t => {
  const requests = [request('a'), request('b', { messages: [] })]
  const running = await clientOf({ 'X-Svc-Batch': '60s' }).messages.batches.create({ requests })
  t.match(running, {
    type: 'message_batch',
    processing_status: 'in_progress',
    request_counts: { processing: 2, succeeded: 0 },
    results_url: null,
    ended_at: null,
  })
  t.match(await failure(client.messages.batches.delete(running.id)), { status: 400 })
  const created = await clientOf({ 'X-Svc-Batch': '20ms' }).messages.batches.create({ requests })
  const batch = await ended(created.id)
  t.match(batch, { request_counts: { processing: 0, succeeded: 1, errored: 1, canceled: 0, expired: 0 } })
  t.equal(batch.results_url, `${server.url}/ai/anthropic/v1/messages/batches/${created.id}/results`)
  t.match(await resultsOf(created.id), [
    {
      custom_id: 'a',
      result: {
        type: 'succeeded',
        message: { content: [{ text: 'user: a' }], usage: { service_tier: 'batch' } },
      },
    },
    { custom_id: 'b', result: { type: 'errored', error: { type: 'error', error: { type: 'invalid_request_error' } } } },
  ])
  const listed: string[] = []
  for await (const { id } of client.messages.batches.list({ limit: 1 })) listed.push(id)
  t.same(listed, [created.id, running.id])
  for (const page of [{ limit: 0 }, { limit: 1001 }, { after_id: 'msgbatch_0' }, { before_id: 'msgbatch_0' }])
    t.match(await failure(client.messages.batches.list(page)), { status: 400 }, JSON.stringify(page))
  t.match(await failure(client.models.list({ limit: 0 })), { status: 400 })
  t.match(await client.messages.batches.delete(created.id), { type: 'message_batch_deleted' })
  t.match(await failure(client.messages.batches.retrieve(created.id)), {
    status: 404,
    error: { error: { type: 'not_found_error' } },
  })
})

t.test('a batch is cancelled, expires or fails, as the plan says [LLMN-164]', async t => {
  const start = (plan: string): Promise<Anthropic.Messages.MessageBatch> =>
    clientOf({ 'X-Svc-Batch': plan }).messages.batches.create({ requests: ['a', 'b'].map(id => request(id)) })
  const slow = await start('60s')
  t.match(await client.messages.batches.cancel(slow.id), { processing_status: 'canceling' })
  t.equal((await fetch(`${server.url}/ai/anthropic/v1/messages/batches/${slow.id}/results`)).status, 404)
  const quick = await start('2s')
  await client.messages.batches.cancel(quick.id)
  t.match(await ended(quick.id), { request_counts: { processing: 0, errored: 0 } })
  t.match(await failure(client.messages.batches.cancel(quick.id)), { status: 400 })
  t.match(await ended((await start('20, expire')).id), { request_counts: { succeeded: 1, expired: 1 } })
  const failed = await ended((await start('20, fail')).id)
  t.match(failed, { request_counts: { errored: 2 } })
  t.match(await resultsOf(failed.id), [{ result: { error: { error: { type: 'api_error' } } } }, {}])
})

t.test('wrong batches get 400 [LLMN-164]', async t => {
  const create = (requests: unknown): Promise<unknown> =>
    failure(client.messages.batches.create({ requests: requests as [] }))
  t.match(await create([]), { status: 400 })
  t.match(await create([request('a b')]), { status: 400, message: /requests\.0\.custom_id/ })
  t.match(await create([request('a'), request('a')]), { message: /requests: custom_id values must be unique/ })
  t.match(await create([{ custom_id: 'a' }]), { message: /requests\.0\.params: Field required/ })
})

t.test('files are uploaded, listed, named in messages and deleted [LLMN-165]', async t => {
  const file = await client.beta.files.upload({
    file: await toFile(Buffer.from('hello'), 'a.txt', { type: 'text/plain' }),
  })
  t.match(file, { type: 'file', filename: 'a.txt', mime_type: 'text/plain', size_bytes: 5, downloadable: false })
  t.match(await client.beta.files.retrieveMetadata(file.id), file)
  const other = await client.beta.files.upload({ file: await toFile(Buffer.from('x'), 'b.txt') })
  const listed: string[] = []
  for await (const { id } of client.beta.files.list({ limit: 1 })) listed.push(id)
  t.same(listed, [other.id, file.id])
  const message = await client.beta.messages.create({
    model: 'svc-echo',
    max_tokens: 64,
    messages: [{ role: 'user', content: [{ type: 'document', source: { type: 'file', file_id: file.id } }] }],
  })
  t.match(message.content, [{ text: 'user: [file a.txt (5 bytes)]' }])
  t.match(await failure(client.beta.files.download(file.id)), {
    status: 400,
    error: { error: { details: { error_code: 'file_not_downloadable' } } },
  })
  t.match(await client.beta.files.delete(file.id), { type: 'file_deleted' })
  t.match(await failure(client.beta.files.retrieveMetadata(file.id)), {
    status: 404,
    error: { error: { message: `File not found: ${file.id}` } },
  })
})
