/** Faults in the middle of a stream, in every format: closed connection, error event, invalid JSON, silence. */
import t from 'tap'
import { request } from 'node:http'
import { readAwsEvents } from '../../support/event-stream.ts'
import { formats, serveLlm, type LlmFormat } from '../../support/llm-formats.ts'

const server = await serveLlm(t)

interface Broken {
  bytes: Buffer
  /** The body is complete. */
  isComplete: boolean
  fault: string | string[] | undefined
}

/** Reads a stream; `enough` stops early, like a client that gives up. */
function read(
  url: string,
  format: LlmFormat,
  fail: string,
  enough: (bytes: Buffer) => boolean = () => false,
): Promise<Broken> {
  return new Promise((resolve, reject) => {
    const call = request(
      url + format.path(true),
      { method: 'POST', headers: { 'X-Svc-Fail': fail, 'X-Svc-Tokens-Per-Second': '0' } },
      answer => {
        const chunks: Buffer[] = []
        const done = (isComplete: boolean): void => {
          resolve({ bytes: Buffer.concat(chunks), isComplete, fault: answer.headers['x-svc-fault'] })
          call.destroy()
        }
        answer.on('data', (chunk: Buffer) => {
          chunks.push(chunk)
          if (enough(Buffer.concat(chunks))) done(false)
        })
        answer.on('end', () => done(answer.complete))
        answer.on('error', () => done(false))
      },
    )
    call.on('error', reject)
    call.end(JSON.stringify(format.body('hello', true)))
  })
}

/** Tokens per chunk of the format: Gemini sends four at a time. */
const expectedText = (format: LlmFormat): string =>
  (format.id === 'gemini' ? "Hello! I'm" : 'Hello! I').slice(0, format.id === 'gemini' ? 8 : undefined)

t.test('disconnect: the connection is closed after n tokens [LLM-24]', async t => {
  for (const format of formats) {
    const { bytes, isComplete, fault } = await read(server.url, format, 'disconnect@4')
    t.equal(isComplete, false, format.id)
    t.equal(fault, 'ai')
    t.equal(format.pieces(bytes).join(''), expectedText(format), format.id)
  }
})

