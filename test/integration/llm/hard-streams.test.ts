/** Shapes that trip gateways: calls, usage, ends and codings of streams, and members of complete replies and errors. */
import t from 'tap'
import { brotliDecompressSync, createGunzip, gunzipSync } from 'node:zlib'
import { request } from 'node:http'
import { readAwsEvents, readSse } from '../../support/event-stream.ts'
import { formats, serveLlm, type LlmFormat } from '../../support/llm-formats.ts'

const server = await serveLlm(t)
const CHAT = '/ai/openai/v1/chat/completions'
const hello = { model: 'svc-gpt', messages: [{ role: 'user', content: 'hello' }] }
const by = (id: string): LlmFormat => formats.find(format => format.id === id)!
const TWO_CALLS = JSON.stringify({
  text: 'One moment.',
  tool_calls: [
    { name: 'weather', args: { city: 'Oslo' }, id: 'call_a' },
    { name: 'now', args: {}, id: 'call_b' },
  ],
})

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- replies of many formats
type Any = any

interface Shaped {
  status: number
  headers: Headers
  acts: string | null
  text: string
  /** The objects of its events. */
  events: Any[]
}

async function ask(path: string, body: object, shape: string, headers: Record<string, string> = {}): Promise<Shaped> {
  const response = await fetch(server.url + path, {
    method: 'POST',
    headers: {
      'X-Svc-Tokens-Per-Second': '0',
      'Accept-Encoding': 'identity',
      'anthropic-version': '2023-06-01',
      'X-Svc-Stream-Shape': shape,
      ...headers,
    },
    body: JSON.stringify(body),
  })
  const bytes = Buffer.from(await response.arrayBuffer())
  const isAws = response.headers.get('content-type')?.includes('amazon') === true
  const text = isAws ? '' : bytes.toString()
  const events = isAws
    ? readAwsEvents(bytes).map(({ data }) => JSON.parse(data) as Any)
    : readSse(text)
        .filter(({ data }) => data.startsWith('{'))
        .map(({ data }) => JSON.parse(data) as Any)
  return {
    status: response.status,
    headers: response.headers,
    acts: response.headers.get('x-svc-stream-shape'),
    text,
    events,
  }
}
const stream = (shape: string, headers: Record<string, string> = {}, more: object = {}): Promise<Shaped> =>
  ask(CHAT, { ...hello, stream: true, ...more }, shape, headers)
const whole = async (shape: string, headers: Record<string, string> = {}): Promise<Any> => {
  const { text, acts } = await ask(CHAT, hello, shape, headers)
  return { ...(JSON.parse(text) as object), acts }
}
const calls = { 'X-Svc-Reply-Json': TWO_CALLS }
/** The parts of calls, in the order in which they are sent. */
const partsOf = ({ events }: Shaped): Any[] =>
  events.flatMap(event => event.choices?.[0]?.delta?.tool_calls ?? []) as Any[]
const argumentsOf = (parts: Any[]): string => parts.map(part => part.function.arguments as string).join('')

t.test('calls in chat chunks', async t => {
  const plain = partsOf(await stream('', calls))
  t.ok(plain.length > 4, 'the arguments come in several parts')
  t.equal(argumentsOf(plain.filter(({ index }) => index === 0)), '{"city":"Oslo"}')

  const interleaved = partsOf(await stream('tools=interleaved', calls))
  t.strictSame(
    interleaved.slice(0, 4).map(({ index }) => index as number),
    [0, 1, 0, 1],
  )
  t.equal(interleaved.length, plain.length)
  t.equal(argumentsOf(interleaved.filter(({ index }) => index === 0)), '{"city":"Oslo"}')

  t.ok(partsOf(await stream('tools=same-index', calls)).every(({ index }) => index === 0))
  t.ok(partsOf(await stream('tools=no-index', calls)).every(part => !('index' in part)))
  t.ok(partsOf(await stream('tools=no-id', calls)).every(part => !('id' in part)))
  t.strictSame(
    partsOf(await stream('tools=blank-id', calls)).flatMap(part => ('id' in part ? [part.id as string] : [])),
    ['', ''],
  )
  for (const part of partsOf(await stream('tools=repeat-id', calls)))
    t.match(part, { id: part.index === 0 ? 'call_a' : 'call_b', type: 'function', function: { name: String } })

  const { events } = await stream('tools=fused', calls)
  const fused = events.filter(event => event.choices[0]?.delta.tool_calls !== undefined)
  t.equal(fused.length, 1)
  t.match(fused[0].choices[0].delta.tool_calls, [
    { index: 0, id: 'call_a', function: { name: 'weather', arguments: '{"city":"Oslo"}' } },
    { index: 1, id: 'call_b', function: { name: 'now', arguments: '{}' } },
  ])
  const late = partsOf(await stream('tools=late-name', calls)).filter(({ index }) => index === 0)
  t.notOk('name' in late[0].function)
  t.equal(late[1].function.name, 'weather')
  const merged = partsOf(await stream('tools=whole', calls))
  t.strictSame(
    merged.map(part => part.function.arguments as string),
    ['{"city":"Oslo"}', '{}'],
  )
  const empty = partsOf(await stream('tools=empty-args', calls)).filter(({ index }) => index === 1)
  t.strictSame(
    empty.map(part => part.function as object),
    [{ name: 'now', arguments: '' }],
  )
  const both = await stream('tools=whole+no-index', calls)
  t.equal(both.acts, 'tools=whole+no-index')
  t.strictSame(
    partsOf(both).map(part => [part.id as string, 'index' in part]),
    [
      ['call_a', false],
      ['call_b', false],
    ],
  )
  for (const path of [
    '/ai/azure/openai/deployments/svc-gpt/chat/completions?api-version=1',
    '/ai/ollama/v1/chat/completions',
  ])
    t.equal(partsOf(await ask(path, { ...hello, stream: true }, 'tools=fused', calls)).length, 2, path)
})

