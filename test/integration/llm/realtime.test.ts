/** OpenAI's Realtime API: what the SDK does not show of sessions, items, audio, responses and refusals. */
import t from 'tap'
import {
  connectJson,
  type JsonMessage,
  type JsonSocketOptions,
  type RefusedHandshake,
} from '../../support/json-socket.ts'
import { serveLlm } from '../../support/llm-formats.ts'

const FAST = { 'X-Svc-Tokens-Per-Second': '0' }
const PCM_MS = 48

/** Loud or silent audio, 24 kHz. */
const sound = (ms: number, isLoud: boolean): string => {
  const bytes = Buffer.alloc(ms * PCM_MS)
  if (isLoud) for (let at = 0; at < bytes.length; at += 2) bytes.writeInt16LE(at % 4 === 0 ? 8000 : -8000, at)
  return bytes.toString('base64')
}
const append = (audio: string): object => ({ type: 'input_audio_buffer.append', audio })
const say = (text: string, more: object = {}): object => ({
  type: 'conversation.item.create',
  item: { type: 'message', role: 'user', content: [{ type: 'input_text', text }], ...more },
})
const textOnly = { type: 'session.update', session: { type: 'realtime', output_modalities: ['text'] } }

const server = await serveLlm(t)
const target = `${server.url}/ai/openai/v1/realtime?model=svc-echo`
const open = async (t: Parameters<typeof connectJson>[0], headers: Record<string, string> = {}, url = target) => {
  const client = await connectJson(t, url, { headers: { ...FAST, ...headers } })
  const created = await client.next('session.created')
  return { ...client, session: created.session }
}
const refusal = async (
  t: Parameters<typeof connectJson>[0],
  url: string,
  options?: JsonSocketOptions,
): Promise<{ status: number; body: { error: Record<string, unknown> } }> => {
  const error = await connectJson(t, url, options).then(
    () => Promise.reject(new Error('the handshake was accepted')),
    (reason: RefusedHandshake) => reason,
  )
  return { status: error.status, body: JSON.parse(error.body) }
}

t.test('a session begins with its defaults and is updated member by member [LLMN-180]', async t => {
  const { send, next, session } = await open(t)
  t.match(session, {
    type: 'realtime',
    object: 'realtime.session',
    id: /^sess_[0-9a-f]{24}$/,
    model: 'svc-echo',
    output_modalities: ['audio'],
    tool_choice: 'auto',
    max_output_tokens: 'inf',
    audio: {
      input: { format: { type: 'audio/pcm', rate: 24000 }, turn_detection: { type: 'server_vad', threshold: 0.5 } },
      output: { voice: 'marin', speed: 1 },
    },
  })
  send({
    type: 'session.update',
    event_id: 'mine',
    session: {
      type: 'realtime',
      model: 'svc-echo',
      instructions: 'Be brief',
      audio: { input: { turn_detection: { type: 'server_vad', silence_duration_ms: 200 } }, output: { voice: 'ash' } },
    },
  })
  const { session: updated } = await next('session.updated')
  t.match(updated, {
    instructions: 'Be brief',
    model: 'svc-echo',
    audio: {
      input: { turn_detection: { threshold: 0.5, silence_duration_ms: 200, prefix_padding_ms: 300 } },
      output: { voice: 'ash', format: { type: 'audio/pcm' } },
    },
  })
  send({ type: 'session.update', session: { audio: { input: { turn_detection: null } } } })
  t.equal((await next('session.updated')).session.audio.input.turn_detection, null)
})

