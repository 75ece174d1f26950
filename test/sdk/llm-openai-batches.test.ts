/** Files, uploads and batches with the official `openai` package. */
import { setTimeout as wait } from 'node:timers/promises'
import t from 'tap'
import OpenAI, { AzureOpenAI, toFile } from 'openai'
import { serveLlm } from '../support/llm-formats.ts'

const server = await serveLlm(t)
const clientOf = (headers: Record<string, string> = {}): OpenAI =>
  new OpenAI({ baseURL: `${server.url}/ai/openai/v1`, apiKey: 'sk-demo-1234', maxRetries: 0, defaultHeaders: headers })
const client = clientOf()
const failure = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => null,
    error => error as unknown,
  )

const line = (customId: string, content: string, more: object = {}): string =>
  JSON.stringify({
    custom_id: customId,
    method: 'POST',
    url: '/v1/chat/completions',
    body: { model: 'svc-echo', messages: [{ role: 'user', content }] },
    ...more,
  })
const upload = (lines: string[]): Promise<OpenAI.FileObject> =>
  toFile(Buffer.from(lines.join('\n')), 'input.jsonl').then(file => client.files.create({ file, purpose: 'batch' }))

async function ended(id: string, of: OpenAI = client): Promise<OpenAI.Batch> {
  for (;;) {
    const batch = await of.batches.retrieve(id)
    if (['completed', 'failed', 'expired', 'cancelled'].includes(batch.status)) return batch
    await wait(10)
  }
}

const linesOf = async (id: string): Promise<{ custom_id: string; response: { status_code: number } | null }[]> =>
  (await (await client.files.content(id)).text())
    .trim()
    .split('\n')
    .map(text => JSON.parse(text))

t.test('files are uploaded, listed, read and deleted [LLMN-160]', async t => {
  const file = await client.files.create({
    file: await toFile(Buffer.from('hello'), 'grüße.txt'),
    purpose: 'user_data',
    expires_after: { anchor: 'created_at', seconds: 3600 },
  })
  t.match(file, { object: 'file', bytes: 5, filename: 'grüße.txt', purpose: 'user_data', status: 'processed' })
  t.equal(file.expires_at, file.created_at + 3600)
  t.same(await client.files.retrieve(file.id), file)
  t.same(await client.files.waitForProcessing(file.id), file)
  t.equal(await (await client.files.content(file.id)).text(), 'hello')
  const other = await client.files.create({ file: await toFile(Buffer.from('x'), 'x.txt'), purpose: 'assistants' })
  const listed: string[] = []
  for await (const { id } of client.files.list({ limit: 1 })) listed.push(id)
  t.same(listed, [other.id, file.id], 'newest first, page by page')
  t.match((await client.files.list({ purpose: 'assistants' })).data, [{ id: other.id }])
  const described = await client.responses.create({
    model: 'svc-echo',
    input: [{ role: 'user', content: [{ type: 'input_file', file_id: file.id }] }],
  })
  t.equal(described.output_text, 'user: [file grüße.txt (5 bytes)]')
  t.match(await client.files.delete(file.id), { deleted: true })
  t.match(await failure(client.files.retrieve(file.id)), {
    status: 404,
    error: { message: `No such File object: ${file.id}`, param: 'id' },
  })
  const wrong = await toFile(Buffer.from('x'), 'x.txt')
  t.match(await failure(client.files.create({ file: wrong, purpose: 'batch' })), { status: 400 })
  t.match(await failure(client.files.create({ file: wrong, purpose: 'other' as 'batch' })), {
    status: 400,
    param: 'purpose',
  })
})

