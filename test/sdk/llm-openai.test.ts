/** The official `openai` package against the mock: every operation of the format. */
import t from 'tap'
import OpenAI, { APIError, AuthenticationError, BadRequestError, NotFoundError, RateLimitError, toFile } from 'openai'
import { serveLlm } from '../support/llm-formats.ts'

const server = await serveLlm(t)
const baseURL = `${server.url}/ai/openai/v1`
const fast = { 'X-Svc-Tokens-Per-Second': '0' }
const client = new OpenAI({ baseURL, apiKey: 'sk-demo-1234', maxRetries: 0, defaultHeaders: fast })
const hello: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: 'hello' }]
const schema = {
  type: 'object',
  properties: { city: { type: 'string' }, age: { type: 'integer', minimum: 40 } },
  required: ['city', 'age'],
  additionalProperties: false,
}
const greeting = /^Hello! I'm svc, a mock model server/

t.test('chat completions: a reply with usage, a stream, and their records [LLM-50]', async t => {
  const { data, response } = await client.chat.completions.create({ model: 'svc-gpt', messages: hello }).withResponse()
  t.match(data.choices[0]?.message.content, greeting)
  t.same([data.usage?.prompt_tokens, data.usage?.completion_tokens, data.usage?.total_tokens], [4, 45, 49])
  t.equal(response.headers.get('x-svc-credential'), 'bearer ****1234')

  const stream = await client.chat.completions.create({
    model: 'svc-gpt',
    messages: hello,
    stream: true,
    stream_options: { include_usage: true },
  })
  let text = ''
  let deltas = 0
  let usage: OpenAI.CompletionUsage | null | undefined
  for await (const chunk of stream) {
    const piece = chunk.choices[0]?.delta.content ?? ''
    if (piece !== '') deltas++
    text += piece
    usage = chunk.usage
  }
  t.equal(text, data.choices[0]?.message.content)
  t.equal(deltas, 45, 'one delta per token')
  t.same(usage, data.usage)

  const record = (await (
    await fetch(`${server.url}/ai/requests/${response.headers.get('x-svc-request-id')}`)
  ).json()) as { headers: Record<string, string> }
  t.match(record, {
    provider: 'openai',
    model: 'svc-gpt',
    mode: 'canned',
    status: 200,
    normalized_prompt: 'user: hello',
    finish_reason: 'stop',
    usage: { prompt_tokens: 4, completion_tokens: 45, total_tokens: 49 },
  })
  t.equal(record.headers.authorization, 'Bearer ****1234')
})

t.test('a reply that is too large is a bad request [HARD-30]', async t => {
  const messages = [{ role: 'user' as const, content: 'x'.repeat(100_000) }]
  const headers = { 'X-Svc-Reply-Json': JSON.stringify({ text: '{{prompt}}'.repeat(1000) }) }
  for (const stream of [false, true]) {
    const error: unknown = await client.chat.completions
      .create({ model: 'svc-gpt', messages, stream }, { headers })
      .catch((thrown: unknown) => thrown)
    t.ok(error instanceof BadRequestError)
    t.match((error as Error).message, /SVC_BUDGET_OUTPUT_BYTES/)
  }
})

t.test('chat completions: the stream helper, runTools, parse [LLM-50]', async t => {
  const final = await client.chat.completions.stream({ model: 'svc-gpt', messages: hello }).finalChatCompletion()
  t.match(final.choices[0]?.message.content, greeting)
  const called: string[] = []
  const runner = client.chat.completions.runTools({
    model: 'svc-gpt',
    messages: [{ role: 'user', content: 'weather in Paris?' }],
    tools: [
      {
        type: 'function',
        function: {
          name: 'get_weather',
          description: 'Current weather',
          parameters: { type: 'object', properties: { city: { type: 'string' } } },
          parse: JSON.parse,
          function: (args: { city: string }) => {
            called.push(args.city)
            return 'sunny'
          },
        },
      },
    ],
  })
  t.equal(
    await runner.finalContent(),
    'Based on the tool results: get_weather returned sunny. Let me know if you need anything else.',
  )
  t.same(called, ['Paris'])
  const parsed = await client.chat.completions.parse({
    model: 'svc-gpt',
    messages: [{ role: 'user', content: 'weather in Oslo' }],
    response_format: { type: 'json_schema', json_schema: { name: 'x', strict: true, schema } },
  })
  t.same(parsed.choices[0]?.message.parsed, { city: 'Oslo', age: 40 })
})