t.test('wrong events get an error in the words of the protocol, and the socket stays [LLMN-181]', async t => {
  const { send, next } = await open(t)
  const wrong: [event: object | string, code: string, param: string | null][] = [
    ['no JSON', 'invalid_json', null],
    ['[]', 'invalid_json', null],
    ['['.repeat(5000), 'invalid_json', null],
    [{ type: 'unknown' }, 'invalid_value', 'type'],
    [{ type: '__proto__' }, 'invalid_value', 'type'],
    [{ type: 7 }, 'invalid_value', 'type'],
    [{ type: 'response.cancel', respones: 1 }, 'unknown_parameter', 'respones'],
    [{ type: 'response.cancel' }, 'response_cancel_not_active', null],
    [{ type: 'session.update' }, 'invalid_type', 'session'],
    [{ type: 'session.update', session: { type: 'transcription' } }, 'invalid_value', 'session.type'],
    [{ type: 'session.update', session: { model: 'other' } }, 'invalid_value', 'session.model'],
    [{ type: 'session.update', session: { voice: 'ash' } }, 'unknown_parameter', 'session.voice'],
    [{ type: 'session.update', session: { instructions: 7 } }, 'invalid_type', 'session.instructions'],
    [
      { type: 'session.update', session: { output_modalities: ['text', 'audio'] } },
      'invalid_value',
      'session.output_modalities',
    ],
    [
      { type: 'session.update', session: { audio: { input: { format: { type: 'mp3' } } } } },
      'invalid_value',
      'session.audio.input.format.type',
    ],
    [
      {
        type: 'session.update',
        session: { audio: { input: { turn_detection: { type: 'server_vad', threshold: 2 } } } },
      },
      'invalid_value',
      'session.audio.input.turn_detection.threshold',
    ],
    [{ type: 'session.update', session: { tools: [{ type: 'function' }] } }, 'invalid_type', 'session.tools[0].name'],
    [{ type: 'conversation.item.create' }, 'invalid_type', 'item'],
    [{ type: 'conversation.item.create', item: {} }, 'missing_required_parameter', 'item.type'],
    [{ type: 'conversation.item.create', item: { type: 'message' } }, 'missing_required_parameter', 'item.role'],
    [say('x', { role: 'assistant' }), 'invalid_value', 'item.content[0].type'],
    [{ ...say('x'), previous_item_id: 'nowhere' }, 'item_not_found', 'previous_item_id'],
    [{ type: 'conversation.item.retrieve', item_id: 'nowhere' }, 'item_not_found', 'item_id'],
    [{ type: 'conversation.item.delete' }, 'invalid_type', 'item_id'],
    [append('§'), 'invalid_value', 'audio'],
    [{ type: 'input_audio_buffer.commit' }, 'input_audio_buffer_commit_empty', null],
    [{ type: 'response.create', response: { tool: [] } }, 'unknown_parameter', 'response.tool'],
    [{ type: 'response.create', response: { conversation: 'x' } }, 'invalid_value', 'response.conversation'],
    [
      { type: 'response.create', response: { input: [{ type: 'item_reference', id: 'nowhere' }] } },
      'item_not_found',
      'response.input[0].id',
    ],
  ]
  for (const [event, code, param] of wrong) {
    const sent = typeof event === 'string' ? event : { event_id: 'mine', ...event }
    send(sent)
    t.match(
      await next('error'),
      { error: { type: 'invalid_request_error', code, param, event_id: typeof event === 'string' ? null : 'mine' } },
      JSON.stringify(event).slice(0, 100),
    )
  }
})

t.test('items are added, placed, retrieved and deleted [LLMN-181]', async t => {
  const { send, next, until } = await open(t)
  send(say('second', { id: 'two' }))
  t.match(await until(({ type }) => type === 'conversation.item.done'), [
    { type: 'conversation.item.added', previous_item_id: null, item: { id: 'two', object: 'realtime.item' } },
    { type: 'conversation.item.done', item: { status: 'completed' } },
  ])
  send({ ...say('first', { id: 'one' }), previous_item_id: 'root' })
  send({ ...say('third', { id: 'three' }), previous_item_id: 'two' })
  t.equal((await next('conversation.item.added')).previous_item_id, null)
  t.equal((await next('conversation.item.added')).previous_item_id, 'two')
  send({ type: 'conversation.item.retrieve', item_id: 'one' })
  t.match(await next('conversation.item.retrieved'), { item: { content: [{ type: 'input_text', text: 'first' }] } })
  send({ type: 'conversation.item.delete', item_id: 'two' })
  t.equal((await next('conversation.item.deleted')).item_id, 'two')
  send(say('again', { id: 'one' }))
  t.equal((await next('error')).error.code, 'item_already_exists')
  send({ type: 'response.create', response: { output_modalities: ['text'] } })
  t.match(await next('response.done'), { response: { output: [{ content: [{ text: 'user: first\nuser: third' }] }] } })
})