const claude = { model: 'claude-sonnet-4-5', max_tokens: 999, stream: true, messages: hello.messages }
const MESSAGES = '/ai/anthropic/v1/messages'

t.test('calls in messages and responses', async t => {
  const deltas = (all: Any[], index: number): string =>
    all
      .filter(event => event.index === index && event.delta?.type === 'input_json_delta')
      .map(event => event.delta.partial_json as string)
      .join('')
  const mixed = await ask(MESSAGES, claude, 'tools=interleaved', calls)
  const kinds = mixed.events.map(({ type, index }) => `${type as string} ${index as number}`)
  t.ok(kinds.indexOf('content_block_start 2') < kinds.indexOf('content_block_delta 1'), 'all are opened first')
  t.ok(kinds.indexOf('content_block_delta 2') < kinds.lastIndexOf('content_block_delta 1'), 'then filled in turn')
  t.equal(deltas(mixed.events, 1), '{"city":"Oslo"}')
  t.equal(deltas(mixed.events, 2), '{}')
  const whole = (await ask(MESSAGES, claude, 'tools=whole', calls)).events
  t.equal(whole.filter(event => event.index === 1 && event.type === 'content_block_delta').length, 1)
  const empty = (await ask(MESSAGES, claude, 'tools=empty-args', calls)).events
  t.equal(empty.filter(event => event.index === 2 && event.type === 'content_block_delta').length, 0)
  t.equal(deltas(empty, 1), '{"city":"Oslo"}')
  t.equal((await ask(MESSAGES, claude, 'tools=no-id+whole', calls)).acts, 'tools=whole', 'what the format has')

  const RESPONSES = '/ai/openai/v1/responses'
  const create = { model: 'svc-gpt', input: 'hello', stream: true }
  const responses = (shape: string, reply = calls): Promise<Shaped> => ask(RESPONSES, create, shape, reply)
  const order = (shaped: Shaped): string[] =>
    shaped.events.map(({ type, output_index: at }) => `${type as string} ${at as number}`)
  const inTurn = await responses('tools=interleaved')
  const names = order(inTurn)
  t.ok(
    names.indexOf('response.output_item.added 2') < names.indexOf('response.function_call_arguments.delta 1'),
    'all items are added first',
  )
  t.strictSame(
    inTurn.events.map(event => event.sequence_number as number),
    inTurn.events.map((_event, index) => index),
    'numbers count up',
  )
  const one = await responses('tools=whole')
  t.equal(order(one).filter(name => name === 'response.function_call_arguments.delta 1').length, 1)
  const none = await responses('tools=empty-args')
  t.equal(order(none).filter(name => name === 'response.function_call_arguments.delta 2').length, 0)

  const swapped = order(await responses('order=swapped'))
  t.ok(swapped.indexOf('response.output_item.done 0') < swapped.indexOf('response.output_text.done 0'))
  t.ok((await responses('sequence=absent')).events.every(event => !('sequence_number' in event)))
  t.ok((await responses('sequence=zero')).events.every(event => event.sequence_number === 0))
  t.ok((await responses('id=absent')).events.every(event => !('item_id' in event)))
  const last = (shaped: Shaped): Any => shaped.events.at(-1).response
  t.match(last(await responses('completed=bare')), { output: [], usage: null, status: 'completed' })
  t.match(last(await responses('finish=odd')), { status: 'odd' })
  t.match(last(await responses('usage=strings')), { usage: { total_tokens: /^\d+$/ } })
})

