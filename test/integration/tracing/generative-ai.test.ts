/** Spans and metrics of the mock LLM: OpenTelemetry's semantic conventions for generative AI. */
import t from 'tap'
import { startCollector } from '../../support/otlp-collector.ts'
import { startProcess } from '../../support/process.ts'
import { until } from '../../support/until.ts'

const PROMPT = 'the secret plan of the whale'

t.test('spans say what was asked and answered, never the texts [LLMN-189]', async t => {
  const collector = await startCollector(t)
  const process = startProcess(t, {
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_BSP_SCHEDULE_DELAY: '50' },
  })
  const url = `http://127.0.0.1:${await process.port('HTTP')}`
  const post = async (path: string, body: object, headers: Record<string, string> = {}): Promise<string> => {
    const response = await fetch(url + path, {
      method: 'POST',
      headers: { 'X-Svc-Tokens-Per-Second': '0', ...headers },
      body: JSON.stringify(body),
    })
    return response.text()
  }
  const messages = [{ role: 'user', content: PROMPT }]
  const chat = JSON.parse(
    await post('/ai/v1/chat/completions', { model: 'gpt-4o', messages, max_tokens: 3, temperature: 0.5, top_p: 0.9 }),
  ) as { id: string; usage: { prompt_tokens: number; completion_tokens: number } }
  const streamed = await post('/ai/anthropic/v1/messages', {
    model: 'claude-sonnet-4-5',
    max_tokens: 2000,
    messages,
    stream: true,
    thinking: { type: 'enabled', budget_tokens: 1024 },
  })
  await post('/ai/gemini/v1beta/models/gemini-2.5-pro:generateContent', {
    contents: [{ role: 'user', parts: [{ text: PROMPT }] }],
    generationConfig: { temperature: 1, topP: 0.5 },
  })
  await post('/ai/v1/completions', { model: 'gpt-3.5-turbo-instruct', prompt: PROMPT })
  await post('/ai/v1/embeddings', { model: 'text-embedding-3-small', input: PROMPT })
  await post('/ai/bedrock/model/amazon.nova-pro-v1:0/converse', {
    messages: [{ role: 'user', content: [{ text: PROMPT }] }],
    inferenceConfig: { temperature: 0.25 },
  })
  await post(
    '/ai/azure/openai/deployments/gpt-5/chat/completions?api-version=1',
    { messages },
    {
      'X-Svc-Fail': 'rate_limit',
    },
  )
  const first = JSON.parse(await post('/ai/v1/responses', { model: 'gpt-5', input: PROMPT })) as { id: string }
  await post('/ai/v1/responses', { model: 'gpt-5-mini', input: 'and?', previous_response_id: first.id })
  await post('/ai/v1/chat/completions', { model: 'o3', messages, stream: true }, { 'X-Svc-Fail': 'stream_error@2' })
  await post('/ai/cohere/v2/rerank', { model: 'rerank-v3.5', query: 'a', documents: ['a', 'b'] })
  await until(() => collector.span('POST /ai/cohere/v2/rerank') !== undefined, 'the last span was exported')

  t.match(collector.span('chat gpt-4o')?.attributes, {
    'http.route': '/ai/v1/chat/completions',
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': 'openai',
    'gen_ai.request.model': 'gpt-4o',
    'gen_ai.request.max_tokens': 3,
    'gen_ai.request.temperature': 0.5,
    'gen_ai.request.top_p': 0.9,
    'gen_ai.request.stream': false,
    'gen_ai.response.model': 'gpt-4o',
    'gen_ai.response.id': chat.id,
    'gen_ai.response.finish_reasons': ['length'],
    'gen_ai.usage.input_tokens': chat.usage.prompt_tokens,
    'gen_ai.usage.output_tokens': 3,
    'gen_ai.usage.cache_read.input_tokens': 0,
  })
  const claude = collector.span('chat claude-sonnet-4-5')!.attributes
  t.match(claude, {
    'gen_ai.provider.name': 'anthropic',
    'gen_ai.request.stream': true,
    'gen_ai.response.id': /"id":"(msg_\w+)"/.exec(streamed)![1]!,
    'gen_ai.response.finish_reasons': ['end_turn'],
  })
  t.ok(Number(claude['gen_ai.usage.reasoning.output_tokens']) > 0)
  t.match(collector.span('generate_content gemini-2.5-pro')?.attributes, {
    'gen_ai.provider.name': 'gcp.gemini',
    'gen_ai.request.top_p': 0.5,
    'gen_ai.response.finish_reasons': ['STOP'],
    'gen_ai.response.id': String,
  })
  t.ok(collector.span('text_completion gpt-3.5-turbo-instruct'))
  t.match(collector.span('embeddings text-embedding-3-small')?.attributes, {
    'gen_ai.operation.name': 'embeddings',
    'gen_ai.usage.input_tokens': Number,
  })
  t.match(collector.span('chat amazon.nova-pro-v1:0')?.attributes, {
    'gen_ai.provider.name': 'aws.bedrock',
    'gen_ai.request.temperature': 0.25,
  })
  const refused = collector.spans.find(({ attributes }) => attributes['gen_ai.provider.name'] === 'azure.ai.openai')
  t.match(refused?.attributes, { 'error.type': 'rate_limit', 'http.response.status_code': 429 })
  t.notOk(refused && 'gen_ai.usage.output_tokens' in refused.attributes)
  t.match(collector.span('chat gpt-5')?.attributes, { 'gen_ai.conversation.id': first.id })
  t.match(collector.span('chat gpt-5-mini')?.attributes, { 'gen_ai.conversation.id': first.id })
  t.match(collector.span('chat o3')?.attributes, { 'error.type': 'stream_error', 'gen_ai.usage.output_tokens': 2 })
  t.notMatch(JSON.stringify(collector.spans), /whale/)

  const metrics = await (await fetch(`${url}/_svc/metrics`)).text()
  const labels = 'gen_ai_operation_name="chat",gen_ai_provider_name="openai",gen_ai_request_model="gpt-4o"'
  for (const line of [
    `gen_ai_server_request_duration_seconds_count{${labels}} 1`,
    `gen_ai_client_token_usage_bucket{${labels},gen_ai_token_type="output",le="1"} 0`,
    `gen_ai_client_token_usage_bucket{${labels},gen_ai_token_type="output",le="4"} 1`,
    `gen_ai_client_token_usage_sum{${labels},gen_ai_token_type="output"} 3`,
    `gen_ai_client_token_usage_bucket{${labels},gen_ai_token_type="input",le="67108864"} 1`,
  ])
    t.ok(metrics.includes(`${line}\n`), line)
  const ofClaude = 'gen_ai_operation_name="chat",gen_ai_provider_name="anthropic",gen_ai_request_model="claude"'
  for (const name of ['time_to_first_token', 'time_per_output_token'])
    t.ok(metrics.includes(`gen_ai_server_${name}_seconds_count{${ofClaude}} 1\n`), name)
  t.notOk(metrics.includes(`gen_ai_server_time_to_first_token_seconds_count{${labels}}`), 'not a stream')
  t.notMatch(metrics, /gen_ai[^\n]*rerank/)
})