t.test('a response in text, with its events in order and its usage [LLMN-182]', async t => {
  const { send, until, next } = await open(t, { 'X-Svc-Session': 'bill', 'X-Svc-Reply': 'one two' })
  send(textOnly)
  send(say('hello'))
  await next('conversation.item.done')
  send({ type: 'response.create' })
  const events = await until(({ type }) => type === 'rate_limits.updated')
  t.strictSame(
    events.map(({ type }) => type),
    [
      'response.created',
      'response.output_item.added',
      'conversation.item.added',
      'response.content_part.added',
      'response.output_text.delta',
      'response.output_text.delta',
      'response.output_text.done',
      'response.content_part.done',
      'response.output_item.done',
      'conversation.item.done',
      'response.done',
      'rate_limits.updated',
    ],
  )
  t.ok(events.every(({ event_id: id }) => /^event_[0-9a-f]{24}$/.test(id)))
  const { response } = events.at(-2)!
  t.match(response, {
    object: 'realtime.response',
    status: 'completed',
    conversation_id: /^conv_/,
    output: [{ role: 'assistant', status: 'completed', content: [{ type: 'output_text', text: 'one two' }] }],
    usage: { output_tokens: 2, output_token_details: { text_tokens: 2, audio_tokens: 0 } },
  })
  t.match(events.at(-1), { rate_limits: [{ name: 'requests', limit: 10000 }, { name: 'tokens' }] })
  const usage = (await (await fetch(`${server.url}/ai/usage?session=bill`)).json()) as { totals: object }
  t.match(usage.totals, { requests: 1, prompt_tokens: response.usage.input_tokens, completion_tokens: 2 })
})

t.test('a spoken response, with 80 ms of sound for each piece and audio tokens in the ledger [LLMN-182]', async t => {
  const { send, until } = await open(t, { 'X-Svc-Session': 'talk', 'X-Svc-Reply': 'one two', 'X-Svc-Audio': 'tone' })
  send(say('hello'))
  send({ type: 'response.create', response: { audio: { output: { format: { type: 'audio/pcmu' } } } } })
  const events = await until(({ type }) => type === 'response.done')
  const deltas = events.filter(({ type }) => type === 'response.output_audio.delta')
  t.equal(deltas.length, 2)
  const bytes = Buffer.from(deltas[0]!.delta, 'base64')
  t.equal(bytes.length, 640)
  t.ok(new Set(bytes).size > 10, 'a tone, not silence')
  t.match(events.at(-1)!.response, {
    output: [{ content: [{ type: 'output_audio', transcript: 'one two' }] }],
    usage: { output_tokens: 6, output_token_details: { text_tokens: 2, audio_tokens: 4 } },
  })
  const usage = (await (await fetch(`${server.url}/ai/usage?session=talk`)).json()) as { totals: object }
  t.match(usage.totals, { requests: 1, completion_tokens: 6, audio_output_tokens: 4 })
  const [{ id }] = events.at(-1)!.response.output
  send({ type: 'conversation.item.truncate', item_id: id, content_index: 0, audio_end_ms: 40 })
  t.match((await until(({ type }) => type === 'conversation.item.truncated')).at(-1), { item_id: id, audio_end_ms: 40 })
  send({ type: 'conversation.item.retrieve', item_id: id })
  t.match((await until(({ type }) => type === 'conversation.item.retrieved')).at(-1)!.item.content, [
    { transcript: '' },
  ])
  send({ type: 'conversation.item.truncate', item_id: id, content_index: 1, audio_end_ms: 40 })
  t.equal((await until(({ type }) => type === 'error')).at(-1)!.error.param, 'content_index')
  send({ type: 'session.update', session: { audio: { output: { voice: 'ash' } } } })
  t.equal((await until(({ type }) => type === 'error')).at(-1)!.error.code, 'cannot_update_voice')
})