t.test('usage, nulls, finish reasons and ends [STR-28]', async t => {
  const [finish, usage] = (await stream('usage=beside')).events.slice(-2)
  t.equal(finish.choices[0].finish_reason, 'stop')
  t.match(usage, { choices: [{ index: 0, delta: {} }], usage: { completion_tokens: Number } })
  const asked = { stream_options: { include_usage: true } }
  t.equal((await stream('usage=null', {}, asked)).events.at(-1).usage, null)
  t.match((await stream('usage=last+strings')).events.at(-1).usage, { prompt_tokens: /^\d+$/ })
  t.strictSame(Object.keys((await stream('usage=last+bare')).events.at(-1).usage as object), [
    'prompt_tokens',
    'completion_tokens',
    'total_tokens',
  ])
  t.match(await whole('usage=strings'), {
    usage: { prompt_tokens: /^\d+$/, prompt_tokens_details: { cached_tokens: '0' } },
  })
  t.equal((await whole('usage=null')).usage, null)
  t.notOk('usage' in (await whole('usage=none')))
  t.match(await whole('usage=own'), { acts: null }, 'there is only one place')

  const nulls = await stream('null=content+delta+finish+tool_calls')
  const [first] = nulls.events
  t.match(first.choices[0].delta, { role: 'assistant', content: null, tool_calls: null })
  t.match(nulls.events.at(-1).choices[0], { delta: null, finish_reason: null })
  t.ok(
    nulls.events.some(event => event.choices[0].delta?.content),
    'the text stays',
  )
  t.match(await whole('null=content+details+finish+logprobs'), {
    choices: [{ message: { content: null }, finish_reason: null, logprobs: null }],
    usage: { prompt_tokens_details: null, completion_tokens_details: null },
    acts: 'null=content+details+finish+logprobs',
  })
  t.match(await whole('null=message'), { choices: [{ message: null }] })

  t.equal((await stream('finish=tool_use')).events.at(-1).choices[0].finish_reason, 'tool_use')
  t.match(await whole('finish=eos'), { choices: [{ finish_reason: 'eos' }], acts: 'finish=eos' })

  const empty = (await stream('empty-choices')).events
  t.strictSame(empty[0].choices, [])
  t.strictSame(empty.at(-2).choices, [])
  t.equal(empty.at(-1).choices[0].finish_reason, 'stop')

  const lines = (shaped: Shaped): string[] => shaped.text.trim().split('\n\n')
  t.strictSame(lines(await stream('done=twice')).slice(-2), ['data: [DONE]', 'data: [DONE]'])
  const early = lines(await stream('done=early'))
  t.equal(early.at(-2), 'data: [DONE]')
  t.match(early.at(-1), '"finish_reason":"stop"')
  const huge = await stream('huge=70000')
  t.equal(huge.events[1].svc_padding.length, 70_000)
  t.notOk('svc_padding' in huge.events[0])
})

t.test('the finish reason of every format, streamed and complete', async t => {
  for (const format of formats) {
    const complete = await ask(format.path(false), format.body('hello', false), 'finish=odd_reason')
    t.match(complete.text, /"(?:finish_?reason|stop_?reason|done_reason)":"odd_reason"/i, format.id)
    t.equal(complete.acts, 'finish=odd_reason', format.id)
    const streamed = await ask(format.path(true), format.body('hello', true), 'finish=odd_reason')
    const text = streamed.text === '' ? JSON.stringify(streamed.events) : streamed.text
    t.match(text, /"(?:finish_?reason|stop_?reason|done_reason)":"odd_reason"/i, `${format.id}: streamed`)
  }
  const gemini = by('gemini')
  for (const isStream of [false, true]) {
    const failed = await ask(gemini.path(isStream), gemini.body('hello', isStream), 'finish=MALFORMED_FUNCTION_CALL')
    const last = isStream ? failed.events.at(-1) : JSON.parse(failed.text)
    t.match(last.candidates[0], {
      finishReason: 'MALFORMED_FUNCTION_CALL',
      finishMessage: String,
      content: { parts: [] },
    })
  }
  const empty = await ask(gemini.path(true), gemini.body('hello', true), 'null=content')
  t.match(empty.events.at(-1).candidates[0], { content: null, finishReason: 'STOP' })
  t.ok(empty.events.length > 1, 'the text came before')
  const message = await ask(MESSAGES, { ...claude, stream: false }, 'null=content')
  t.match(JSON.parse(message.text), { content: null, stop_reason: 'end_turn' })
})

