/** Adapters, sleep and start of model servers, as vLLM and llm-d's simulator have them (llm-d/llm-d-inference-sim eec055a3, docs/api.md). */
import t from 'tap'
import { send } from '../../support/request.ts'
import { serveLlm } from '../../support/llm-formats.ts'

const provider = (name: string, more = ''): string =>
  `    - { name: ${name}, format: openai, models: [base, legal], strict_models: true, metrics: vllm, loras: [legal]${more} }\n`
const { url } = await serveLlm(t, {
  yaml: `
llm:
  providers:
${provider('pool', ', sleep_mode: true, cache: { min_tokens: 0 }')}${provider('awake')}${provider('starting', ', startup_ms: 600000')}`,
  oneProcess: 'metrics are those of one process',
})

const post = (path: string, body: unknown = {}): ReturnType<typeof send> =>
  send(url, `/ai/${path}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: 'Bearer any', 'X-Svc-Tokens-Per-Second': '0' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
const chat = (model: string, text = 'hi'): ReturnType<typeof send> =>
  post('pool/v1/chat/completions', { model, messages: [{ role: 'user', content: text }] })

async function models(): Promise<string[]> {
  const { data } = (await send(url, '/ai/pool/v1/models', { headers: { Authorization: 'Bearer any' } })).json<{
    data: { id: string }[]
  }>()
  return data.map(({ id }) => id)
}

t.test('adapters are loaded and unloaded by route [LLMN-63]', async t => {
  t.same(await models(), ['base', 'legal'])
  t.equal((await chat('other')).status, 404)
  t.match(await post('pool/v1/load_lora_adapter', { lora_name: 'sql', lora_path: '/x' }), { status: 200, text: '' })
  t.equal((await post('pool/v1/load_lora_adapter', { lora_name: 'sql' })).status, 200, 'once more')
  t.same(await models(), ['base', 'legal', 'sql'])
  t.match((await chat('sql')).json(), { model: 'sql' })
  t.match((await send(url, '/ai/pool/metrics')).text, /max_lora="2"/)
  t.notMatch((await send(url, '/ai/pool/metrics')).text, /model_name="sql"/, 'an adapter counts as its base model')
  t.equal((await post('pool/v1/unload_lora_adapter', { lora_name: 'sql' })).status, 200)
  t.equal((await post('pool/v1/unload_lora_adapter', { lora_name: 'legal' })).status, 200)
  t.equal((await post('pool/v1/unload_lora_adapter', { lora_name: 'none' })).status, 200)
  t.same(await models(), ['base'])
  for (const model of ['sql', 'legal']) t.equal((await chat(model)).status, 404, model)
  t.match((await send(url, '/ai/awake/v1/models', { headers: { Authorization: 'Bearer any' } })).text, /legal/)
  t.equal((await post('pool/v1/load_lora_adapter', { lora_name: 'legal' })).status, 200)
  t.equal((await chat('legal')).status, 200)
})

t.test('wrong adapters, and too many [LLMN-63]', async t => {
  for (const body of ['', '{', '[]', {}, { lora_name: 7 }, { lora_name: '' }, { lora_name: 'x'.repeat(201) }])
    for (const verb of ['load', 'unload'])
      t.match(await post(`pool/v1/${verb}_lora_adapter`, body), { status: 400, text: /invalid_adapter.*lora_name/ })
  for (let count = 1; count < 20; count++)
    t.equal((await post('pool/v1/load_lora_adapter', { lora_name: `a${count}` })).status, 200)
  t.match(await post('pool/v1/load_lora_adapter', { lora_name: 'one-more' }), { status: 400, text: /at most 20/ })
  t.equal((await models()).length, 21)
})

t.test('a server sleeps if it may, without its prompt cache [LLMN-63]', async t => {
  const cached = async (): Promise<unknown> => (await chat('base', 'word '.repeat(60))).json<{ usage: object }>().usage
  const isSleeping = async (name: string): Promise<unknown> => (await send(url, `/ai/${name}/is_sleeping`)).json()
  await cached()
  t.match(await cached(), { prompt_tokens_details: { cached_tokens: 48 } })
  t.same(await isSleeping('pool'), { is_sleeping: false })
  t.match(await post('pool/sleep?level=1'), { status: 200, text: '' })
  t.same(await isSleeping('pool'), { is_sleeping: true })
  t.match(await cached(), { prompt_tokens_details: { cached_tokens: 0 } }, 'it is served, as in the simulator')
  t.equal((await post('pool/wake_up?tags=kv_cache')).status, 200)
  t.same(await isSleeping('pool'), { is_sleeping: false })
  t.equal((await post('awake/sleep')).status, 200, 'accepted')
  t.same(await isSleeping('awake'), { is_sleeping: false }, 'but ignored')
})

t.test('a server is not ready while it starts [LLMN-63]', async t => {
  t.match(await send(url, '/ai/starting/health/ready'), { status: 503, text: '' })
  t.equal((await send(url, '/ai/starting/health')).status, 200)
  t.equal((await send(url, '/ai/pool/health/ready')).status, 200)
})
