/** Realtime sessions with the official `openai` package, which always connects with TLS. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import OpenAI, { AzureOpenAI } from 'openai'
import { OpenAIRealtimeWS } from 'openai/realtime/ws'
import { serveLlm } from '../support/llm-formats.ts'

const server = await serveLlm(t, { env: { SVC_AI_REQUIRE_AUTH: 'true' } })
const ca = readFileSync(join(server.folder, 'certs', 'ca.crt'), 'utf8')
const headers = { 'X-Svc-Tokens-Per-Second': '0' }
const options = { ca, headers }
const baseURL = `${server.httpsUrl}/ai/openai/v1`
const apiKey = 'sk-demo-1234'

type ServerEvent = OpenAI.Realtime.RealtimeServerEvent

/** Collects events until one of a type. */
function until(realtime: OpenAIRealtimeWS, type: ServerEvent['type']): Promise<ServerEvent[]> {
  const events: ServerEvent[] = []
  return new Promise((resolve, reject) => {
    realtime.on('event', event => {
      events.push(event)
      if (event.type === type) resolve(events.slice())
    })
    realtime.on('error', reject)
  })
}

const clients: [name: string, connect: () => Promise<OpenAIRealtimeWS>][] = [
  ['OpenAI', async () => new OpenAIRealtimeWS({ model: 'svc-echo', options }, new OpenAI({ baseURL, apiKey }))],
  [
    'AzureOpenAI',
    () =>
      OpenAIRealtimeWS.azure(
        new AzureOpenAI({ baseURL: `${server.httpsUrl}/ai/azure/openai`, apiVersion: '2025-04-01-preview', apiKey }),
        { deploymentName: 'svc-echo', options },
      ),
  ],
]

for (const [name, connect] of clients)
  t.test(`${name}: a session, an item and a response [LLMN-180] [LLMN-182]`, async t => {
    const realtime = await connect()
    const [created] = await until(realtime, 'session.created')
    t.match(created, { session: { type: 'realtime', model: 'svc-echo' } })
    const ended = until(realtime, 'response.done')
    realtime.send({
      type: 'session.update',
      session: { type: 'realtime', instructions: 'Be brief', output_modalities: ['text'] },
    })
    realtime.send({
      type: 'conversation.item.create',
      item: { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'hello' }] },
    })
    realtime.send({ type: 'response.create' })
    const events = await ended
    const text = events.flatMap(event => (event.type === 'response.output_text.delta' ? event.delta : [])).join('')
    t.equal(text, 'system: Be brief\nuser: hello')
    t.match(events.at(-1), { response: { status: 'completed', usage: { output_tokens: Number } } })
    const failed = new Promise(resolve => realtime.on('error', resolve))
    realtime.send({ type: 'response.cancel' })
    t.match(await failed, { error: { code: 'response_cancel_not_active' } })
    realtime.close()
  })

t.test('a client secret opens a session with speech in and out [LLMN-183] [LLMN-186]', async t => {
  const plain = new OpenAI({ baseURL: `${server.url}/ai/openai/v1`, apiKey })
  const { value, session } = await plain.realtime.clientSecrets.create({
    expires_after: { anchor: 'created_at', seconds: 60 },
    session: { type: 'realtime', model: 'svc-echo', audio: { output: { voice: 'cedar' } } },
  })
  t.match(session, { object: 'realtime.session', audio: { output: { voice: 'cedar' } } })
  const realtime = new OpenAIRealtimeWS({ model: 'svc-echo', options }, new OpenAI({ baseURL, apiKey: value }))
  const [created] = await until(realtime, 'session.created')
  t.match(created, { session: { audio: { output: { voice: 'cedar' } } } })
  const loud = Buffer.alloc(24_000, Buffer.from([0, 64, 0, 192]))
  const ended = until(realtime, 'response.done')
  realtime.send({ type: 'input_audio_buffer.append', audio: loud.toString('base64') })
  realtime.send({ type: 'input_audio_buffer.append', audio: Buffer.alloc(24_000).toString('base64') })
  const events = await ended
  t.match(
    events.find(({ type }) => type === 'input_audio_buffer.speech_started'),
    { audio_start_ms: 0 },
  )
  const audio = events.flatMap(event => (event.type === 'response.output_audio.delta' ? event.delta : []))
  t.ok(audio.length > 0 && audio.every(delta => Buffer.from(delta, 'base64').length === 3840))
  t.match(events.at(-1), {
    response: { output: [{ content: [{ type: 'output_audio', transcript: 'user: Spoken input of 1000 ms.' }] }] },
  })
  realtime.close()
})