t.test('an upload is sent in parts [LLMN-161]', async t => {
  const begun = await client.uploads.create({
    filename: 'a.txt',
    purpose: 'user_data',
    bytes: 11,
    mime_type: 'text/plain',
  })
  t.match(begun, { object: 'upload', status: 'pending', bytes: 11, expires_at: begun.created_at + 3600 })
  const parts: string[] = []
  for (const text of ['hello', ' world'])
    parts.push((await client.uploads.parts.create(begun.id, { data: await toFile(Buffer.from(text), 'part') })).id)
  t.match(await failure(client.uploads.complete(begun.id, { part_ids: [parts[0]!] })), { status: 400 })
  const done = await client.uploads.complete(begun.id, { part_ids: parts })
  t.match(done, { status: 'completed', file: { bytes: 11, filename: 'a.txt' } })
  t.equal(await (await client.files.content(done.file!.id)).text(), 'hello world')
  t.match(await failure(client.uploads.cancel(begun.id)), { status: 400 })
  const other = await client.uploads.create({ filename: 'a', purpose: 'user_data', bytes: 1, mime_type: 'text/plain' })
  t.match(await client.uploads.cancel(other.id), { status: 'cancelled' })
  const expiring = (seconds: number): Promise<OpenAI.Upload> =>
    client.uploads.create({
      filename: 'a',
      purpose: 'user_data',
      bytes: 1,
      mime_type: 'text/plain',
      expires_after: { anchor: 'created_at', seconds },
    })
  t.match(await failure(expiring(5)), { status: 400, param: 'expires_after' })
  const { id } = await expiring(7200)
  const part = (await client.uploads.parts.create(id, { data: await toFile(Buffer.from('x'), 'part') })).id
  t.match(await failure(client.uploads.complete(id, { part_ids: [part], md5: '0'.repeat(32) })), {
    status: 400,
    param: 'md5',
  })
  const { file } = await client.uploads.complete(id, { part_ids: [part], md5: '9dd4e461268c8034f5c8564e155c67a6' })
  t.equal(file!.expires_at, file!.created_at + 7200)
  t.match(await failure(client.uploads.cancel('upload_0')), { status: 404 })
})

t.test('a batch completes, and its items are counted once [LLMN-162]', async t => {
  const session = clientOf({ 'X-Svc-Session': 'batch', 'X-Svc-Batch': '20ms' })
  const input = await upload([
    line('a', 'one'),
    line('b', 'two'),
    line('c', 'three', { body: { model: 'svc-echo', messages: [] } }),
  ])
  const created = await session.batches.create({
    input_file_id: input.id,
    endpoint: '/v1/chat/completions',
    completion_window: '24h',
    metadata: { team: 'demo' },
  })
  t.match(created, {
    object: 'batch',
    request_counts: { total: 3 },
    metadata: { team: 'demo' },
  })
  const batch = await ended(created.id, session)
  t.match(batch, { status: 'completed', request_counts: { total: 3, completed: 2, failed: 1 }, model: 'svc-echo' })
  t.ok(batch.usage!.total_tokens > 0)
  t.match(await linesOf(batch.output_file_id!), [
    { custom_id: 'a', response: { status_code: 200, body: { choices: [{ message: { content: 'user: one' } }] } } },
    { custom_id: 'b', response: { status_code: 200 } },
  ])
  t.match(await linesOf(batch.error_file_id!), [{ custom_id: 'c', response: { status_code: 400 }, error: null }])
  await Promise.all([ended(created.id, session), ended(created.id, session)])
  const calls = (await (await fetch(`${server.url}/ai/usage/calls?session=batch`)).json()) as {
    calls: { batch: string | null; prompt_tokens: number }[]
  }
  t.equal(calls.calls.filter(call => call.batch === created.id).length, 3)
  const listed: string[] = []
  for await (const { id } of client.batches.list({ limit: 1 })) listed.push(id)
  t.same(listed, [created.id])
  t.match(await failure(client.batches.cancel(created.id)), { status: 400 })
})

