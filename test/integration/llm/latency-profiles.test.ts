/** Latency profiles and capacity of providers. */
import t from 'tap'
import { askFormat, formats, serveLlm } from '../../support/llm-formats.ts'
import { readUsage, usageCalls } from '../../support/llm-usage.ts'

const OPTIONS = {
  yaml: `
llm:
  profiles:
    steady: { ttft: 30, gap: 1, prefill_ms_per_token: 2 }
    wrong: { ttft: { normal: { mean: 3 } } }
  builtin:
    cohere: { capacity: { slots: 1, full: rate_limit } }
    gemini: { capacity: { slots: 1, full: unavailable } }
    anthropic: { capacity: { slots: 1 } }
    nobody: { cache: true }
  providers:
    - { name: paced, format: openai, profile: steady }
    - { name: two, format: openai, capacity: { slots: 2, queue: 1, load_factor: 3 } }
    - { name: lost, format: openai, profile: stedy }
    - { name: late, format: openai, capacity: { slots: 1, queue: 1, queue_timeout_ms: 200000 } }
`,
}
const server = await serveLlm(t, OPTIONS)
const one = await serveLlm(t, { ...OPTIONS, oneProcess: 'each process has its own slots' })

async function chat(
  provider: string,
  headers: Record<string, string> = {},
  body: object = {},
  signal?: AbortSignal,
  url = server.url,
) {
  return fetch(`${url}/ai/${provider}/v1/chat/completions`, {
    method: 'POST',
    headers,
    ...(signal && { signal }),
    body: JSON.stringify({ model: 'svc-gpt', messages: [{ role: 'user', content: 'hello' }], ...body }),
  })
}
const timingOf = (response: Response): Record<string, string> =>
  Object.fromEntries((response.headers.get('x-svc-timing') ?? '').split(', ').map(item => item.split('=')))

t.test('a profile of a request or a provider paces replies, and the header says how [LLMN-51]', async t => {
  const plain = await chat('openai')
  t.equal(plain.headers.get('x-svc-timing'), null)
  const response = await chat('openai', { 'X-Svc-Profile': 'ttft=20; gap=2; prefill=1' })
  const { usage } = (await response.json()) as { usage: { completion_tokens: number } }
  t.same(timingOf(response), { queue: '0', prefill: '4', ttft: '24', gap: '2' })
  t.ok(usage.completion_tokens > 1)
  const ofProvider = await chat('paced', {}, { stream: true })
  t.same(timingOf(ofProvider), { queue: '0', prefill: '8', ttft: '38', gap: '1' })
  t.match(await ofProvider.text(), /\[DONE\]/)
  const cached = await chat('paced', { 'X-Svc-Cached-Tokens': '3' })
  t.match(timingOf(cached), { prefill: '2', ttft: '32' }, 'cached tokens need no prefill')
  const stated = await chat('paced', { 'X-Svc-TTFT-Ms': '5', 'X-Svc-Tokens-Per-Second': '500' })
  t.same(timingOf(stated), { queue: '0', prefill: '0', ttft: '5', gap: '2' })
})

t.test('a wrong profile gets a 400 in each format [LLMN-52]', async t => {
  for (const format of formats) {
    const typo = await askFormat(server.url, format, { headers: { 'X-Svc-Profile': 'typicl' } })
    t.equal(typo.status, 400, format.id)
    t.match(format.message(typo.json()), /^X-Svc-Profile: .*typicl/)
  }
  const wrong = await chat('openai', { 'X-Svc-Profile': 'ttft=uniform(3,1)' })
  t.match(await wrong.json(), {
    error: { param: 'X-Svc-Profile', message: 'X-Svc-Profile: ttft.uniform: expected the lower bound first' },
  })
})

t.test('profiles are listed, and their draws can be read without waiting [LLMN-53]', async t => {
  const get = async (path: string): Promise<{ status: number; body: never }> => {
    const response = await fetch(server.url + path)
    return { status: response.status, body: (await response.json()) as never }
  }
  t.match((await get('/ai/profiles')).body, {
    profiles: [
      { name: 'instant', source: 'built-in', ttft: 0, gap: 0, mean_ttft_ms: 0 },
      { name: 'fast' },
      { name: 'typical', ttft: { lognormal: { median: 450, p99: 1800 } }, prefill_ms_per_token: 0.1, p50: 450 },
      { name: 'slow' },
      { name: 'thinking' },
      { name: 'steady', source: 'svc.yaml', ttft: 30, gap: 1, prefill_ms_per_token: 2, seed: '', p99: 30 },
    ],
  })
  const drawn = (await get('/ai/profiles/typical/draws?n=500&what=gap')).body as { draws: number[]; mean: number }
  t.match(drawn, { name: 'typical', what: 'gap', n: 500 })
  t.equal(drawn.draws.length, 500)
  t.ok(Math.abs(drawn.mean - 18) < 1)
  t.same((await get('/ai/profiles/typical/draws?n=500&what=gap')).body, drawn, 'they repeat')
  t.notSame((await get('/ai/profiles/typical/draws?n=500&what=gap&seed=x')).body, drawn)
  const inline = encodeURIComponent('ttft=constant(10); prefill=0.5')
  t.match((await get(`/ai/profiles/${inline}/draws?n=2&prompt_tokens=20&cached_tokens=10`)).body, { draws: [15, 15] })
  t.match(await get('/ai/profiles/none/draws'), { status: 404, body: { error: 'unknown_profile' } })
  t.match(await get(`/ai/profiles/${encodeURIComponent('ttft=x')}/draws`), {
    status: 400,
    body: { error: 'invalid_profile', at: 'ttft' },
  })
  for (const [query, parameter] of [
    ['n=0', 'n'],
    ['n=10001', 'n'],
    ['what=speed', 'what'],
    ['prompt_tokens=x', 'prompt_tokens'],
  ])
    t.match(await get(`/ai/profiles/fast/draws?${query}`), {
      status: 400,
      body: { error: 'invalid_parameter', parameter },
    })
})

