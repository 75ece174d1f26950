/** Faults in the middle of a stream: broken connections, errors, broken JSON, silence; in every format. */
import t from 'tap'
import { request } from 'node:http'
import { readAwsEvents } from '../../support/event-stream.ts'
import { formats, serveLlm, type LlmFormat } from '../../support/llm-formats.ts'

const server = await serveLlm(t)

interface Broken {
  bytes: Buffer
  /** The body came to its proper end. */
  isComplete: boolean
  fault: string | string[] | undefined
}

/** Reads what comes; `enough` ends the reading early, as a client that gives up. */
function read(url: string, format: LlmFormat, fail: string, enough: (bytes: Buffer) => boolean = () => false): Promise<Broken> {
  return new Promise((resolve, reject) => {
    const call = request(url + format.path(true), { method: 'POST', headers: { 'X-Svc-Fail': fail, 'X-Svc-Tokens-Per-Second': '0' } }, (answer) => {
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
    })
    call.on('error', reject)
    call.end(JSON.stringify(format.body('hello', true)))
  })
}

/** Tokens in the chunks of the format: Gemini sends four at a time. */
const expectedText = (format: LlmFormat): string => (format.id === 'gemini' ? "Hello! I'm" : 'Hello! I').slice(0, format.id === 'gemini' ? 8 : undefined)

t.test('disconnect: the tokens come, then the connection breaks [LLM-24]', async (t) => {
  for (const format of formats) {
    const { bytes, isComplete, fault } = await read(server.url, format, 'disconnect@4')
    t.equal(isComplete, false, format.id)
    t.equal(fault, 'ai')
    t.equal(format.pieces(bytes).join(''), expectedText(format), format.id)
  }
})

/** The last event of each format when the provider reports an error in mid-stream. */
const lastEvents: Record<string, (bytes: Buffer) => unknown> = {
  openai: (bytes) => JSON.parse(bytes.toString().trim().split('\n').at(-1)?.slice('data: '.length) ?? ''),
  anthropic: (bytes) => bytes.toString().trim().split('\n\n').at(-1),
  bedrock: (bytes) => readAwsEvents(bytes).at(-1),
  ollama: (bytes) => JSON.parse(bytes.toString().trim().split('\n').at(-1) ?? ''),
}
const expectedEvents: Record<string, unknown> = {
  openai: { error: { message: /\(simulated\)$/, type: 'server_error' } },
  azure: { error: { message: /\(simulated\)$/, type: 'server_error' } },
  anthropic: /^event: error\ndata: \{"type":"error","error":\{"type":"api_error"/,
  gemini: { error: { code: 500, status: 'INTERNAL' } },
  bedrock: { event: 'internalServerException', headers: { ':message-type': 'exception' }, data: /\(simulated\)/ },
  ollama: { error: /\(simulated\)$/ },
  cohere: { message: /\(simulated\)$/ },
}

t.test('stream_error: the stream ends with the error of the format [LLM-24]', async (t) => {
  for (const format of formats) {
    const { bytes, isComplete } = await read(server.url, format, 'stream_error@2')
    t.equal(isComplete, true, format.id)
    t.match((lastEvents[format.id] ?? lastEvents.openai)?.(bytes), expectedEvents[format.id], format.id)
  }
  const responses = await fetch(`${server.url}/ai/v1/responses`, { method: 'POST', headers: { 'X-Svc-Fail': 'stream_error@1' }, body: '{"input":"hello","stream":true}' })
  t.match(await responses.text(), /event: error\ndata: \{"type":"error","code":"server_error"/)
})

t.test('malformed: the last event is no JSON [LLM-24]', async (t) => {
  for (const format of formats) {
    const { bytes } = await read(server.url, format, 'malformed@2')
    t.throws(() => format.pieces(bytes), SyntaxError, format.id)
  }
  const list = await fetch(`${server.url}/ai/gemini/v1beta/models/x:streamGenerateContent`, { method: 'POST', headers: { 'X-Svc-Fail': 'malformed@1' }, body: '{"contents":[{"parts":[{"text":"hello"}]}]}' })
  const text = await list.text()
  t.throws(() => JSON.parse(text), SyntaxError)
})

t.test('stall: after the tokens nothing more comes, and the connection stays [LLM-24]', async (t) => {
  const [openai] = formats
  const { bytes } = await read(server.url, openai as LlmFormat, 'stall@2', (sofar) => sofar.includes('"o"'))
  t.equal((openai as LlmFormat).pieces(bytes).join(''), 'Hello')
  t.notMatch(bytes.toString(), '[DONE]')
})

t.test('plain replies know no middle, and stay whole [LLM-24]', async (t) => {
  const answer = await fetch(`${server.url}/ai/v1/chat/completions`, { method: 'POST', headers: { 'X-Svc-Fail': 'disconnect@1' }, body: '{"messages":[{"role":"user","content":"hello"}]}' })
  t.same([answer.status, answer.headers.get('x-svc-fault')], [200, null])
  t.match(await answer.json(), { choices: [{ finish_reason: 'stop' }] })
})

t.test('a break after more tokens than there are comes at the end [LLM-24]', async (t) => {
  const { bytes, isComplete } = await read(server.url, formats[0] as LlmFormat, 'disconnect@9999')
  t.equal(isComplete, false)
  t.match((formats[0] as LlmFormat).pieces(bytes).join(''), /today\?$/)
})
