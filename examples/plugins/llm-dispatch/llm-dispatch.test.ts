import { after, before, test } from 'node:test'
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { startTestServer, type TestServer } from 'svc/testing'

let server: TestServer
before(async () => {
  server = await startTestServer({
    folders: [import.meta.dirname],
    plugins: ['llm-dispatch'],
    settings: { llm: { providers: [{ name: 'night-mail', format: 'dispatch', reply: 'delivered {{prompt}}' }] } },
  })
})
after(() => server.stop())

interface Job {
  id: string
  state: string
  text: string
  end?: string
  tokens: { prompt: number; reply: number }
}

const AT_ONCE = { 'X-Svc-Tokens-Per-Second': '0' }
/** The first token is due in a minute: the job is open as long as the test looks at it. */
const SLOW = { 'X-Svc-TTFT-Ms': '60000' }

const call = (method: string, path: string, headers: Record<string, string> = {}, body?: object): Promise<Response> =>
  fetch(`${server.url}/ai/${path}`, { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) })

async function create(body: object, headers: Record<string, string> = {}, provider = 'dispatch'): Promise<string> {
  const response = await call('POST', `${provider}/v1/jobs`, headers, body)
  assert.equal(response.status, 202)
  return `${provider}/v1/jobs/${((await response.json()) as Job).id}`
}

async function get(job: string, headers: Record<string, string> = {}): Promise<Job> {
  return (await (await call('GET', job, headers)).json()) as Job
}

test('a job is polled until it is done', async () => {
  assert.deepEqual(server.problems(), [])
  const job = await create({ model: 'courier-echo', prompt: 'one two three' }, { 'X-Svc-Tokens-Per-Second': '20' })
  const texts = new Set<string>()
  let shown = await get(job)
  for (; shown.state !== 'done'; shown = await get(job)) {
    assert.ok(['waiting', 'running'].includes(shown.state), shown.state)
    texts.add(shown.text)
    await sleep(10)
  }
  assert.equal(shown.text, 'user: one two three')
  assert.equal(shown.end, 'complete')
  for (const text of texts) assert.ok(shown.text.startsWith(text), text)
})

test('the events of a job are the same for everybody who follows it', async () => {
  const job = await create({ model: 'courier-echo', prompt: 'hi' }, { 'X-Svc-Tokens-Per-Second': '50' })
  const follow = async (): Promise<object[]> =>
    (await (await call('GET', `${job}/events`)).text())
      .trim()
      .split('\n')
      .map(line => JSON.parse(line) as object)
  const [first, second] = [await follow(), await follow()]
  assert.deepEqual(first, second)
  assert.deepEqual(first.at(-1), { end: 'complete' })
  assert.equal(first.map(event => ('text' in event ? event.text : '')).join(''), 'user: hi')
})

test('canceling a job ends its streams, and it stays canceled', async () => {
  const job = await create({ model: 'courier-echo', prompt: 'never mind' }, SLOW)
  const stream = call('GET', `${job}/events`).then(response => response.text())
  assert.equal((await get(job)).state, 'waiting')
  const canceled = (await (await call('DELETE', job)).json()) as Job
  assert.equal(canceled.state, 'canceled')
  assert.doesNotMatch(await stream, /"end"/)
  assert.deepEqual(await get(job), canceled)
  assert.deepEqual(await (await call('DELETE', job)).json(), canceled)
})

test('jobs are listed, and removed by a reset of their session', async () => {
  const session = { 'X-Svc-Session': 'listed', ...AT_ONCE }
  const job = await create({ prompt: 'x' }, session)
  const list = async (): Promise<Job[]> =>
    ((await (await call('GET', 'dispatch/v1/jobs', session)).json()) as { jobs: Job[] }).jobs
  assert.deepEqual((await list())[0], { id: job.split('/').at(-1), state: 'done' })
  await fetch(`${server.url}/_svc/reset`, { method: 'POST', headers: session, body: '{"kinds":["llm_state"]}' })
  assert.equal((await call('GET', job)).status, 404)
  assert.ok((await list()).every(({ id }) => !job.endsWith(id)))
})

test('faults: before the job is created, and while it runs', async () => {
  const full = await call('POST', 'dispatch/v1/jobs', { 'X-Svc-Fail': 'queue_full' }, { prompt: 'x' })
  assert.equal(full.status, 503)
  assert.deepEqual(await full.json(), { error: { kind: 'overloaded', message: 'The queue is full' } })
  const broken = await create({ model: 'courier-echo', prompt: 'x' }, { ...AT_ONCE, 'X-Svc-Fail': 'stream_error@2' })
  const shown = await get(broken)
  assert.deepEqual([shown.state, shown.tokens.reply], ['failed', 2])
})

test('errors have its format', async () => {
  for (const [body, field] of [
    [{}, 'prompt'],
    [{ prompt: 'x', model: 7 }, 'model'],
    [{ prompt: 'x', max_tokens: 0 }, 'max_tokens'],
  ] as const) {
    const response = await call('POST', 'dispatch/v1/jobs', {}, body)
    assert.equal(response.status, 400)
    assert.equal(((await response.json()) as { error: { field: string } }).error.field, field)
  }
  assert.equal((await call('GET', 'dispatch/v1/jobs/unknown/events')).status, 404)
})

test('svc.yaml can use the format', async () => {
  assert.equal((await get(await create({ prompt: 'x' }, AT_ONCE, 'night-mail'))).text, 'delivered x')
})