t.test('speech is found in the audio, committed, transcribed and answered [LLMN-183]', async t => {
  const { send, until, next } = await open(t)
  const input = {
    transcription: { model: 'whisper-1' },
    turn_detection: { type: 'server_vad', prefix_padding_ms: 100 },
  }
  send({ ...textOnly, session: { ...textOnly.session, audio: { input } } })
  await next('session.updated')
  send(append(sound(300, false)))
  send(append(sound(400, true)))
  send(append(sound(600, false)))
  const events = await until(({ type }) => type === 'response.done')
  t.match(events.slice(0, 5), [
    { type: 'input_audio_buffer.speech_started', audio_start_ms: 200 },
    { type: 'input_audio_buffer.speech_stopped', audio_end_ms: 1200 },
    { type: 'input_audio_buffer.committed', previous_item_id: null },
    { type: 'conversation.item.added', item: { content: [{ type: 'input_audio', transcript: null }] } },
    { type: 'conversation.item.done' },
  ])
  t.equal(events[0]!.item_id, events[2]!.item_id)
  const transcript = events.find(({ type }) => type === 'conversation.item.input_audio_transcription.completed')!
  t.match(transcript, { transcript: 'Spoken input of 1000 ms.', usage: { type: 'duration', seconds: 1 } })
  t.match(events.at(-1)!.response, {
    output: [{ content: [{ text: 'user: Spoken input of 1000 ms.' }] }],
    usage: { input_token_details: { audio_tokens: 10 } },
  })
})

t.test('audio is committed by hand, and the header says what it means [LLMN-183]', async t => {
  const { send, next, until } = await open(t, { 'X-Svc-Reply-Json': '{"heard":"Good morning"}' })
  send({ ...textOnly, session: { ...textOnly.session, audio: { input: { turn_detection: null } } } })
  send(append(sound(50, true)))
  send({ type: 'input_audio_buffer.commit' })
  t.match(await next('error'), { error: { code: 'input_audio_buffer_commit_empty', message: /50ms/ } })
  send({ type: 'input_audio_buffer.clear' })
  await next('input_audio_buffer.cleared')
  send(append(sound(200, true)))
  send({ type: 'input_audio_buffer.commit' })
  await until(({ type }) => type === 'conversation.item.done')
  send({ type: 'response.create' })
  t.match(await next('response.done'), { response: { output: [{ content: [{ text: 'user: Good morning' }] }] } })
})

t.test('a running response is cancelled by the client or by speech; another one has to wait [LLMN-184]', async t => {
  const slow = { 'X-Svc-Tokens-Per-Second': '20', 'X-Svc-Session': 'cut', 'X-Svc-Reply': 'word '.repeat(200) }
  const { send, next, until } = await open(t, slow)
  send(textOnly)
  send({ type: 'response.create' })
  await next('response.output_text.delta')
  send({ type: 'response.create' })
  t.equal((await next('error')).error.code, 'conversation_already_has_active_response')
  send({ type: 'response.cancel' })
  const ending = await until(({ type }) => type === 'response.done')
  t.match(ending.at(-1), {
    response: {
      status: 'cancelled',
      status_details: { type: 'cancelled', reason: 'client_cancelled' },
      output: [{ status: 'incomplete', content: [{ text: /^word/ }] }],
    },
  })
  t.match(
    ending.map(({ type }) => type).filter(type => !type.endsWith('.delta')),
    [
      'response.output_text.done',
      'response.content_part.done',
      'response.output_item.done',
      'conversation.item.done',
      'response.done',
    ],
  )
  send({ type: 'response.create' })
  await next('response.output_text.delta')
  send(append(sound(100, true)))
  t.match(await next('response.done'), { response: { status_details: { reason: 'turn_detected' } } })
  const { calls } = (await (await fetch(`${server.url}/ai/usage/calls?session=cut`)).json()) as {
    calls: { cut: { by: string } }[]
  }
  t.match(calls, [{ cut: { by: 'client' } }, { cut: { by: 'client' } }])
})

t.test('tools are called, and a result ends the turn [LLMN-182]', async t => {
  const { send, next, until } = await open(t, {}, target.replace('svc-echo', 'svc-gpt'))
  const tools = [
    { type: 'function', name: 'get_weather', parameters: { type: 'object', properties: { city: { type: 'string' } } } },
  ]
  send({ ...textOnly, session: { ...textOnly.session, tools, tool_choice: 'required' } })
  send(say('weather?'))
  send({ type: 'response.create' })
  const events = await until(({ type }) => type === 'response.done')
  const done = events.find(({ type }) => type === 'response.function_call_arguments.done')!
  t.equal(done.name, 'get_weather')
  t.ok(JSON.parse(done.arguments))
  const [call] = events.at(-1)!.response.output
  t.match(call, { type: 'function_call', call_id: done.call_id, arguments: done.arguments, status: 'completed' })
  send({
    type: 'conversation.item.create',
    item: { type: 'function_call_output', call_id: done.call_id, output: '{"celsius":21}' },
  })
  send({ type: 'response.create', response: { tool_choice: 'none' } })
  t.match(await next('response.done'), { response: { output: [{ type: 'message' }] } })
})