t.test('chat completions: choices, log probabilities, tools in a stream, reasoning, limits [LLM-50]', async t => {
  const many = await client.chat.completions.create({
    model: 'svc-random',
    messages: hello,
    n: 3,
    logprobs: true,
    top_logprobs: 2,
    stop: ['.'],
  })
  t.equal(many.choices.length, 3)
  t.equal(new Set(many.choices.map(choice => choice.message.content)).size, 3)
  const [entry] = many.choices[0]?.logprobs?.content ?? []
  t.equal(entry?.top_logprobs.length, 2)
  t.equal(entry?.top_logprobs[0]?.token, entry?.token)
  t.ok((entry?.logprob ?? 1) <= 0 && (entry?.logprob ?? -1) > -0.5)
  t.equal(Buffer.from(entry?.bytes ?? []).toString(), entry?.token)

  const streamed = client.chat.completions.stream({
    model: 'svc-gpt',
    messages: [{ role: 'user', content: 'weather in Rome' }],
    tools: [
      {
        type: 'function',
        function: { name: 'get_weather', parameters: { type: 'object', properties: { city: { type: 'string' } } } },
      },
    ],
  })
  const call = (await streamed.finalMessage()).tool_calls?.[0]
  t.match(call, { type: 'function', function: { name: 'get_weather', arguments: '{"city":"Rome"}' } })
  t.match(call?.id, /^call_[0-9a-f]{24}$/)

  const thought = await client.chat.completions.create({
    model: 'svc-gpt',
    messages: hello,
    reasoning_effort: 'low',
    max_completion_tokens: 3,
  })
  t.equal(thought.choices[0]?.finish_reason, 'length')
  t.equal(thought.usage?.completion_tokens, 3 + (thought.usage?.completion_tokens_details?.reasoning_tokens ?? 0))
})