/** The last event of each format if the provider reports an error in the stream. */
const lastEvents: Record<string, (bytes: Buffer) => unknown> = {
  openai: bytes => JSON.parse(bytes.toString().trim().split('\n').at(-1)?.slice('data: '.length) ?? ''),
  anthropic: bytes => bytes.toString().trim().split('\n\n').at(-1),
  bedrock: bytes => readAwsEvents(bytes).at(-1),
  ollama: bytes => JSON.parse(bytes.toString().trim().split('\n').at(-1) ?? ''),
}
const expectedEvents: Record<string, unknown> = {
  openai: { error: { message: /\(simulated\)$/, type: 'server_error' } },
  azure: { error: { message: /\(simulated\)$/, type: 'server_error' } },
  anthropic: /^event: error\ndata: \{"type":"error","error":\{"type":"api_error"/,
  gemini: { error: { code: 500, status: 'INTERNAL' } },
  bedrock: { event: 'internalServerException', headers: { ':message-type': 'exception' }, data: /\(simulated\)/ },
  ollama: { error: /\(simulated\)$/ },
  cohere: { type: 'message-end', delta: { finish_reason: 'ERROR', error: /\(simulated\)$/ } },
}

t.test('stream_error: the stream ends with the error event of the format [LLM-24]', async t => {
  for (const format of formats) {
    const { bytes, isComplete } = await read(server.url, format, 'stream_error@2')
    t.equal(isComplete, true, format.id)
    t.match((lastEvents[format.id] ?? lastEvents.openai)?.(bytes), expectedEvents[format.id], format.id)
  }
  const responses = await fetch(`${server.url}/ai/v1/responses`, {
    method: 'POST',
    headers: { 'X-Svc-Fail': 'stream_error@1' },
    body: '{"input":"hello","stream":true}',
  })
  t.match(await responses.text(), /event: error\ndata: \{"type":"error","code":"server_error"/)
})

t.test('malformed: the last event is not valid JSON [LLM-24]', async t => {
  for (const format of formats) {
    const { bytes } = await read(server.url, format, 'malformed@2')
    t.throws(() => format.pieces(bytes), SyntaxError, format.id)
  }
  const list = await fetch(`${server.url}/ai/gemini/v1beta/models/x:streamGenerateContent`, {
    method: 'POST',
    headers: { 'X-Svc-Fail': 'malformed@1' },
    body: '{"contents":[{"parts":[{"text":"hello"}]}]}',
  })
  const text = await list.text()
  t.throws(() => JSON.parse(text), SyntaxError)
})

t.test('stall: nothing is sent after n tokens, and the connection stays open [LLM-24]', async t => {
  const [openai] = formats
  const { bytes } = await read(server.url, openai as LlmFormat, 'stall@2', sofar => sofar.includes('"o"'))
  t.equal((openai as LlmFormat).pieces(bytes).join(''), 'Hello')
  t.notMatch(bytes.toString(), '[DONE]')
})

t.test('non-streamed replies stay complete [LLM-24]', async t => {
  const answer = await fetch(`${server.url}/ai/v1/chat/completions`, {
    method: 'POST',
    headers: { 'X-Svc-Fail': 'disconnect@1' },
    body: '{"messages":[{"role":"user","content":"hello"}]}',
  })
  t.same([answer.status, answer.headers.get('x-svc-fault')], [200, null])
  t.match(await answer.json(), { choices: [{ finish_reason: 'stop' }] })
})

t.test('a stream with fewer tokens does not break, and no fault is reported [LLM-24]', async t => {
  const one = await serveLlm(t, { oneProcess: 'metrics are those of one process' })
  const faults = async (): Promise<string[]> =>
    (await (await fetch(`${one.url}/_svc/metrics`)).text()).split('\n').filter(line => /fault.*[1-9]$/.test(line))
  const before = await faults()
  for (const format of formats) {
    for (const what of ['disconnect', 'stream_error', 'malformed', 'stall']) {
      const { bytes, isComplete, fault } = await read(one.url, format, `${what}@9999`)
      t.same([isComplete, fault], [true, undefined], `${format.id} ${what}`)
      t.match(format.pieces(bytes).join(''), /today\?$/, `${format.id} ${what}`)
    }
  }
  t.same(await faults(), before, 'no fault is counted')
  const { requests } = (await (await fetch(`${one.url}/_svc/requests?limit=1`)).json()) as {
    requests: [{ request_id: string; fault: unknown; fault_source: unknown; ended: string }]
  }
  t.match(requests[0], { fault: null, fault_source: null, ended: 'complete' })
  t.match(
    await (await fetch(`${one.url}/ai/requests/${requests[0].request_id}`)).json(),
    { fault: null },
    'no fault is recorded',
  )
})

t.test('a break after exactly the last token omits the end of the stream [LLM-24]', async t => {
  const [openai] = formats as [LlmFormat]
  const whole = await read(server.url, openai, 'disconnect@9999')
  const count = openai.pieces(whole.bytes).filter(piece => piece !== '').length
  const { bytes, isComplete, fault } = await read(server.url, openai, `disconnect@${count}`)
  t.same([isComplete, fault], [false, 'ai'])
  t.match(openai.pieces(bytes).join(''), /today\?$/)
  t.notMatch(bytes.toString(), /finish_reason":"stop"|\[DONE\]/)
})

t.test('the inspector shows the fault, its source and how the response ended [LLM-24, INSP-10]', async t => {
  const [openai] = formats as [LlmFormat]
  await read(server.url, openai, 'disconnect@2')
  const list = (await (await fetch(`${server.url}/_svc/requests?limit=1`)).json()) as { requests: [object] }
  t.match(list.requests[0], {
    status: 200,
    fault: 'ai',
    fault_source: 'X-Svc-Fail: disconnect@2',
    ended: 'aborted',
    plugin: 'llm-openai',
    route: /chat\/completions$/,
    bytes_sent: Number,
  })
  await (
    await fetch(`${server.url}/ai/v1/chat/completions?fail=overloaded`, { method: 'POST', body: '{"messages":[]}' })
  ).text()
  const next = (await (await fetch(`${server.url}/_svc/requests?limit=1`)).json()) as { requests: [object] }
  t.match(next.requests[0], { status: 503, fault: 'ai', fault_source: '?fail=overloaded', ended: 'complete' })
})
