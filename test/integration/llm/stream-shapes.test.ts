/** `X-Svc-Stream-Shape`: the chunks of the raw response, and unusual events in every format. */
import t from 'tap'
import { createParser } from 'eventsource-parser'
import { request } from 'node:http'
import { readAwsEvents } from '../../support/event-stream.ts'
import { formats, serveLlm, type LlmFormat } from '../../support/llm-formats.ts'
import { exchange, splitResponse } from '../../support/raw-client.ts'

const server = await serveLlm(t)
const by = (id: string): LlmFormat => formats.find(format => format.id === id)!
const ECHO = 'grüße aus köln'

interface Shaped {
  head: string
  chunks: Buffer[]
  bytes: Buffer
  acts: string | undefined
}

/** Reads a stream from the wire, chunk by chunk. */
async function read(
  format: LlmFormat,
  shape: string,
  { text = ECHO, headers = {}, body = {}, path = format.path(true) }: Partial<ReadOptions> = {},
): Promise<Shaped> {
  const payload = JSON.stringify({ ...format.body(text, true), ...body })
  const lines = Object.entries({
    Host: 'localhost',
    Connection: 'close',
    'Content-Length': Buffer.byteLength(payload),
    'X-Svc-Tokens-Per-Second': '0',
    'X-Svc-Mode': 'echo',
    'X-Svc-Stream-Shape': shape,
    ...headers,
  }).map(([name, value]) => `${name}: ${value}\r\n`)
  const raw = await exchange(
    Number(new URL(server.url).port),
    Buffer.from(`POST ${path} HTTP/1.1\r\n${lines.join('')}\r\n${payload}`),
  )
  const { head, body: encoded } = splitResponse(raw.text)
  const chunks = dechunk(Buffer.from(encoded, 'latin1'))
  return { head, chunks, bytes: Buffer.concat(chunks), acts: /^x-svc-stream-shape: (.*)\r?$/im.exec(head)?.[1]?.trim() }
}
interface ReadOptions {
  text: string
  headers: Record<string, string>
  body: object
  path: string
}

function dechunk(bytes: Buffer): Buffer[] {
  const chunks: Buffer[] = []
  for (let at = 0; at < bytes.length; ) {
    const end = bytes.indexOf('\r\n', at)
    const size = Number.parseInt(bytes.toString('latin1', at, end), 16)
    if (size === 0) break
    chunks.push(bytes.subarray(end + 2, end + 2 + size))
    at = end + 2 + size + 2
  }
  return chunks
}

/** Events as a parser that follows the standard reads them. */
function standardEvents(bytes: Buffer): { data: string; event?: string | undefined; id?: string | undefined }[] {
  const events: { data: string; event?: string | undefined; id?: string | undefined }[] = []
  const parser = createParser({ onEvent: event => events.push(event) })
  parser.feed(new TextDecoder().decode(bytes))
  return events
}
const data = (bytes: Buffer): unknown[] =>
  standardEvents(bytes)
    .filter(event => event.data !== '[DONE]')
    .map(event => JSON.parse(event.data) as unknown)

const FIRST_PART = [
  'split=utf8',
  'split=line',
  'split=end',
  'split=byte',
  'split=7',
  'join=3',
  'crlf',
  'cr',
  'bom',
  'nospace',
  'multiline',
  'comments=hello there@2',
  'retry=1500',
  'eventid',
  'crlf, bom, nospace, multiline, comments=x, retry=10, eventid, split=13',
]

t.test('the first part changes bytes, not events, in every format [LLMN-10]', async t => {
  for (const format of formats) {
    const plain = format.pieces((await read(format, '')).bytes).join('')
    t.equal(plain, `user: ${ECHO}`, format.id)
    for (const shape of FIRST_PART) {
      const shaped = await read(format, shape)
      const bytes = shaped.bytes.subarray(shaped.bytes[0] === 0xef ? 3 : 0)
      const normal =
        /cr|comments|multiline/.test(shaped.acts ?? '') && format.id !== 'bedrock' ? normalized(bytes) : bytes
      t.equal(format.pieces(normal).join(''), plain, `${format.id} ${shape}`)
    }
  }
})

/** SSE and lines in the plainest form. */
function normalized(bytes: Buffer): Buffer {
  const text = bytes.toString()
  if (text.startsWith('{') || text.trimStart().startsWith('{'))
    return Buffer.from(
      text
        .split(/\r?\n/)
        .filter(line => line !== '')
        .join('\n'),
    )
  return Buffer.from(
    standardEvents(bytes)
      .map(
        event =>
          `${event.event === undefined ? '' : `event: ${event.event}\n`}data: ${event.data.replaceAll('\n', '')}\n\n`,
      )
      .join(''),
  )
}