t.test('responses: create, stream, parse, function calls [LLM-51]', async t => {
  const whole = await client.responses.create({
    model: 'svc-gpt',
    input: 'hello',
    instructions: 'be brief',
    metadata: { a: 'b' },
  })
  t.match(whole.output_text, greeting)
  t.match(whole, {
    status: 'completed',
    instructions: 'be brief',
    metadata: { a: 'b' },
    usage: { input_tokens: engineTokens('system: be brief\nuser: hello'), output_tokens: 45 },
  })

  const stream = client.responses.stream({
    model: 'svc-gpt',
    input: 'hello',
    reasoning: { effort: 'low', summary: 'auto' },
  })
  const types: string[] = []
  let last = -1
  for await (const event of stream) {
    t.equal(event.sequence_number, ++last)
    if (types.at(-1) !== event.type) types.push(event.type)
  }
  t.same(types, [
    'response.created',
    'response.in_progress',
    'response.output_item.added',
    'response.reasoning_summary_part.added',
    'response.reasoning_summary_text.delta',
    'response.reasoning_summary_text.done',
    'response.reasoning_summary_part.done',
    'response.output_item.done',
    'response.output_item.added',
    'response.content_part.added',
    'response.output_text.delta',
    'response.output_text.done',
    'response.content_part.done',
    'response.output_item.done',
    'response.completed',
  ])
  const final = await stream.finalResponse()
  t.match(final.output_text, greeting)
  t.equal(final.output[0]?.type, 'reasoning')

  const tools: OpenAI.Responses.FunctionTool[] = [
    {
      type: 'function',
      name: 'get_weather',
      parameters: { type: 'object', properties: { city: { type: 'string' } } },
      strict: false,
    },
  ]
  const asked = await client.responses.create({ model: 'svc-gpt', input: 'weather in Rome', tools })
  const call = asked.output.find(item => item.type === 'function_call')
  t.match(call, { name: 'get_weather', arguments: '{"city":"Rome"}' })
  const done = await client.responses.create({
    model: 'svc-gpt',
    tools,
    input: [
      { role: 'user', content: 'weather in Rome' },
      ...(asked.output as OpenAI.Responses.ResponseInputItem[]),
      { type: 'function_call_output', call_id: call?.call_id ?? '', output: 'rainy' },
    ],
  })
  t.match(done.output_text, /get_weather returned rainy/)

  const parsed = await client.responses.parse({
    model: 'svc-gpt',
    input: 'trip to Oslo',
    text: { format: { type: 'json_schema', name: 'x', schema, strict: true } },
  })
  t.same(parsed.output_parsed, { city: 'Oslo', age: 40 })
  const cut = await client.responses.create({ model: 'svc-gpt', input: 'hello', max_output_tokens: 2 })
  t.match(cut, { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' }, output_text: 'Hello' })
})

/** A second implementation of the tokenizer: four letters per token, one token per other character. */
function engineTokens(text: string): number {
  return (text.match(/[a-z]{1,4}|[^a-z\s]/gi) ?? []).length
}

t.test('completions with and without streaming, with several prompts [LLM-52]', async t => {
  const whole = await client.completions.create({
    model: 'svc-gpt',
    prompt: ['hello', 'json please'],
    n: 2,
    echo: true,
    suffix: '!',
  })
  t.same(
    whole.choices.map(choice => choice.index),
    [0, 1, 2, 3],
  )
  t.match(whole.choices[0]?.text, /^helloHello!.*!$/s)
  t.match(whole.choices[3]?.text, /^json please.*!$/s)
  t.equal(whole.usage?.prompt_tokens, 2 + 3)
  let text = ''
  let usage: OpenAI.CompletionUsage | undefined
  for await (const chunk of await client.completions.create({
    model: 'svc-gpt',
    prompt: 'hello',
    stream: true,
    stream_options: { include_usage: true },
  })) {
    text += chunk.choices[0]?.text ?? ''
    usage = chunk.usage ?? undefined
  }
  t.match(text, greeting)
  t.match(usage, { prompt_tokens: 2, completion_tokens: 45, total_tokens: 47 })
})

t.test('embeddings as floats and as base64 are the same [LLM-52]', async t => {
  const packed = await client.embeddings.create({ model: 'svc-embed', input: ['hello world', 'Hello, World!'] })
  const plain = await client.embeddings.create({
    model: 'text-embedding-3-large',
    input: 'hello world',
    encoding_format: 'float',
  })
  t.equal(packed.data[0]?.embedding.length, 1536)
  t.same(packed.data[0]?.embedding, packed.data[1]?.embedding)
  t.equal(plain.data[0]?.embedding.length, 3072)
  const same = await client.embeddings.create({
    model: 'svc-embed',
    input: 'hello world',
    encoding_format: 'float',
    dimensions: 1536,
  })
  t.ok(same.data[0]?.embedding.every((value, i) => Math.abs(value - (packed.data[0]?.embedding[i] ?? 9)) < 1e-6))
  t.equal((await client.embeddings.create({ model: 'svc-embed', input: [[1, 2, 3], [4]] })).usage.prompt_tokens, 4)
})

t.test('models, moderations, images [LLM-52]', async t => {
  const ids = (await client.models.list()).data.map(model => model.id)
  t.ok(ids.includes('svc-gpt') && ids.includes('gpt-6-sol'))
  t.equal((await client.models.retrieve('svc-anything')).id, 'svc-anything')
  await t.rejects(client.models.retrieve('no-such'), {
    status: 404,
    code: 'model_not_found',
    message: /The model 'no-such' does not exist/,
  })
  const { results } = await client.moderations.create({ input: ['I hate this idiot and will kill it', 'a nice day'] })
  t.match(results[0], { flagged: true, categories: { hate: true, harassment: true, violence: true, sexual: false } })
  t.equal(results[1]?.flagged, false)
  t.equal(Object.keys(results[0]?.category_scores ?? {}).length, 13)
  t.ok((results[0]?.category_scores.hate ?? 0) >= 0.9 && (results[1]?.category_scores.hate ?? 1) < 0.002)
  const image = await client.images.generate({ model: 'gpt-image-1', prompt: 'a gateway', n: 2 })
  t.equal(image.data?.length, 2)
  t.same([...Buffer.from(image.data?.[0]?.b64_json ?? '', 'base64').subarray(0, 4)], [0x89, 0x50, 0x4e, 0x47])
  t.equal((await client.images.generate({ prompt: 'x' })).data?.[0]?.url, `${server.url}/image/png`)
})

t.test('images: sizes, formats, edits, variations, streams [LLMN-175]', async t => {
  const sizeOf = (base64: string | undefined): number[] => {
    const png = Buffer.from(base64 ?? '', 'base64')
    return [png.readUInt32BE(16), png.readUInt32BE(20)]
  }
  const wide = await client.images.generate({ model: 'gpt-image-1', prompt: 'a', size: '1536x1024', quality: 'low' })
  t.match(wide, { size: '1536x1024', quality: 'low', output_format: 'png', background: 'opaque' })
  t.same(sizeOf(wide.data?.[0]?.b64_json), [24, 16], 'the proportions of the size')
  const file = (name: string): Promise<File> => toFile(Buffer.from('PNG'), name, { type: 'image/png' })
  const edited = await client.images.edit({
    model: 'gpt-image-1',
    image: [await file('a.png'), await file('b.png')],
    mask: await file('mask.png'),
    prompt: 'a gateway at dusk',
  })
  t.match(edited.usage, { input_tokens_details: { image_tokens: 170 } })
  t.same(sizeOf(edited.data?.[0]?.b64_json), [16, 16])
  const varied = await client.images.createVariation({ image: await file('a.png'), n: 2 })
  t.match(varied.data, [{ url: /\/image\/png$/ }, {}])
  const types: string[] = []
  for await (const event of await client.images.generate({
    model: 'gpt-image-1',
    prompt: 'a',
    stream: true,
    partial_images: 2,
  }))
    types.push(event.type)
  t.same(types, ['image_generation.partial_image', 'image_generation.partial_image', 'image_generation.completed'])
  const editing: string[] = []
  for await (const event of await client.images.edit({
    model: 'gpt-image-1',
    image: await file('a.png'),
    prompt: 'a',
    stream: true,
  }))
    editing.push(event.type)
  t.same(editing, ['image_edit.completed'])
  const wrong: [OpenAI.ImageGenerateParamsNonStreaming, string][] = [
    [{ prompt: 'x', size: '5000x10' as '1024x1024' }, 'size'],
    [{ prompt: 'x', output_format: 'gif' as 'png' }, 'output_format'],
    [{ prompt: 'x', partial_images: 4 }, 'partial_images'],
    [{ prompt: 'x', model: 'gpt-image-1', output_format: 'webp' }, 'output_format'],
  ]
  for (const [body, param] of wrong)
    await t.rejects(client.images.generate(body), { status: 400, param, message: /value/ })
})

t.test('audio: transcriptions in all formats, translation, speech [LLM-52]', async t => {
  const file = (): Promise<File> => toFile(Buffer.alloc(40_000), 'talk.wav', { type: 'audio/wav' })
  const text = 'Hello from svc. This is a fixed transcription for gateway demos.'
  const plain = await client.audio.transcriptions.create({ model: 'whisper-1', file: await file() })
  t.same(plain, { text, usage: { type: 'duration', seconds: 3 } })
  const verbose = await client.audio.transcriptions.create({
    model: 'whisper-1',
    file: await file(),
    response_format: 'verbose_json',
    timestamp_granularities: ['word'],
  })
  t.match(verbose, { duration: 2.5, text, segments: [{ id: 0, end: 2.5 }] })
  t.equal(verbose.words?.length, 11)
  t.match(
    await client.audio.transcriptions.create({ model: 'whisper-1', file: await file(), response_format: 'srt' }),
    /00:00:00,000 --> 00:00:02,500/,
  )
  t.match(
    await client.audio.transcriptions.create({ model: 'whisper-1', file: await file(), response_format: 'vtt' }),
    /^WEBVTT\n/,
  )
  let streamed = ''
  for await (const event of await client.audio.transcriptions.create({
    model: 'gpt-4o-transcribe',
    file: await file(),
    stream: true,
  })) {
    if (event.type === 'transcript.text.delta') streamed += event.delta
    if (event.type === 'transcript.text.done') t.equal(event.text, text)
  }
  t.equal(streamed, text)
  t.same(await client.audio.translations.create({ model: 'whisper-1', file: await file() }), { text })
  for (const [format, start] of [
    ['mp3', '\xff\xfb'],
    ['wav', 'RIFF'],
    ['pcm', '\0\0'],
  ] as const) {
    const sound = Buffer.from(
      await (
        await client.audio.speech.create({ model: 'tts-1', voice: 'alloy', input: 'hello', response_format: format })
      ).arrayBuffer(),
    )
    t.equal(sound.subarray(0, start.length).toString('latin1'), start, format)
  }
  const refused = await client.audio.speech
    .create({ model: 'tts-1', voice: 'alloy', input: 'hello', response_format: 'opus' })
    .then(
      () => null,
      (error: unknown) => error,
    )
  t.match(refused, { status: 400, param: 'response_format' })
})

t.test('errors have the classes of the package, with code and request id [LLM-53]', async t => {
  const failing = (kind: string): Promise<unknown> =>
    client.chat.completions.create({ model: 'svc-gpt', messages: hello }, { headers: { 'X-Svc-Fail': kind } }).then(
      () => null,
      (error: unknown) => error,
    )
  const rows: [kind: string, type: new (...args: never[]) => Error, code: string | null][] = [
    ['rate_limit', RateLimitError, 'rate_limit_exceeded'],
    ['auth', AuthenticationError, 'invalid_api_key'],
    ['context', BadRequestError, 'context_length_exceeded'],
    ['not_found', NotFoundError, 'model_not_found'],
  ]
  for (const [kind, type, code] of rows) {
    const error = await failing(kind)
    t.ok(error instanceof type, kind)
    t.equal((error as APIError).code, code)
    t.ok((error as APIError).requestID)
  }
})

t.test('the package retries automatically after Retry-After [LLM-53]', async t => {
  const statuses: number[] = []
  const waits: (string | null)[] = []
  const retrying = new OpenAI({
    baseURL,
    apiKey: 'k',
    maxRetries: 1,
    // The first attempt always fails here, so that the test doesn't depend on chance.
    fetch: async (url, init) => {
      const headers = new Headers(init?.headers)
      if (statuses.length === 0) headers.set('X-Svc-Fail', 'overloaded')
      const response = await fetch(url as string, { ...(init as RequestInit), headers })
      statuses.push(response.status)
      waits.push(response.headers.get('retry-after'))
      return response as never
    },
  })
  const reply = await retrying.chat.completions.create({ model: 'svc-gpt', messages: hello })
  t.match(reply.choices[0]?.message.content, greeting)
  t.same(statuses, [503, 200])
  t.same(waits, ['2', null])
})

const weatherTool = {
  type: 'function' as const,
  function: {
    name: 'get_weather',
    description: 'Current weather',
    parameters: { type: 'object', properties: { city: { type: 'string' } } },
  },
}
const noteTool = { type: 'custom' as const, custom: { name: 'take_note', description: 'Writes a note' } }
const weather: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: 'weather in Rome' }]