t.test('a batch fails, expires, is cancelled or has errors, as the plan says [LLMN-163]', async t => {
  const input = await upload(['a', 'b', 'c', 'd'].map(id => line(id, id)))
  const start = (plan: string): Promise<OpenAI.Batch> =>
    clientOf({ 'X-Svc-Batch': plan }).batches.create({
      input_file_id: input.id,
      endpoint: '/v1/chat/completions',
      completion_window: '24h',
    })
  t.match(await ended((await start('50, fail')).id), {
    status: 'failed',
    errors: { data: [{ code: 'server_error', line: null }] },
    output_file_id: null,
  })
  const expired = await ended((await start('50, expire')).id)
  t.match(expired, { status: 'expired', request_counts: { completed: 2, failed: 2 } })
  t.match(await linesOf(expired.error_file_id!), [{ response: null, error: { code: 'batch_expired' } }, {}])
  const wrong = await ended((await start('50, errors=100')).id)
  t.match(wrong, { status: 'completed', output_file_id: null, request_counts: { failed: 4 } })
  t.match(await linesOf(wrong.error_file_id!), [{ response: { status_code: 500 } }, {}, {}, {}])
  const half = (await ended((await start('50, errors=50')).id)).request_counts
  t.match(half, { completed: 2, failed: 2 }, 'exactly that percentage')
  const running = await start('60s')
  t.match(running, { status: 'validating', output_file_id: null })
  t.match(await client.batches.cancel(running.id), { status: 'cancelling' })
  const quick = await start('2s')
  await client.batches.cancel(quick.id)
  t.match(await ended(quick.id), { status: 'cancelled' })
  t.equal((await ended((await start('50, cancel')).id)).status, 'cancelled')
})

t.test('wrong input ends in a failed batch [LLMN-163]', async t => {
  const cases: [string[], string][] = [
    [['no JSON'], 'invalid_json_line'],
    [[JSON.stringify({ custom_id: 'a' })], 'missing_required_parameter'],
    [[line('a', 'x'), line('a', 'y')], 'duplicate_custom_id'],
    [[line('a', 'x', { url: '/v1/embeddings' })], 'invalid_url'],
    [[line('a', 'x', { method: 'GET' })], 'invalid_method'],
    [[line('a', 'x'), line('b', 'x', { body: { model: 'svc-gpt' } })], 'mismatched_model'],
    [[''], 'empty_file'],
  ]
  for (const [lines, code] of cases) {
    const { id } = await upload(lines)
    const batch = await clientOf({ 'X-Svc-Batch': '10' }).batches.create({
      input_file_id: id,
      endpoint: '/v1/chat/completions',
      completion_window: '24h',
    })
    t.match(await ended(batch.id), { status: 'failed', errors: { data: [{ code }] } }, code)
  }
  const create = (more: object): Promise<unknown> =>
    failure(
      client.batches.create({
        input_file_id: 'file-0',
        endpoint: '/v1/chat/completions',
        completion_window: '24h',
        ...more,
      }),
    )
  t.match(await create({}), { status: 400, param: 'input_file_id' })
  t.match(await create({ endpoint: '/v1/other' }), { status: 400, param: 'endpoint' })
  t.match(await create({ completion_window: '1h' }), { status: 400, param: 'completion_window' })
  for (const after of [{ anchor: 'created_at', seconds: 5 }, { seconds: 3600 }, 3600])
    t.match(await create({ output_expires_after: after }), { status: 400, param: 'output_expires_after' })
  t.match(await failure(client.batches.retrieve('batch_0')), {
    status: 404,
    error: { message: "No batch found with id 'batch_0'." },
  })
})

t.test('Azure has files and batches with an API version, and endpoints without /v1 [LLMN-162]', async t => {
  const azure = new AzureOpenAI({
    endpoint: `${server.url}/ai/azure`,
    apiKey: 'any',
    apiVersion: '2025-04-01-preview',
    defaultHeaders: { 'X-Svc-Batch': '50' },
  })
  const file = await azure.files.create({
    file: await toFile(Buffer.from(line('a', 'hi', { url: '/chat/completions' })), 'input.jsonl'),
    purpose: 'batch',
  })
  const { id } = await azure.batches.create({
    input_file_id: file.id,
    endpoint: '/chat/completions' as '/v1/chat/completions',
    completion_window: '24h',
  })
  t.match(await ended(id, azure), { status: 'completed', request_counts: { completed: 1 } })
})
