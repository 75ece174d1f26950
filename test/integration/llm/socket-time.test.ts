/** What time does to the sockets of the mock LLM: they end, and silence after a realtime response has an effect. */
import t from 'tap'
import { connectJson } from '../../support/json-socket.ts'
import { serveLlm } from '../../support/llm-formats.ts'

const FAST = { 'X-Svc-Tokens-Per-Second': '0' }
const LIVE = '/ai/gemini/ws/google.ai.generativelanguage.v1beta.GenerativeService.BidiGenerateContent'

t.test('sockets end after their lifetime, with the last message of their protocol [LLMN-203]', async t => {
  const { url } = await serveLlm(t, { yaml: 'llm: { socket_lifetime_ms: 1000 }' })
  const begunAt = Date.now()
  const realtime = await connectJson(t, `${url}/ai/openai/v1/realtime?model=svc-echo`)
  const { session } = await realtime.next('session.created')
  t.ok(session.expires_at * 1000 <= Date.now() + 1000)
  const responses = await connectJson(t, `${url}/ai/openai/v1/responses`)
  const live = await connectJson(t, `${url}${LIVE}?key=demo-1234`)
  live.send({ setup: { model: 'models/svc-echo' } })
  await live.until(({ setupComplete }) => setupComplete !== undefined)
  const [goAway] = await live.until(message => message.goAway !== undefined)
  t.same(goAway, { goAway: { timeLeft: '0.25s' } })
  t.match(await live.closed, { code: 1000, reason: /maximum duration/ }, 'half of the lifetime')
  t.match((await realtime.next('error')).error, { type: 'invalid_request_error', code: 'session_expired' })
  t.match(await realtime.closed, { code: 1000, reason: 'session expired' })
  t.match((await responses.next('error')).error, { code: 'websocket_connection_limit_reached' })
  t.match(await responses.closed, { code: 1000, reason: 'connection limit reached' })
  t.ok(Date.now() - begunAt >= 1000)
})

t.test('silence after a response is committed and answered when the idle timeout is over [LLMN-204]', async t => {
  const { url } = await serveLlm(t)
  const client = await connectJson(t, `${url}/ai/openai/v1/realtime?model=svc-echo`, { headers: FAST })
  const { send, next, until } = client
  const detection = (more: object): object => ({
    type: 'session.update',
    session: { output_modalities: ['text'], audio: { input: { turn_detection: { type: 'server_vad', ...more } } } },
  })
  for (const idle_timeout_ms of [4999, 30_001, 5000.5]) {
    send(detection({ idle_timeout_ms }))
    t.match((await next('error')).error, { param: 'session.audio.input.turn_detection.idle_timeout_ms' })
  }
  send(detection({ idle_timeout_ms: 5000 }))
  await next('session.updated')
  const begunAt = Date.now()
  send({ type: 'response.create' })
  await next('response.done')
  const silence = Buffer.alloc(48 * 700).toString('base64')
  send({ type: 'input_audio_buffer.append', audio: silence })
  const events = await until(({ type }) => type === 'response.done')
  t.ok(Date.now() - begunAt >= 5000)
  t.match(
    events
      .map(({ type }) => type as string)
      .filter(type => /^(?:input_audio|conversation|response\.(?:created|done))/.test(type)),
    [
      'input_audio_buffer.timeout_triggered',
      'input_audio_buffer.committed',
      'conversation.item.added',
      'conversation.item.done',
      'response.created',
      'conversation.item.added',
      'conversation.item.done',
      'response.done',
    ],
  )
  const triggered = events.find(({ type }) => type === 'input_audio_buffer.timeout_triggered')!
  const committed = events.find(({ type }) => type === 'input_audio_buffer.committed')!
  t.match(triggered, { event_id: /^event_/, audio_start_ms: 0, audio_end_ms: 700, item_id: committed.item_id })
  t.match(events.at(-1)!.response.output[0].content[0].text, /Spoken input of 700 ms\.$/)
})