t.test('allowed tools: other tools are never called, and an invalid set is rejected [LLM-50]', async t => {
  const ask = (mode: 'auto' | 'required', names: string[]): Promise<OpenAI.ChatCompletion> =>
    client.chat.completions.create({
      model: 'svc-gpt',
      messages: weather,
      tools: [weatherTool, { type: 'function', function: { name: 'add_user' } }],
      tool_choice: {
        type: 'allowed_tools',
        allowed_tools: { mode, tools: names.map(name => ({ type: 'function', function: { name } })) },
      },
    })
  t.match(await ask('required', ['add_user']), {
    choices: [{ message: { tool_calls: [{ function: { name: 'add_user' } }] } }],
  })
  t.match(await ask('auto', ['add_user']), { choices: [{ finish_reason: 'stop', message: { tool_calls: undefined } }] })
  t.match(await ask('auto', ['add_user', 'get_weather']), {
    choices: [{ message: { tool_calls: [{ function: { name: 'get_weather' } }] } }],
  })
  await t.rejects(ask('auto', ['nobody']), {
    status: 400,
    param: 'tool_choice.allowed_tools.tools',
    message: /'nobody' not found/,
  })
  await t.rejects(ask('auto', []), {
    status: 400,
    param: 'tool_choice.allowed_tools.tools',
    message: /at least one tool/,
  })
  await t.rejects(ask('always' as 'auto', ['add_user']), {
    status: 400,
    param: 'tool_choice.allowed_tools.mode',
    message: /'auto' or 'required'/,
  })
  const flat = {
    name: 'get_weather',
    type: 'function' as const,
    strict: null,
    parameters: weatherTool.function.parameters,
  }
  const response = await client.responses.create({
    model: 'svc-gpt',
    input: 'say hello',
    tools: [flat, { ...flat, name: 'add_user' }],
    tool_choice: { type: 'allowed_tools', mode: 'required', tools: [{ type: 'function', name: 'add_user' }] },
  })
  t.match(response.output, [{ type: 'function_call', name: 'add_user' }])
  await t.rejects(
    client.responses.create({
      model: 'svc-gpt',
      input: 'x',
      tools: [flat],
      tool_choice: { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'function', name: 'nobody' }] },
    }),
    { status: 400, param: 'tool_choice.tools', message: /'nobody'/ },
  )
})

