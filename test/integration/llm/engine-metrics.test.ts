/** The metrics of an inference engine, as gateways scrape them from vLLM. */
import t from 'tap'
import { serveLlm } from '../../support/llm-formats.ts'

const OPTIONS = {
  env: { SVC_ADMIN_TOKEN: 'secret-token' },
  yaml: `
llm:
  builtin:
    anthropic: { metrics: vllm }
  providers:
    - name: pool
      format: openai
      models: [llama-3, mistral]
      require_auth: true
      capacity: { slots: 2, queue: 1, kv_tokens: 1600 }
      cache: { min_tokens: 0 }
      metrics: vllm
      loras: [legal, medical]
    - name: pretend
      format: openai
      metrics: { format: vllm, fake: { running: 7, waiting: { ramp: [3, 3], period_s: 1 }, kv_usage: 0.25 } }
`,
}
const server = await serveLlm(t, { ...OPTIONS, oneProcess: 'an engine and its metrics are those of one process' })
const HISTOGRAMS = [
  'time_to_first_token_seconds',
  'inter_token_latency_seconds',
  'time_per_output_token_seconds',
  'e2e_request_latency_seconds',
  'request_queue_time_seconds',
  'request_prefill_time_seconds',
  'request_decode_time_seconds',
  'request_inference_time_seconds',
  'request_prompt_tokens',
  'request_generation_tokens',
]

