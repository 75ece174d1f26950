/** Files and batches with the official `@google/genai`. */
import { setTimeout as wait } from 'node:timers/promises'
import t from 'tap'
import { GoogleGenAI, type BatchJob } from '@google/genai'
import { serveLlm } from '../support/llm-formats.ts'

const server = await serveLlm(t)
const clientOf = (headers: Record<string, string> = {}): GoogleGenAI =>
  new GoogleGenAI({ apiKey: 'goog-key-7777', httpOptions: { baseUrl: `${server.url}/ai/gemini`, headers } })
const client = clientOf()
const failure = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => null,
    error => error as unknown,
  )

async function ended(name: string): Promise<BatchJob> {
  for (;;) {
    const job = await client.batches.get({ name })
    if (!['JOB_STATE_PENDING', 'JOB_STATE_RUNNING'].includes(String(job.state))) return job
    await wait(10)
  }
}

t.test('files are uploaded in a resumable way, listed and deleted [LLMN-166]', async t => {
  const file = await client.files.upload({
    file: new Blob(['hello'], { type: 'text/plain' }),
    config: { displayName: 'a.txt', mimeType: 'text/plain' },
  })
  t.match(file, { displayName: 'a.txt', mimeType: 'text/plain', sizeBytes: '5', state: 'ACTIVE', source: 'UPLOADED' })
  t.equal(file.uri, `${server.url}/ai/gemini/v1beta/${file.name}`)
  t.equal(file.sha256Hash, 'LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ=')
  t.same(await client.files.get({ name: file.name! }), file)
  const named = await client.files.upload({
    file: new Blob(['x']),
    config: { name: 'my-file', mimeType: 'text/plain' },
  })
  t.equal(named.name, 'files/my-file')
  const listed: unknown[] = []
  for await (const { name } of await client.files.list({ config: { pageSize: 1 } })) listed.push(name)
  t.same(listed, [named.name, file.name])
  await client.files.delete({ name: file.name! })
  t.match(await failure(client.files.get({ name: file.name! })), { status: 403, message: /PERMISSION_DENIED/ })
})

t.test('a file is uploaded with one request, and wrong uploads are refused [LLMN-166]', async t => {
  const post = (headers: Record<string, string>, body: string, query = ''): Promise<Response> =>
    fetch(`${server.url}/ai/gemini/upload/v1beta/files${query}`, { method: 'POST', headers, body })
  const raw = (await (await post({ 'Content-Type': 'text/plain' }, 'hello')).json()) as { file: object }
  t.match(raw.file, { mimeType: 'text/plain', sizeBytes: '5' })
  const related = await post(
    { 'Content-Type': 'multipart/related; boundary=b' },
    '--b\r\nContent-Type: application/json\r\n\r\n{"file":{"displayName":"d"}}\r\n--b\r\nContent-Type: image/png\r\n\r\nabc\r\n--b--\r\n',
  )
  t.match(await related.json(), { file: { displayName: 'd', mimeType: 'image/png', sizeBytes: '3' } })
  const begun = await post({ 'X-Goog-Upload-Command': 'start' }, '{}')
  t.equal(begun.headers.get('x-goog-upload-status'), 'active')
  const target = new URL(begun.headers.get('x-goog-upload-url')!)
  const part = (command: string, offset: string, body: string): Promise<Response> =>
    fetch(target, {
      method: 'POST',
      headers: { 'X-Goog-Upload-Command': command, 'X-Goog-Upload-Offset': offset },
      body,
    })
  t.equal((await part('upload', '0', 'hel')).status, 200)
  t.equal((await part('upload', '0', 'hel')).status, 400, 'the offset is wrong')
  t.match(await (await part('upload, finalize', '3', 'lo')).json(), { file: { sizeBytes: '5' } })
  t.equal((await part('upload', '5', 'x')).status, 404, 'the upload has ended')
})

t.test('batches with inlined requests and with a file [LLMN-167]', async t => {
  const quick = clientOf({ 'X-Svc-Batch': '20ms' })
  const created = await quick.batches.create({
    model: 'gemini-echo',
    src: [
      { contents: [{ role: 'user', parts: [{ text: 'one' }] }], metadata: { key: 'a' } },
      { contents: [{ role: 'user', parts: [{ text: 'two' }] }] },
    ],
    config: { displayName: 'demo' },
  })
  t.match(created, { displayName: 'demo', model: 'models/gemini-echo' })
  const job = await ended(created.name!)
  t.equal(job.state, 'JOB_STATE_SUCCEEDED')
  t.match(job.dest?.inlinedResponses, [
    { response: { candidates: [{ content: { parts: [{ text: 'user: one' }] } }] } },
    { response: { candidates: [{ content: { parts: [{ text: 'user: two' }] } }] } },
  ])
  const lines = ['x', 'y'].map(key => JSON.stringify({ key, request: { contents: [{ parts: [{ text: key }] }] } }))
  const input = await client.files.upload({
    file: new Blob([lines.join('\n')]),
    config: { mimeType: 'application/jsonl' },
  })
  const { name } = await quick.batches.create({ model: 'gemini-echo', src: { fileName: input.name! } })
  const { dest } = await ended(name!)
  const output = await fetch(`${server.url}/ai/gemini/download/v1beta/${dest!.fileName!}:download?alt=media`)
  t.match(
    (await output.text())
      .trim()
      .split('\n')
      .map(line => JSON.parse(line) as unknown),
    [
      { key: 'x', response: { candidates: [{ content: { parts: [{ text: 'user: x' }] } }] } },
      { key: 'y', response: {} },
    ],
  )
  const listed: unknown[] = []
  for await (const batch of await client.batches.list({ config: { pageSize: 1 } })) listed.push(batch.name)
  t.same(listed, [name, created.name])
  await client.batches.delete({ name: name! })
  t.match(await failure(client.batches.get({ name: name! })), { status: 404 })
})

t.test('a batch is cancelled, expires or fails, as the plan says [LLMN-167]', async t => {
  const start = (plan: string): Promise<BatchJob> =>
    clientOf({ 'X-Svc-Batch': plan }).batches.create({
      model: 'gemini-echo',
      src: ['a', 'b'].map(text => ({ contents: [{ role: 'user', parts: [{ text }] }] })),
    })
  const slow = await start('2s')
  t.equal(slow.state, 'JOB_STATE_PENDING')
  await client.batches.cancel({ name: slow.name! })
  t.equal((await ended(slow.name!)).state, 'JOB_STATE_CANCELLED')
  t.equal((await ended((await start('20, fail')).name!)).state, 'JOB_STATE_FAILED')
  const expired = await ended((await start('20, expire')).name!)
  t.equal(expired.state, 'JOB_STATE_EXPIRED')
  const wrong = await ended((await start('20, errors=100')).name!)
  t.match(wrong.dest?.inlinedResponses, [{ error: { code: 13 } }, { error: { code: 13 } }])
})