t.test('custom tools are called with text, with and without streaming [LLM-50] [LLM-51]', async t => {
  const forced = { type: 'custom' as const, custom: { name: 'take_note' } }
  const question = {
    model: 'svc-gpt',
    messages: [{ role: 'user' as const, content: 'buy milk' }],
    tools: [weatherTool, noteTool],
    tool_choice: forced,
  }
  const whole = await client.chat.completions.create(question)
  const [call] = whole.choices[0]?.message.tool_calls ?? []
  t.match(call, { type: 'custom', custom: { name: 'take_note', input: 'buy milk' } })
  t.equal(whole.choices[0]?.finish_reason, 'tool_calls')
  let input = ''
  let name: string | undefined
  for await (const chunk of await client.chat.completions.create({ ...question, stream: true })) {
    for (const piece of (chunk.choices[0]?.delta.tool_calls ?? []) as { custom?: { name?: string; input: string } }[]) {
      name ??= piece.custom?.name
      input += piece.custom?.input ?? ''
    }
  }
  t.same([name, input], ['take_note', 'buy milk'])
  const answered = await client.chat.completions.create({
    model: 'svc-gpt',
    tools: [noteTool],
    messages: [
      ...question.messages,
      { role: 'assistant', tool_calls: [call!] },
      { role: 'tool', tool_call_id: call!.id, content: 'written' },
    ],
  })
  t.match(answered.choices[0]?.message.content, /take_note returned written/)
  const grammar = {
    type: 'custom' as const,
    custom: {
      name: 'take_note',
      format: { type: 'grammar' as const, grammar: { syntax: 'regex' as const, definition: 'a+' } },
    },
  }
  t.match(
    await client.chat.completions.create({
      ...question,
      tools: [grammar],
      tool_choice: 'auto',
      messages: [{ role: 'user', content: 'take note' }],
    }),
    { choices: [{ finish_reason: 'stop' }] },
  )
  await t.rejects(client.chat.completions.create({ ...question, tools: [grammar] }), {
    status: 400,
    param: 'tool_choice',
    code: 'unsupported_value',
  })

  const flat = { type: 'custom' as const, name: 'take_note' }
  const response = await client.responses.create({
    model: 'svc-gpt',
    input: 'buy milk',
    tools: [flat],
    tool_choice: flat,
  })
  t.match(response.output, [{ type: 'custom_tool_call', name: 'take_note', input: 'buy milk', status: 'completed' }])
  const types: string[] = []
  let streamed = ''
  for await (const event of await client.responses.create({
    model: 'svc-gpt',
    input: 'buy milk',
    tools: [flat],
    tool_choice: 'required',
    stream: true,
  })) {
    if (types.at(-1) !== event.type) types.push(event.type)
    if (event.type === 'response.custom_tool_call_input.delta') streamed += event.delta
    if (event.type === 'response.custom_tool_call_input.done') t.equal(event.input, 'buy milk')
  }
  t.equal(streamed, 'buy milk')
  t.same(types, [
    'response.created',
    'response.in_progress',
    'response.output_item.added',
    'response.custom_tool_call_input.delta',
    'response.custom_tool_call_input.done',
    'response.output_item.done',
    'response.completed',
  ])
  const [item] = response.output as OpenAI.Responses.ResponseCustomToolCall[]
  const next = await client.responses.create({
    model: 'svc-gpt',
    tools: [flat],
    input: [
      { role: 'user', content: 'buy milk' },
      item!,
      { type: 'custom_tool_call_output', call_id: item!.call_id, output: 'written' },
    ],
  })
  t.match(next.output_text, /take_note returned written/)
})