t.test('a response outside of the conversation, a limit, and metadata [LLMN-182]', async t => {
  const { send, next } = await open(t)
  send(say('hidden'))
  const input = [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'only this one' }] }]
  const response = { conversation: 'none', input, output_modalities: ['text'], metadata: { topic: 'a' } }
  send({ type: 'response.create', response })
  t.match(await next('response.done'), {
    response: {
      conversation_id: null,
      metadata: { topic: 'a' },
      output: [{ content: [{ text: 'user: only this one' }] }],
    },
  })
  send({ type: 'response.create', response: { output_modalities: ['text'], max_output_tokens: 1 } })
  t.match(await next('response.done'), {
    response: {
      status: 'incomplete',
      status_details: { reason: 'max_output_tokens' },
      usage: { output_tokens: 1 },
    },
  })
})

t.test('faults and limits apply to each response [LLMN-185]', async t => {
  const failing = async (fail: string) => {
    const client = await open(t, { 'X-Svc-Fail': fail, 'X-Svc-Reply': 'one two three four' })
    client.send(textOnly)
    client.send({ type: 'response.create' })
    return client
  }
  const error = await failing('stream_error@2')
  const events = await error.until(({ type }) => type === 'response.done')
  t.equal(events.filter(({ type }) => type === 'response.output_text.delta').length, 2)
  t.match(
    events.find(({ type }) => type === 'error'),
    { error: { type: 'server_error' } },
  )
  t.match(events.at(-1), { response: { status: 'failed', status_details: { type: 'failed' } } })
  const malformed = await failing('malformed@1')
  await malformed.next('response.done')
  t.equal(malformed.broken.length, 1)
  t.equal((await (await failing('disconnect@1')).closed).code, 1006)
  t.match(await refusal(t, target, { headers: { 'X-Svc-Fail': '429' } }), {
    status: 429,
    body: { error: { code: 'rate_limit_exceeded' } },
  })

  const limited = await open(t, { 'X-Svc-Limit-Rpm': '1' })
  limited.send(textOnly)
  limited.send({ type: 'response.create' })
  await limited.next('response.done')
  t.match(await limited.next('rate_limits.updated'), { rate_limits: [{ name: 'requests', limit: 1, remaining: 0 }] })
  limited.send({ type: 'response.create', event_id: 'mine' })
  t.match(await limited.next('error'), { error: { code: 'rate_limit_exceeded', event_id: 'mine' } })
})

t.test('a directive in what audio says acts as one that is written [STR-37]', async t => {
  const meaning = (text: string): Record<string, string> => ({
    'X-Svc-Reply-Json': `{"heard":${JSON.stringify(text)}}`,
  })
  const say = async (text: string): Promise<JsonMessage> => {
    const { send, until } = await open(t, meaning(text))
    send({ ...textOnly, session: { ...textOnly.session, audio: { input: { turn_detection: null } } } })
    send(append(sound(200, true)))
    send({ type: 'input_audio_buffer.commit' })
    await until(({ type }) => type === 'conversation.item.done')
    send({ type: 'response.create' })
    return (await until(({ type }) => type === 'response.done' || type === 'error')).at(-1)!
  }
  t.match(await say('[svc reply=Said so]\nhello'), { response: { output: [{ content: [{ text: 'Said so' }] }] } })
  t.match(await say('hello\n[svc shape=huge=9]'), { response: { output: [{ content: [{ text: 'user: hello' }] }] } })
  t.match(await say('[svc fail=429]\nhello'), { error: { code: 'rate_limit_exceeded' } })
})