t.test('usage of other formats', async t => {
  const figures: [id: string, pick: (reply: Any) => Any][] = [
    ['anthropic', reply => reply.usage],
    ['gemini', reply => reply.usageMetadata],
    ['bedrock', reply => reply.usage],
  ]
  for (const [id, pick] of figures) {
    const format = by(id)
    const complete = async (shape: string): Promise<Any> =>
      pick(JSON.parse((await ask(format.path(false), format.body('hello', false), shape)).text))
    t.equal(await complete('usage=null'), null, id)
    const texts = Object.values((await complete('usage=strings')) as object)
    t.ok(texts.some(value => /^\d+$/.test(String(value))) && !texts.some(value => typeof value === 'number'), id)
    t.ok(
      Object.values((await complete('usage=bare')) as object).every(value => typeof value === 'number'),
      id,
    )
    const { events } = await ask(format.path(true), format.body('hello', true), 'usage=null')
    const last = events.findLast(event => pick(event) !== undefined)
    t.equal(pick(last), null, `${id}: streamed`)
  }
})

t.test('a signature in three parts', async t => {
  const thinking = { ...claude, max_tokens: 4000, thinking: { type: 'enabled', budget_tokens: 2000 } }
  const signatures = (events: Any[]): string[] =>
    events.flatMap(event => event.delta?.signature ?? event.delta?.reasoningContent?.signature ?? [])
  const one = signatures((await ask(MESSAGES, thinking, '')).events)
  const three = signatures((await ask(MESSAGES, thinking, 'signature=split')).events)
  t.equal(one.length, 1)
  t.equal(three.length, 3)
  t.equal(three.join(''), one[0])
  const reply = { 'X-Svc-Reply-Json': '{"reasoning":"Hm.","text":"Yes"}' }
  const bedrock = by('bedrock')
  t.equal(
    signatures((await ask(bedrock.path(true), bedrock.body('hello', true), 'signature=split', reply)).events).length,
    3,
  )
})

t.test('errors with another status or body [STR-30]', async t => {
  const failed = (shape: string): Promise<Shaped> => ask(CHAT, hello, shape, { 'X-Svc-Fail': '429' })
  const plain = await failed('')
  const inReply = await failed('error-200')
  t.equal(inReply.status, 200)
  t.equal(inReply.text, plain.text)
  t.equal(inReply.acts, 'error-200')
  t.equal(inReply.headers.get('retry-after'), plain.headers.get('retry-after'))
  t.equal(
    ((await (await fetch(`${server.url}/ai/requests/${inReply.headers.get('x-svc-request-id')}`)).json()) as Any)
      .status,
    429,
  )

  const html = await failed('error-body=html')
  t.equal(html.status, 429)
  t.match(html.headers.get('content-type'), 'text/html')
  t.match(html.text, /^<html>/)
  t.match((await failed('error-body=text')).headers.get('content-type'), 'text/plain')
  t.equal((await failed('error-body=empty')).text, '')
  t.equal((await failed('error-body=truncated')).text, plain.text.slice(0, plain.text.length >> 1))
  t.match(JSON.parse((await failed('error-body=array')).text), [{ error: { message: String } }])
  t.equal((await failed('error-body=html, error-200')).acts, 'error-200, error-body=html')

  for (const format of formats)
    for (const isStream of [false, true]) {
      const error = await ask(format.path(isStream), format.body('hello', isStream), 'error-200')
      t.equal(error.status, 200, format.id)
      t.match(error.headers.get('content-type'), 'application/json', format.id)
      t.ok(format.message(JSON.parse(error.text) as never), `${format.id}: ${error.text}`)
    }
  const fine = await ask(CHAT, hello, 'error-body=html')
  t.equal(fine.acts, null, 'it acts on errors only')
  const refused = await ask(CHAT, { ...hello, stop: ['1', '2', '3', '4', '5'] }, 'error-body=array', {
    'X-Svc-Validation': 'enforce',
  })
  t.equal(refused.status, 400)
  t.match(refused.text, /^\[/)
})

/** The response as it is on the wire. */
function raw(
  shape: string,
  headers: Record<string, string>,
  isStream: boolean,
): Promise<{ coding: string | undefined; vary: string | undefined; chunks: Buffer[]; acts: unknown }> {
  return new Promise((resolve, reject) => {
    const sent = request(server.url + CHAT, {
      method: 'POST',
      headers: { 'X-Svc-Tokens-Per-Second': '200', 'X-Svc-Stream-Shape': shape, ...headers },
    })
    sent.on('error', reject)
    sent.on('response', response => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () =>
        resolve({
          coding: response.headers['content-encoding'],
          vary: response.headers.vary,
          chunks,
          acts: response.headers['x-svc-stream-shape'],
        }),
      )
    })
    sent.end(JSON.stringify({ ...hello, stream: isStream }))
  })
}