t.test('a cut lies where the item says [LLMN-10]', async t => {
  const openai = by('openai')
  const whole = await read(openai, 'join=100')
  t.equal(whole.chunks.length, 1)
  const events = standardEvents(whole.bytes).length

  const utf8 = await read(openai, 'split=utf8')
  const cut = utf8.chunks.filter(chunk => chunk.at(-1)! >= 0xc0)
  t.equal(cut.length, 2, 'one cut in grüß, one in köln')
  t.equal(utf8.chunks.length, events + cut.length)

  const line = await read(openai, 'split=line')
  t.equal(line.chunks.length, 2 * events)
  for (const [index, chunk] of line.chunks.entries())
    if (index % 2 === 0) t.match(chunk.toString('latin1'), /^data: [^\n]*$/)

  const end = await read(openai, 'split=end')
  for (const [index, chunk] of end.chunks.entries())
    t.match(chunk.toString(), index % 2 === 0 ? /^data: .*\n$/ : /^\n$/)

  const byte = await read(openai, 'split=byte')
  t.ok(byte.chunks.every(chunk => chunk.length === 1))
  t.equal(byte.chunks.length, byte.bytes.length)

  const sizes = await read(openai, 'split=100')
  t.ok(sizes.chunks.slice(0, -1).every(chunk => chunk.length === 100))

  const broken = { headers: { 'X-Svc-Fail': 'stream_error@2' } }
  for (const [shape, size] of [
    ['split=byte', 1],
    ['split=2', 2],
  ] as const) {
    const { chunks, bytes } = await read(openai, shape, broken)
    t.match(bytes.toString(), /"error"/)
    t.ok(
      chunks.slice(0, -1).every(chunk => chunk.length === size),
      `${shape}: the error event too`,
    )
    const array = await read(by('gemini'), shape, { path: by('gemini').path(true).replace('?alt=sse', '') })
    t.match(array.bytes.toString().trim(), /^\[[^]*\]$/)
    t.ok(
      array.chunks.every(chunk => chunk.length <= size),
      `${shape}: the closing bracket too`,
    )
  }

  const joined = await read(openai, 'join=4')
  t.equal(joined.chunks.length, Math.ceil(events / 4))

  const crlf = await read(openai, 'crlf, split=end')
  t.equal(crlf.chunks[1]?.toString(), '\r\n')

  const ollama = await read(by('ollama'), 'split=end')
  t.equal(ollama.chunks[1]?.toString(), '\n')
  const aws = await read(by('bedrock'), 'split=end')
  t.equal(aws.chunks[1]?.length, 4)
  const frames = await read(by('bedrock'), 'split=utf8')
  t.ok(frames.chunks.some(chunk => chunk.at(-1)! >= 0xc0))
})

t.test('the response lists the items that act, in the order of the table [LLMN-10]', async t => {
  const openai = by('openai')
  t.equal((await read(openai, 'eventid, split=end, crlf, cr, join=3')).acts, 'split=end, crlf, eventid')
  t.equal((await read(by('ollama'), 'nospace, crlf, cr, eventid, bom')).acts, 'crlf, bom')
  t.equal((await read(by('bedrock'), 'crlf, bom')).acts, undefined)
  const unknown = await read(openai, 'split=word, crlf, sparkle')
  t.equal(unknown.acts, 'crlf')
  t.match(unknown.head, /x-svc-ignored: X-Svc-Stream-Shape; /i)
  for (const wrong of ['split=0', 'split=70000', 'join=1', 'heartbeat=5', 'comments=a:b', 'crlf=1', 'split'])
    t.equal((await read(openai, wrong)).acts, undefined, wrong)
})