t.test('handshakes: what is missing, unknown, or not a WebSocket [LLMN-180]', async t => {
  const base = `${server.url}/ai/openai/v1/realtime`
  t.match(await refusal(t, base), { status: 400, body: { error: { param: 'model', code: 'missing_model' } } })
  t.match(await refusal(t, `${base}?call_id=rtc_1`), { status: 404, body: { error: { param: 'call_id' } } })
  t.match(await refusal(t, `${base}?intent=x`), { status: 400, body: { error: { param: 'intent' } } })
  t.match(await refusal(t, target, { headers: { 'X-Svc-Reply-Json': '{"heard":7}' } }), { status: 400 })
  t.match(await refusal(t, target, { protocols: ['realtime', 'openai-insecure-api-key.ek_unknown'] }), { status: 401 })
  t.equal((await fetch(target)).status, 426)
  for (const path of ['/ai/v1/realtime?model=a', '/ai/azure/openai/v1/realtime?model=a'])
    t.equal((await open(t, {}, server.url + path)).session.model, 'a')
  const azure = await open(t, {}, `${server.url}/ai/azure/openai/realtime?api-version=1&deployment=b&api-key=k`)
  t.equal(azure.session.model, 'b')
  for (const [path, credential, key] of [
    ['/ai/azure/openai/realtime?deployment=b', 'query bearer ****1234', 'Authorization=Bearer%20secret-key-1234'],
    ['/ai/azure/openai/v1/realtime?model=b', 'query api-key ****5678', 'api-key=secret-key-5678'],
  ] as const) {
    const { send, next } = await open(t, { 'X-Svc-Require-Auth': 'true' }, `${server.url}${path}&${key}`)
    send({ type: 'response.create' })
    await next('response.done')
    const { requests } = (await (await fetch(`${server.url}/ai/requests?limit=1`)).json()) as {
      requests: { request_id: string }[]
    }
    const record = await (await fetch(`${server.url}/ai/requests/${requests[0]!.request_id}`)).text()
    t.equal((JSON.parse(record) as { credential: string }).credential, credential)
    t.notMatch(record, /secret/)
  }
  const protocols = ['realtime', 'openai-insecure-api-key.sk-demo-1234']
  const client = await connectJson(t, target, { protocols })
  t.equal(client.socket.protocol, 'realtime')
})

t.test('a transcription session has no responses [LLMN-183]', async t => {
  const { send, next, until, session } = await open(t, {}, `${server.url}/ai/v1/realtime?intent=transcription`)
  t.match(session, { type: 'transcription', object: 'realtime.transcription_session' })
  t.notOk('voice' in (session.audio.output ?? {}))
  send({
    type: 'session.update',
    session: { type: 'transcription', audio: { input: { transcription: { model: 'whisper-1' } } } },
  })
  await next('session.updated')
  send(append(sound(400, true)))
  send(append(sound(600, false)))
  const events = await until(({ type }) => type === 'conversation.item.input_audio_transcription.completed')
  t.notOk(events.some(({ type }) => type.startsWith('response.')))
  send({ type: 'response.create' })
  t.equal((await next('error')).error.code, 'invalid_value')
})