t.test('content codings: each event can be decoded when it arrives, or only at the end [STR-29]', async t => {
  const accepts = { 'Accept-Encoding': 'gzip, br, zstd' }
  const gzip = await raw('gzip', accepts, true)
  t.equal(gzip.coding, 'gzip')
  t.match(gzip.vary, 'Accept-Encoding')
  t.equal(gzip.acts, 'gzip')
  t.match(gunzipSync(Buffer.concat(gzip.chunks)).toString(), /data: \[DONE\]\n\n$/)
  const decoder = createGunzip()
  let decoded = ''
  decoder.on('data', (part: Buffer) => {
    decoded += part.toString()
  })
  // Half of the chunks are half of the events: nothing waits for the end.
  const half = gzip.chunks.slice(0, gzip.chunks.length >> 1)
  for (const chunk of half) await new Promise(resolve => decoder.write(chunk, resolve))
  t.match(decoded, /^data: \{.*\}\n\n/, 'the first parts are events')
  t.notMatch(decoded, /DONE/)
  const brotli = await raw('br', accepts, true)
  t.match(brotliDecompressSync(Buffer.concat(brotli.chunks)).toString(), /data: \[DONE\]\n\n$/)
  t.ok(brotli.chunks.length > 3)
  const zstd = await raw('zstd', accepts, true)
  t.equal(zstd.coding, 'zstd')
  for (const chunk of zstd.chunks.slice(0, 3)) t.equal(chunk.readUInt32LE(0), 0xfd2fb528, 'each event is a frame')
  const late = await raw('gzip=late', accepts, true)
  t.equal(late.acts, 'gzip=late')
  const beginning = late.chunks.slice(0, -1)
  t.ok(Buffer.concat(beginning).length < 200 || late.chunks.length === 1, 'nothing is flushed before the end')
  t.match(gunzipSync(Buffer.concat(late.chunks)).toString(), /data: \[DONE\]\n\n$/)

  const unasked = await raw('gzip', { 'Accept-Encoding': 'identity' }, true)
  t.strictSame([unasked.coding, unasked.acts], [undefined, undefined])
  t.match(unasked.vary, 'Accept-Encoding')
  t.equal((await raw('gzip=force', { 'Accept-Encoding': 'identity' }, true)).coding, 'gzip')
  const complete = await raw('br', accepts, false)
  t.match(JSON.parse(brotliDecompressSync(Buffer.concat(complete.chunks)).toString()), { object: 'chat.completion' })
  t.equal(complete.acts, 'br')
  const header = await raw('gzip', { ...accepts, 'X-Svc-Encoding': 'br' }, true)
  t.equal(header.coding, 'gzip', 'the header does nothing where a shape codes')
})

t.test('ledger, records and metrics count what was computed', async t => {
  const plain = await ask(CHAT, hello, '')
  const shaped = await ask(CHAT, hello, 'usage=null, null=message, finish=odd')
  const record = async ({ headers }: Shaped): Promise<Any> =>
    (await fetch(`${server.url}/ai/requests/${headers.get('x-svc-request-id')}`)).json()
  const [one, other] = [await record(plain), await record(shaped)]
  t.strictSame(other.usage, one.usage)
  t.equal(other.finish_reason, one.finish_reason)
})