t.test('chat completions reject audio and accept text [LLM-50]', async t => {
  t.match(await client.chat.completions.create({ model: 'svc-gpt', messages: hello, modalities: ['text'] }), {
    choices: [{ finish_reason: 'stop' }],
  })
  await t.rejects(
    client.chat.completions.create({
      model: 'svc-gpt',
      messages: hello,
      modalities: ['text', 'audio'],
      audio: { voice: 'alloy', format: 'wav' },
    }),
    { status: 400, param: 'modalities[1]', code: 'invalid_value', message: /'audio'/ },
  )
  await t.rejects(client.chat.completions.create({ model: 'svc-gpt', messages: hello, modalities: 'audio' as never }), {
    status: 400,
    param: 'modalities',
    message: /array/,
  })
})

t.test('log probabilities of completions with and without streaming [LLM-52]', async t => {
  const {
    choices: [choice],
  } = await client.completions.create({ model: 'svc-gpt', prompt: 'hello', logprobs: 2, echo: true, max_tokens: 6 })
  const {
    tokens = [],
    token_logprobs: logprobs = [],
    top_logprobs: tops = [],
    text_offset: offsets = [],
  } = choice?.logprobs ?? {}
  t.equal(tokens.join(''), choice?.text)
  t.same(
    offsets,
    tokens.map((_, at) => tokens.slice(0, at).join('').length),
  )
  t.equal(logprobs[0], null, 'the first token of the prompt has no log probability')
  t.ok(logprobs.slice(1).every(value => value <= 0 && value > -0.5))
  t.ok(tops.slice(1).every((top, at) => Object.keys(top).length === 3 && top[tokens[at + 1] ?? ''] !== undefined))
  const streamed: string[] = []
  for await (const chunk of await client.completions.create({
    model: 'svc-gpt',
    prompt: 'hello',
    logprobs: 0,
    max_tokens: 6,
    stream: true,
  }))
    streamed.push(...(chunk.choices[0]?.logprobs?.tokens ?? []))
  t.same(streamed, tokens.slice(2), 'one token per chunk')
  t.match(await client.completions.create({ model: 'svc-gpt', prompt: 'hello', logprobs: 99, max_tokens: 1 }), {
    choices: [{ logprobs: { tokens: ['Hell'] } }],
  })
  t.match(await client.completions.create({ model: 'svc-gpt', prompt: 'hello', max_tokens: 1 }), {
    choices: [{ logprobs: null }],
  })
})