t.test('generations beyond the slots wait, and beyond the queue they are refused [LLMN-54]', async t => {
  const session = { 'X-Svc-Session': 'slots' }
  const slow = { ...session, 'X-Svc-TTFT-Ms': '0', 'X-Svc-Tokens-Per-Second': '1' }
  const leaving = [new AbortController(), new AbortController()]
  const running = await Promise.all(leaving.map(({ signal }) => chat('two', slow, { stream: true }, signal, one.url)))
  t.same(running.map(response => timingOf(response).load).sort(), ['1/2', '2/2'])
  const waiting = chat('two', { ...session, 'X-Svc-Tokens-Per-Second': '0' }, {}, undefined, one.url)
  // The queue is full as soon as the server has read the request.
  const tryOnce = (): Promise<Response | null> =>
    chat('two', session, {}, AbortSignal.timeout(50), one.url).catch(() => null)
  let refused = await tryOnce()
  while (refused === null) refused = await tryOnce()
  t.equal(refused.status, 503)
  t.equal(refused.headers.get('x-svc-limited'), 'capacity')
  t.equal(refused.headers.get('x-svc-fault'), null)
  t.ok(Number(refused.headers.get('retry-after')) >= 10)
  t.notMatch(await refused.text(), /simulated/)
  leaving[0]!.abort()
  const admitted = await waiting
  t.equal(admitted.status, 200)
  t.ok(Number(timingOf(admitted).queue) > 0)
  t.equal(timingOf(admitted).load, '2/2')
  leaving[1]!.abort()
  await Promise.allSettled(running.map(response => response.text()))
  const { totals } = await readUsage(one.url, '?session=slots&group=none')
  t.ok(totals.limited >= 1)
  const calls = await usageCalls(one.url, '?session=slots')
  t.ok(calls.some(({ queue_ms }) => (queue_ms as number) > 0))
})

t.test('a request may state the load, in the words of each format [LLMN-55]', async t => {
  const { headers } = await chat('two', { 'X-Svc-Load': '1', 'X-Svc-TTFT-Ms': '10' })
  t.match(headers.get('x-svc-timing'), /ttft=30,.*load=2\/2/, 'the load factor')
  const queued = await chat('two', { 'X-Svc-Load': '2', 'X-Svc-Profile': 'ttft=10; gap=0' })
  t.match(timingOf(queued), { queue: '30', ttft: '30', load: '2/2' }, 'it waits its own length')
  t.equal((await chat('two', { 'X-Svc-Load': '3' })).status, 503)
  t.match((await chat('two', { 'X-Svc-Load': '4' })).headers.get('x-svc-ignored'), /^X-Svc-Load; .*0 to 3/)
  t.match((await chat('openai', { 'X-Svc-Load': '1' })).headers.get('x-svc-ignored'), null)
  const statuses: Record<string, [number, RegExp]> = {
    anthropic: [529, /^Overloaded$/],
    gemini: [503, /./],
    cohere: [429, /./],
  }
  for (const format of formats.filter(({ id }) => id in statuses)) {
    const [status, message] = statuses[format.id]!
    const refused = await askFormat(server.url, format, { headers: { 'X-Svc-Load': '1' } })
    t.equal(refused.status, status, format.id)
    t.match(format.message(refused.json()), message)
    t.equal(refused.headers.get('retry-after'), '1')
  }
})

t.test('mistakes in svc.yaml are load errors [LLMN-52]', async t => {
  const plugins = (await (await fetch(`${server.url}/_svc/plugins`)).json()) as object
  const text = JSON.stringify(plugins)
  for (const at of [
    'llm.profiles.wrong.ttft.normal',
    'llm.builtin.nobody',
    'llm.providers[2].profile',
    'llm.providers[3].capacity.queue_timeout_ms',
  ])
    t.ok(text.includes(at), at)
})