/** Series with their labels in order, and their values. */
async function scrape(provider: string, url = server.url): Promise<{ text: string; values: Map<string, number> }> {
  const response = await fetch(`${url}/ai/${provider}/metrics`)
  t.equal(response.status, 200)
  t.equal(response.headers.get('content-type'), 'text/plain; version=0.0.4; charset=utf-8')
  const text = await response.text()
  const values = new Map<string, number>()
  for (const line of text.split('\n')) {
    if (line === '' || line.startsWith('#')) continue
    const [, series, value] = /^(vllm:[a-z0-9_]+\{(?:[a-z_]+="[^"]*",?)*\}) ([\d.e+-]+)$/.exec(line) ?? []
    t.not(series, undefined, line)
    values.set(series!, Number(value))
  }
  return { text, values }
}
const chat = (headers: Record<string, string> = {}, body: object = {}, signal?: AbortSignal): Promise<Response> =>
  fetch(`${server.url}/ai/pool/v1/chat/completions`, {
    method: 'POST',
    headers: { Authorization: 'Bearer any', 'X-Svc-Tokens-Per-Second': '0', ...headers },
    ...(signal && { signal }),
    body: JSON.stringify({ model: 'llama-3', messages: [{ role: 'user', content: 'hello' }], ...body }),
  })
const LLAMA = 'model_name="llama-3",engine="0"'

t.test('every series is there from the start, without a credential [LLMN-60]', async t => {
  const { text, values } = await scrape('pool')
  for (const model of ['llama-3', 'mistral']) {
    const labels = `model_name="${model}",engine="0"`
    for (const name of [
      'num_requests_running',
      'num_requests_waiting',
      'kv_cache_usage_perc',
      'prefix_cache_queries_total',
      'prefix_cache_hits_total',
      'num_preemptions_total',
      'prompt_tokens_total',
      'generation_tokens_total',
    ])
      t.equal(values.get(`vllm:${name}{${labels}}`), 0, name)
    for (const reason of ['stop', 'length', 'abort'])
      t.equal(values.get(`vllm:request_success_total{${labels},finished_reason="${reason}"}`), 0)
    for (const name of HISTOGRAMS)
      for (const part of [`bucket{${labels},le="+Inf"}`, `count{${labels}}`, `sum{${labels}}`])
        t.equal(values.get(`vllm:${name}_${part}`), 0, `${name}_${part}`)
  }
  t.equal(
    values.get(
      'vllm:cache_config_info{block_size="16",enable_prefix_caching="True",engine="0",gpu_memory_utilization="0.9",num_gpu_blocks="100"}',
    ),
    1,
  )
  const lora = 'vllm:lora_requests_info{max_lora="2",running_lora_adapters="",waiting_lora_adapters=""}'
  t.ok(Math.abs(values.get(lora)! - Date.now() / 1000) < 60)
  const types = [...text.matchAll(/^# TYPE (vllm:\S+) (\w+)$/gm)].map(([, name, type]) => `${name} ${type}`)
  t.equal(new Set(types).size, types.length)
  t.ok(types.includes('vllm:num_requests_running gauge') && types.includes('vllm:prompt_tokens_total counter'))
  t.equal(types.filter(type => type.endsWith(' histogram')).length, HISTOGRAMS.length)
})

t.test('they count what the provider serves [LLMN-61]', async t => {
  const text = Array.from({ length: 40 }, () => 'word').join(' ')
  const messages = [{ role: 'user', content: text }]
  for (let call = 0; call < 2; call++) t.equal((await chat({}, { messages })).status, 200)
  t.equal((await chat({}, { max_tokens: 2, stream: true })).status, 200)
  t.equal((await chat({ 'X-Svc-Fail': 'rate_limit' })).status, 429, 'faults come before the engine')
  const client = new AbortController()
  const stream = await chat({ 'X-Svc-Tokens-Per-Second': '1' }, { stream: true, model: 'legal' }, client.signal)
  const running = (await scrape('pool')).values
  t.equal(running.get(`vllm:num_requests_running{${LLAMA}}`), 1)
  t.ok(running.get(`vllm:kv_cache_usage_perc{${LLAMA}}`)! > 0)
  t.ok([...running.keys()].some(series => series.includes('running_lora_adapters="legal"')))
  client.abort()
  await stream.text().catch(() => '')
  let { values } = await scrape('pool')
  while (values.get(`vllm:num_requests_running{${LLAMA}}`) !== 0) ({ values } = await scrape('pool'))
  const success = (reason: string): number | undefined =>
    values.get(`vllm:request_success_total{${LLAMA},finished_reason="${reason}"}`)
  t.same([success('stop'), success('length'), success('abort')], [2, 1, 1])
  t.equal(values.get(`vllm:prompt_tokens_total{${LLAMA}}`), 42 + 42 + 4 + 4)
  t.equal(values.get(`vllm:prefix_cache_hits_total{${LLAMA}}`), 32)
  t.equal(values.get(`vllm:prefix_cache_queries_total{${LLAMA}}`), 42 + 42 + 4 + 4)
  for (const name of ['e2e_request_latency_seconds', 'request_prompt_tokens', 'request_queue_time_seconds'])
    t.equal(values.get(`vllm:${name}_count{${LLAMA}}`), 4, name)
  t.equal(values.get(`vllm:request_prompt_tokens_bucket{${LLAMA},le="5.0"}`), 2)
  t.equal(values.get(`vllm:request_prompt_tokens_sum{${LLAMA}}`), 92)
  t.ok(values.get(`vllm:time_to_first_token_seconds_count{${LLAMA}}`)! >= 3)
  t.ok(values.get(`vllm:inter_token_latency_seconds_count{${LLAMA}}`)! > 3)
})

t.test('gauges can be pretended, or stated for a time [LLMN-62]', async t => {
  const several = await serveLlm(t, OPTIONS)
  const labels = 'model_name="svc-gpt",engine="0"'
  const gauges = async (url = several.url): Promise<(number | undefined)[]> => {
    const { values } = await scrape('pretend', url)
    return ['num_requests_running', 'num_requests_waiting', 'kv_cache_usage_perc'].map(name =>
      values.get(`vllm:${name}{${labels}}`),
    )
  }
  const put = async (body: object | string, token = 'secret-token', query = ''): Promise<[number, object]> => {
    const { url } = query === '?scope=replica' ? server : several
    const response = await fetch(`${url}/ai/pretend/load${query}`, {
      method: 'PUT',
      headers: { 'X-Svc-Admin-Token': token },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    })
    return [response.status, (await response.json()) as object]
  }
  t.same(await gauges(), [7, 3, 0.25])
  t.match(await put({ running: 1, kv_usage: 1, for_secs: 600 }), [
    200,
    { running: { value: 1, until: /Z$/ }, kv_usage: { value: 1 } },
  ])
  for (let replica = 0; replica < 3; replica++) t.same(await gauges(), [1, 3, 1])
  t.match(await put({ running: null, waiting: 9 }), [200, { kv_usage: { value: 1 }, waiting: { value: 9 } }])
  t.same(await gauges(), [7, 9, 1])
  t.match(await put({ running: null, waiting: 8 }, 'secret-token', '?scope=replica'), [200, { waiting: { value: 8 } }])
  t.same(await gauges(server.url), [7, 8, 0.25])
  t.match(await put({ waiting: null, kv_usage: null }), [200, {}])
  t.same(await gauges(), [7, 3, 0.25])
  t.equal((await put({ running: 1 }, 'wrong'))[0], 401)
  for (const [body, at] of [
    ['[]', ''],
    [{ runing: 1 }, 'runing'],
    [{ running: -1 }, 'running'],
    [{ waiting: 1.5 }, 'waiting'],
    [{ kv_usage: 2 }, 'kv_usage'],
    [{ for_secs: 0 }, 'for_secs'],
  ] as const)
    t.match(await put(body), [400, { error: 'invalid_load', at }])
  t.equal((await put({}, 'secret-token', '?scope=some'))[0], 400)
})

t.test('a provider without `metrics` has neither route [LLMN-60]', async t => {
  for (const [method, path] of [
    ['GET', 'metrics'],
    ['PUT', 'load'],
  ] as const) {
    const response = await fetch(`${server.url}/ai/openai/${path}`, { method })
    t.equal(response.status, 404)
    t.match(await response.json(), { error: { type: 'invalid_request_error' } })
  }
  t.equal((await fetch(`${server.url}/ai/anthropic/metrics`)).status, 200)
})