t.test('comments, ids, retry and indented JSON [LLMN-10]', async t => {
  const { bytes } = await read(by('openai'), 'comments=ping@2, retry=1500, eventid, multiline, nospace')
  t.match(bytes.toString(), /data:\[DONE\]\n\n$/, 'also what is not JSON')
  const text = bytes.toString()
  t.match(text, /^retry:1500\n\nid:1\ndata:\{\ndata: {2}"id"/)
  t.match(text, /\n\n: ping\n\nid:2\n/)
  t.equal(standardEvents(bytes)[3]?.id, '4')
  t.match((await read(by('openai'), 'bom')).bytes.subarray(0, 3), Buffer.from([0xef, 0xbb, 0xbf]))
  const array = await read(by('gemini'), 'multiline', {
    path: '/ai/gemini/v1beta/models/svc-echo:streamGenerateContent',
  })
  t.match(array.bytes.toString(), /^\[\{\n {2}"candidates"/)
  t.equal((JSON.parse(array.bytes.toString()) as unknown[]).length > 1, true)
})

t.test('a heartbeat is sent while nothing else is [LLMN-10]', async t => {
  const text = await new Promise<string>((resolve, reject) => {
    const call = request(
      server.url + by('openai').path(true),
      {
        method: 'POST',
        headers: { 'X-Svc-Stream-Shape': 'heartbeat=20', 'X-Svc-TTFT-Ms': '20000', 'Content-Type': 'application/json' },
      },
      answer => {
        let sofar = ''
        answer.on('data', (chunk: Buffer) => {
          sofar += chunk.toString()
          if (!sofar.includes(': ping\n\n: ping\n\n')) return
          resolve(sofar)
          call.destroy()
        })
      },
    )
    call.on('error', reject)
    call.end(JSON.stringify(by('openai').body('hello', true)))
  })
  t.match(text, /: ping\n\n$/)
})

t.test('streams without their end, their finish reason or the end of the last event [LLMN-11]', async t => {
  const ends: Record<string, RegExp> = {
    openai: /\[DONE\]/,
    azure: /\[DONE\]/,
    cohere: /\[DONE\]/,
    anthropic: /message_stop/,
    ollama: /"done":true/,
    bedrock: /messageStop|metadata/,
  }
  const finishes: Record<string, RegExp> = {
    openai: /"finish_reason":"stop"/,
    azure: /"finish_reason":"stop"/,
    cohere: /message-end/,
    anthropic: /message_delta/,
    ollama: /"done":true/,
    bedrock: /messageStop/,
    gemini: /finishReason/,
  }
  for (const format of formats) {
    const plain = (await read(format, '')).bytes.toString('latin1')
    for (const [item, patterns] of [
      ['no-done', ends],
      ['no-finish', finishes],
    ] as const) {
      const pattern = patterns[format.id]
      const { acts, bytes } = await read(format, item)
      t.equal(acts, pattern === undefined ? undefined : item, `${format.id} ${item}`)
      if (pattern === undefined) continue
      t.match(plain, pattern)
      t.notMatch(bytes.toString('latin1'), pattern, `${format.id} ${item}`)
    }
  }
  const responses = { path: '/ai/v1/responses', body: { input: 'hello', stream: true } }
  t.match((await read(by('openai'), '', responses)).bytes.toString(), 'response.completed')
  t.notMatch((await read(by('openai'), 'no-done', responses)).bytes.toString(), 'response.completed')
  const array = { path: '/ai/gemini/v1beta/models/svc-echo:streamGenerateContent' }
  t.notMatch((await read(by('gemini'), 'no-done', array)).bytes.toString(), /\]$/)
  t.match((await read(by('openai'), 'no-end')).bytes.toString(), /[^\n]\n$/)
  t.match((await read(by('ollama'), 'no-end')).bytes.toString(), /\}$/)
})

interface Chunk {
  id?: string
  choices: { delta: { role?: string; content?: string }; finish_reason: string | null }[]
  usage?: { completion_tokens: number; total_tokens: number } | null
}

t.test('usage in other places, or nowhere [LLMN-11]', async t => {
  const chunks = async (shape: string): Promise<Chunk[]> => data((await read(by('openai'), shape)).bytes) as Chunk[]
  const own = await chunks('usage=own')
  const total = own.at(-1)!.usage!.completion_tokens
  t.same(own.at(-1)!.choices, [])
  t.equal(own.filter(({ usage }) => usage !== undefined).length, 1)
  const last = await chunks('usage=last')
  t.match(last.at(-1), { choices: [{ finish_reason: 'stop' }], usage: { completion_tokens: total } })
  const every = await chunks('usage=every')
  t.ok(every.every(({ usage }) => usage !== undefined))
  t.same(
    every.map(({ usage }) => usage!.completion_tokens),
    every.map((_, index) => Math.min(index, total)),
  )
  t.equal((await chunks('usage=twice')).filter(({ usage }) => usage !== undefined).length, 2)
  const asked = { body: { stream_options: { include_usage: true } } }
  t.notMatch((await read(by('openai'), 'usage=none', asked)).bytes.toString(), /usage/)
  t.equal((await read(by('anthropic'), 'usage=twice')).bytes.toString().split('"type":"message_delta"').length, 3)
  t.notMatch((await read(by('anthropic'), 'usage=none')).bytes.toString(), /message_delta.*usage/)
  t.notMatch((await read(by('gemini'), 'usage=none')).bytes.toString(), /usageMetadata/)
  t.match((await read(by('gemini'), 'usage=every')).bytes.toString(), /candidatesTokenCount[^]*candidatesTokenCount/)
  t.notMatch((await read(by('ollama'), 'usage=none')).bytes.toString(), /eval_count/)
  t.notMatch((await read(by('bedrock'), 'usage=none')).bytes.toString('latin1'), /metadata/)
  t.notMatch((await read(by('cohere'), 'usage=none')).bytes.toString(), /usage/)
  const responses = await read(by('openai'), 'usage=none', {
    path: '/ai/v1/responses',
    body: { input: 'hello', stream: true },
  })
  t.match(responses.bytes.toString(), /response\.completed.*"usage":null/)
})

t.test('roles and ids that clients do not expect, and a repeated start [LLMN-11]', async t => {
  const chunks = async (shape: string): Promise<Chunk[]> => data((await read(by('openai'), shape)).bytes) as Chunk[]
  t.ok((await chunks('role=absent')).every(({ choices }) => choices.every(({ delta }) => delta.role === undefined)))
  t.ok((await chunks('role=every')).every(({ choices }) => choices.every(({ delta }) => delta.role === 'assistant')))
  const changing = await chunks('id=changing')
  t.equal(new Set(changing.map(({ id }) => id)).size, changing.length)
  t.match(changing[1]?.id, /^chatcmpl-[0-9a-f]{29}$/)
  t.ok((await chunks('id=absent')).every(({ id }) => id === undefined))
  t.notMatch((await read(by('gemini'), 'id=absent')).bytes.toString(), /responseId/)
  const twice = await read(by('anthropic'), 'start-twice')
  t.equal(twice.bytes.toString().split('event: message_start').length, 3)
})

t.test('an error first, a wrong type, a wrong checksum [LLMN-11]', async t => {
  for (const format of formats) {
    const { bytes, head } = await read(format, 'error-first')
    t.match(head, /^HTTP\/1\.1 200 /)
    t.match(head, /x-svc-fault: ai/i, format.id)
    t.match(bytes.toString('latin1'), /\(simulated\)/, format.id)
    t.same(format.id === 'bedrock' ? readAwsEvents(bytes).length : 1, 1)
  }
  t.match((await read(by('openai'), 'type=json')).head, /content-type: application\/json\r/i)
  t.match((await read(by('openai'), 'type=text')).head, /content-type: text\/plain\r/i)
  const { bytes, acts } = await read(by('bedrock'), 'bad-crc')
  t.equal(acts, 'bad-crc')
  const plain = (await read(by('bedrock'), '')).bytes
  const differing = [...bytes.keys()].filter(index => bytes[index] !== plain[index])
  t.equal(bytes.length, plain.length)
  t.equal(differing.length, 1)
})

t.test('breaks act under any shape [LLMN-10]', async t => {
  for (const shape of ['split=byte', 'join=3', 'crlf, split=10', 'no-end'])
    for (const fault of ['stream_error@2', 'disconnect@2', 'malformed@2']) {
      const { bytes } = await read(by('openai'), shape, { headers: { 'X-Svc-Fail': fault } })
      const text = bytes.toString()
      t.equal(
        text.split('"content":"').length - 1 - (text.includes('"content":""') ? 1 : 0) >= 2,
        true,
        `${shape} ${fault}`,
      )
      t.notMatch(text, /\[DONE\]/, `${shape} ${fault}`)
    }
})

t.test('a provider and a rule have shapes, and the header wins [LLMN-12]', async t => {
  const own = await serveLlm(t, {
    yaml: 'llm: { providers: [{ name: acme, format: openai, stream_shape: "crlf" }] }',
  })
  const ask = async (headers: Record<string, string> = {}): Promise<string | null> => {
    const response = await fetch(`${own.url}/ai/acme/v1/chat/completions`, {
      method: 'POST',
      headers: { 'X-Svc-Tokens-Per-Second': '0', ...headers },
      body: JSON.stringify(by('openai').body('hello', true)),
    })
    await response.text()
    return response.headers.get('x-svc-stream-shape')
  }
  t.equal(await ask(), 'crlf')
  const put = (shape: string): Promise<Response> =>
    fetch(`${own.url}/_svc/rules/shaped`, {
      method: 'PUT',
      body: JSON.stringify({
        match: { path: '/ai/**' },
        then: { reply: { text: 'one two three', stream: { shape } } },
      }),
    })
  t.equal((await put('eventid, no-done')).status, 201)
  t.equal(await ask(), 'eventid, no-done')
  t.equal(await ask({ 'X-Svc-Stream-Shape': 'bom' }), 'bom')
  const wrong = await put('sparkle')
  t.equal(wrong.status, 400)
  t.match(await wrong.json(), { error: 'invalid_rule', at: 'then.reply.stream.shape' })
})

t.test('a wrong shape of a provider is a load error [LLMN-12]', async t => {
  const own = await serveLlm(t, {
    yaml: 'llm: { providers: [{ name: acme, format: openai, stream_shape: "crlf, sparkle" }] }',
  })
  const { load_errors: errors } = (await (await fetch(`${own.url}/_svc/plugins`)).json()) as {
    load_errors: { message: string }[]
  }
  t.match(errors, [{ message: /unknown stream shape "sparkle"/ }])
})