t.test(
  'a client secret starts its session, for the provider that has issued it and until it expires [LLMN-186]',
  async t => {
    const keyed = await serveLlm(t, {
      env: { SVC_AI_API_KEY: 'sk-right' },
      yaml: 'llm: { providers: [{ name: acme, format: openai }] }',
    })
    const create = async (body: unknown, key = 'sk-right') => {
      const response = await fetch(`${keyed.url}/ai/openai/v1/realtime/client_secrets`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${key}` },
        body: JSON.stringify(body),
      })
      return { status: response.status, json: (await response.json()) as JsonMessage }
    }
    const session = { type: 'realtime', model: 'svc-echo', instructions: 'Sing', output_modalities: ['text'] }
    const { status, json } = await create({ session, expires_after: { anchor: 'created_at', seconds: 60 } })
    t.equal(status, 200)
    t.match(json, { value: /^ek_[\w-]{32,}$/, session: { object: 'realtime.session', instructions: 'Sing' } })
    const inSeconds = json.expires_at - Date.now() / 1000
    t.ok(inSeconds > 50 && inSeconds <= 60)
    const protocols = ['realtime', `openai-insecure-api-key.${String(json.value)}`]
    const client = await connectJson(t, `${keyed.url}/ai/openai/v1/realtime`, { protocols })
    t.match(await client.next('session.created'), { session: { model: 'svc-echo', instructions: 'Sing' } })
    client.send({ type: 'response.create' })
    t.match(await client.next('response.done'), { response: { output: [{ content: [{ text: 'system: Sing' }] }] } })
    const elsewhere = `${keyed.url}/ai/acme/v1/realtime?model=a`
    t.equal((await refusal(t, elsewhere, { protocols })).status, 401)
    const changed = [protocols[0]!, `${protocols[1]!.slice(0, -3)}abc`]
    t.equal((await refusal(t, `${keyed.url}/ai/openai/v1/realtime?model=a`, { protocols: changed })).status, 401)
    t.equal((await refusal(t, `${keyed.url}/ai/openai/v1/realtime?model=a`)).status, 401)
    t.equal((await create({ session }, String(json.value))).status, 401)
    const wrong: [unknown, string | null][] = [
      [{ expires_after: { seconds: 5 } }, 'expires_after.seconds'],
      [{ expires_after: { anchor: 'now' } }, 'expires_after.anchor'],
      [{ sesion: {} }, 'sesion'],
      [{ session: { modalities: [] } }, 'session.modalities'],
      [
        { session: { instructions: Array.from({ length: 9000 }, () => Math.random().toString(36)).join('') } },
        'session',
      ],
      [[], null],
    ]
    for (const [body, param] of wrong)
      t.match(await create(body), { status: 400, json: { error: { param } } }, JSON.stringify(body).slice(0, 80))
  },
)

t.test('messages may have 15 MiB; one byte more closes with 1009 [LLMN-187]', async t => {
  const large = 15 * 1024 * 1024
  const { send, next, closed, socket } = await open(t)
  const wrapping = JSON.stringify(append('')).length
  send(append('A'.repeat(large - wrapping - ((large - wrapping) % 4))))
  send({ type: 'input_audio_buffer.clear' })
  await next('input_audio_buffer.cleared')
  socket.send('x'.repeat(large + 1))
  t.equal((await closed).code, 1009)
})

t.test('in public mode sockets, items and bytes have small bounds [LLMN-187]', async t => {
  const small = await serveLlm(t, { env: { SVC_PUBLIC_MODE: 'true' }, oneProcess: 'each process limits its sockets' })
  const url = `${small.url}/ai/openai/v1/realtime?model=svc-echo`
  const one = await open(t, { 'X-Svc-Session': 'one' }, url)
  const second = await open(t, { 'X-Svc-Session': 'one' }, url)
  t.match(await refusal(t, url, { headers: { 'X-Svc-Session': 'one' } }), {
    status: 429,
    body: { error: { message: /Too many open WebSockets: this session may have 2/ } },
  })
  await open(t, { 'X-Svc-Session': 'two' }, url)
  second.socket.close()
  await second.closed
  for (let count = 0; count <= 100; count++) one.send(say(String(count), { id: `item-${count}` }))
  await one.until(({ type, item }) => type === 'conversation.item.done' && item.id === 'item-100')
  one.send({ type: 'conversation.item.retrieve', item_id: 'item-0' })
  t.equal((await one.next('error')).error.code, 'item_not_found', 'the oldest one goes')
  one.send(say('x'.repeat(200_000), { id: 'huge' }))
  t.equal((await one.next('error')).error.code, 'item_too_large')
  const input = [(say('x'.repeat(200_000)) as { item: object }).item]
  one.send({ type: 'response.create', response: { input } })
  t.match(await one.next('error'), { error: { code: 'item_too_large', param: 'response' } })
  one.socket.send(Buffer.from([1]))
  t.equal((await one.closed).code, 1003)
})

t.test('a spoken item is truncated while it is spoken, and its speech forgotten [LLMN-184]', async t => {
  const { send, next } = await open(t, { 'X-Svc-Tokens-Per-Second': '20', 'X-Svc-TTFT-Ms': '0' })
  send(say('a long story '.repeat(20)))
  send({ type: 'response.create' })
  const { item_id } = await next('response.output_audio.delta')
  send({ type: 'conversation.item.truncate', item_id, content_index: 1, audio_end_ms: 10 })
  t.match((await next('error')).error, { param: 'content_index' })
  send({ type: 'conversation.item.truncate', item_id, content_index: 0, audio_end_ms: 10 })
  t.match(await next('conversation.item.truncated'), { item_id, content_index: 0, audio_end_ms: 10 })
  send({ type: 'response.cancel' })
  await next('response.done')
  send({ type: 'conversation.item.retrieve', item_id })
  t.match((await next('conversation.item.retrieved')).item, {
    status: 'incomplete',
    content: [{ type: 'output_audio', transcript: '' }],
  })
})