t.test('a rule and the settings of a provider have shapes for complete replies', async t => {
  const session = { 'X-Svc-Session': 'shapes-of-rules' }
  const put = await fetch(`${server.url}/_svc/rules`, {
    method: 'POST',
    headers: session,
    body: JSON.stringify({ match: { llm: {} }, then: { llm: { stream_shape: 'finish=eos, tools=fused' } } }),
  })
  t.equal(put.status, 201, await put.text())
  const reply = await fetch(server.url + CHAT, { method: 'POST', headers: session, body: JSON.stringify(hello) })
  t.equal(reply.headers.get('x-svc-stream-shape'), 'finish=eos')
  t.match(await reply.json(), { choices: [{ finish_reason: 'eos' }] })
  const wrong = await fetch(`${server.url}/_svc/rules`, {
    method: 'POST',
    headers: session,
    body: JSON.stringify({ match: { llm: {} }, then: { llm: { stream_shape: 'tools=fuzed' } } }),
  })
  t.equal(wrong.status, 400)
})

t.test('frames of InvokeModel: shapes change the events within them', async t => {
  const path = (model: string): string => `/ai/bedrock/model/${model}/invoke-with-response-stream`
  const CLAUDE = path('anthropic.claude-sonnet-4-5-20250929-v1:0')
  const ofClaude = {
    anthropic_version: 'bedrock-2023-05-31',
    max_tokens: 4000,
    messages: [{ role: 'user', content: 'hello' }],
  }
  const inner = async (
    to: string,
    body: object,
    shape: string,
    headers = {},
  ): Promise<{ acts: unknown; events: Any[] }> => {
    const { acts, events } = await ask(to, body, shape, headers)
    return {
      acts,
      events: events.map(({ bytes }) => JSON.parse(Buffer.from(bytes as string, 'base64').toString()) as Any),
    }
  }
  const plain = await inner(CLAUDE, ofClaude, '')
  t.equal(plain.events.at(-1).type, 'message_stop')

  for (const shape of ['no-done', 'no-finish', 'usage=twice', 'usage=last', 'done=early', 'finish=odd', 'huge=99']) {
    const { acts, events } = await inner(CLAUDE, ofClaude, shape)
    const types = events.map(({ type }) => type as string)
    if (shape === 'usage=last') {
      t.equal(acts, null, 'messages have no such place')
      continue
    }
    t.equal(acts, shape)
    if (shape === 'no-done') t.notOk(types.includes('message_stop'))
    else if (shape === 'no-finish') t.notOk(types.includes('message_delta'))
    else if (shape === 'usage=twice') t.equal(types.filter(type => type === 'message_delta').length, 2)
    else if (shape === 'done=early') t.strictSame(types.slice(-2), ['message_stop', 'message_delta'])
    else if (shape === 'finish=odd') t.ok(events.some(({ delta }) => delta?.stop_reason === 'odd'))
    else t.equal(events[1].svc_padding.length, 99)
  }

  const { events } = await inner(CLAUDE, ofClaude, 'tools=interleaved', calls)
  const starts = events.flatMap(({ type, index, content_block: block }) =>
    type === 'content_block_start' && block.type === 'tool_use' ? [index as number] : [],
  )
  const firstDelta = events.findIndex(({ delta }) => delta?.type === 'input_json_delta')
  t.equal(starts.length, 2)
  t.ok(events.slice(0, firstDelta).filter(({ content_block: block }) => block?.type === 'tool_use').length === 2)

  const thinking = { ...ofClaude, thinking: { type: 'enabled', budget_tokens: 2000 } }
  const split = await inner(CLAUDE, thinking, 'signature=split')
  t.equal(split.events.filter(({ delta }) => delta?.type === 'signature_delta').length, 3)
  t.equal(split.acts, 'signature=split')

  const nova = path('amazon.nova-pro-v1:0')
  const ofNova = { messages: [{ role: 'user', content: [{ text: 'hello' }] }] }
  const named = await inner(nova, ofNova, 'usage=null, finish=odd')
  t.equal(named.acts, 'usage=null, finish=odd')
  t.equal(named.events.find(({ messageStop }) => messageStop !== undefined)?.messageStop.stopReason, 'odd')
  const last = named.events.at(-1)
  t.equal(last.metadata.usage, null)
  t.ok(last['amazon-bedrock-invocationMetrics'].inputTokenCount > 0, 'it stays a member of the frame')
  t.notOk(last.metadata['amazon-bedrock-invocationMetrics'])

  const titan = await inner(path('amazon.titan-text-express-v1'), { inputText: 'hello' }, 'finish=odd, tools=fused')
  t.equal(titan.acts, 'finish=odd')
  t.equal(titan.events.at(-1).completionReason, 'odd')

  const complete = await ask(CLAUDE.replace('-with-response-stream', ''), ofClaude, 'null=content, usage=null')
  t.match(JSON.parse(complete.text), { content: null, usage: null })
})