t.test('the headers of a token bucket count down to the token [LLMN-31]', async t => {
  const limited = client.withOptions({
    defaultHeaders: { ...fast, 'X-Svc-Session': 'buckets', 'X-Svc-Limit-Tpd': '5000', 'X-Svc-Limit-Rpd': '50' },
  })
  let tokens = 5000
  for (let call = 1; call <= 12; call++) {
    const ask = { model: 'svc-gpt', messages: [{ role: 'user' as const, content: 'hello '.repeat(call) }] }
    const { data, response } =
      call % 3 === 0
        ? await streamed(limited, ask)
        : await limited.chat.completions.create({ ...ask, max_tokens: call * 5 }).withResponse()
    t.equal(response.headers.get('x-ratelimit-limit-tokens'), '5000')
    const before = tokens
    tokens -= data.usage!.total_tokens
    // The head of a stream is sent before its tokens are paid.
    const left = call % 3 === 0 ? before : tokens
    t.equal(response.headers.get('x-ratelimit-remaining-tokens'), String(left), `call ${call}`)
    t.equal(response.headers.get('x-ratelimit-remaining-requests'), String(50 - call))
  }
  t.ok(tokens < 4700, 'what the SDK counted')
})

/** The last usage of a stream, with its response. */
async function streamed(
  openai: OpenAI,
  ask: { model: string; messages: OpenAI.ChatCompletionMessageParam[] },
): Promise<{ data: { usage: OpenAI.CompletionUsage | null | undefined }; response: Response }> {
  const { data, response } = await openai.chat.completions
    .create({ ...ask, stream: true, stream_options: { include_usage: true } })
    .withResponse()
  let usage: OpenAI.CompletionUsage | null | undefined
  for await (const chunk of data) usage = chunk.usage
  return { data: { usage }, response }
}
