/** Gemini's Live API: setup, turns, audio, interruption, tools, resumption and refusals. */
import t from 'tap'
import { connectJson, type JsonMessage, type RefusedHandshake } from '../../support/json-socket.ts'
import { serveLlm } from '../../support/llm-formats.ts'

const FAST = { 'X-Svc-Tokens-Per-Second': '0' }
const PATH = '/ai/gemini/ws/google.ai.generativelanguage.v1beta.GenerativeService.BidiGenerateContent'
const BYTES_PER_MS = 32

/** Loud or silent audio, 16 kHz. */
const sound = (ms: number, isLoud: boolean): object => {
  const bytes = Buffer.alloc(ms * BYTES_PER_MS)
  if (isLoud) for (let at = 0; at < bytes.length; at += 2) bytes.writeInt16LE(at % 4 === 0 ? 8000 : -8000, at)
  return { realtimeInput: { audio: { mimeType: 'audio/pcm;rate=16000', data: bytes.toString('base64') } } }
}
const say = (text: string, turnComplete = true): object => ({
  clientContent: { turns: [{ role: 'user', parts: [{ text }] }], turnComplete },
})
const text = { generationConfig: { responseModalities: ['TEXT'] } }
const isComplete = ({ serverContent }: JsonMessage): boolean => serverContent?.turnComplete === true
const textOf = (messages: readonly JsonMessage[]): string =>
  messages.map(({ serverContent }) => serverContent?.modelTurn?.parts[0].text ?? '').join('')

const server = await serveLlm(t)
const open = async (
  t: Parameters<typeof connectJson>[0],
  setup: object,
  headers: Record<string, string> = {},
  url = server.url,
) => {
  const client = await connectJson(t, `${url}${PATH}?key=demo-1234`, { headers: { ...FAST, ...headers } })
  client.send({ setup: { model: 'models/svc-echo', ...setup } })
  await client.until(({ setupComplete }) => setupComplete !== undefined)
  return client
}

t.test('a turn in text, with its usage, and the turns before [LLMN-190]', async t => {
  const { send, until } = await open(
    t,
    { ...text, systemInstruction: { parts: [{ text: 'Be brief' }] } },
    {
      'X-Svc-Session': 'bill',
    },
  )
  send(say('I am Ada', false))
  send(say('hello'))
  const events = await until(isComplete)
  t.equal(textOf(events), 'system: Be brief\nuser: I am Ada\nuser: hello')
  t.match(events.at(-2), { serverContent: { generationComplete: true } })
  const { usageMetadata: usage } = events.at(-1)!
  t.equal(usage.totalTokenCount, usage.promptTokenCount + usage.responseTokenCount)
  t.match(usage.responseTokensDetails, [{ modality: 'TEXT', tokenCount: usage.responseTokenCount }])
  send({ realtimeInput: { text: 'again' } })
  t.match(
    textOf(await until(isComplete)),
    /^system: Be brief\nuser: I am Ada\nuser: hello\nassistant: .*\nuser: again$/s,
  )
  const { totals } = (await (await fetch(`${server.url}/ai/usage?session=bill`)).json()) as { totals: JsonMessage }
  t.equal(totals.requests, 2)
})

t.test('a spoken turn, transcribed, after speech of the user [LLMN-191]', async t => {
  const { send, until } = await open(
    t,
    { inputAudioTranscription: {}, outputAudioTranscription: {} },
    { 'X-Svc-Reply': 'one two', 'X-Svc-Session': 'talk', 'X-Svc-Audio': 'tone' },
  )
  send(sound(300, false))
  send(sound(400, true))
  send(sound(600, false))
  const events = await until(isComplete)
  t.match(events[0], { serverContent: { inputTranscription: { text: 'Spoken input of 900 ms.' } } })
  const parts = events.flatMap(({ serverContent }) => serverContent.modelTurn?.parts ?? [])
  t.match(parts, [{ inlineData: { mimeType: 'audio/pcm;rate=24000' } }, {}])
  const bytes = Buffer.from(parts[0].inlineData.data, 'base64')
  t.equal(bytes.length, 3840)
  t.ok(new Set(bytes).size > 10)
  t.equal(events.map(({ serverContent }) => serverContent.outputTranscription?.text ?? '').join(''), 'one two')
  t.match(events.at(-1)!.usageMetadata, {
    promptTokensDetails: [{ modality: 'TEXT' }, { modality: 'AUDIO', tokenCount: 9 }],
    responseTokensDetails: [
      { modality: 'TEXT', tokenCount: 2 },
      { modality: 'AUDIO', tokenCount: 4 },
    ],
  })
  const { totals } = (await (await fetch(`${server.url}/ai/usage?session=talk`)).json()) as { totals: JsonMessage }
  t.match(totals, { audio_input_tokens: 9, audio_output_tokens: 4, completion_tokens: 6 })
})

t.test('the client says where speech ends, and what it means [LLMN-191]', async t => {
  const setup = { ...text, realtimeInputConfig: { automaticActivityDetection: { disabled: true } } }
  const { send, until } = await open(t, setup, { 'X-Svc-Reply-Json': '{"heard":"Good morning"}' })
  send({ realtimeInput: { activityStart: {} } })
  send(sound(400, true))
  send(sound(900, false))
  send({ realtimeInput: { activityEnd: {} } })
  t.equal(textOf(await until(isComplete)), 'user: Good morning')
  const directed = await open(t, setup, { 'X-Svc-Reply-Json': '{"heard":"[svc reply=Said so]\\nhello"}' })
  directed.send({ realtimeInput: { activityStart: {} } })
  directed.send(sound(400, true))
  directed.send({ realtimeInput: { activityEnd: {} } })
  t.equal(textOf(await directed.until(isComplete)), 'Said so', 'a directive in what it means acts')
  const ended = await open(t, text)
  ended.send(sound(200, true))
  ended.send({ realtime_input: { audio_stream_end: true } })
  t.equal(textOf(await ended.until(isComplete)), 'user: Spoken input of 200 ms.')
})

t.test('input interrupts the model [LLMN-192]', async t => {
  const slow = { 'X-Svc-Tokens-Per-Second': '20', 'X-Svc-Reply': 'word '.repeat(200), 'X-Svc-Session': 'cut' }
  const { send, until } = await open(t, text, slow)
  send(say('hello'))
  await until(({ serverContent }) => serverContent?.modelTurn !== undefined)
  send(sound(100, true))
  const ending = await until(isComplete)
  t.ok(ending.some(({ serverContent }) => serverContent.interrupted === true))
  t.notOk(ending.some(({ serverContent }) => serverContent.generationComplete === true))
  send(say('and now?'))
  await until(({ serverContent }) => serverContent?.modelTurn !== undefined)
  send(say('or now?'))
  await until(({ serverContent }) => serverContent?.interrupted === true)
  await until(({ serverContent }) => serverContent?.modelTurn !== undefined)
  const { calls } = (await (await fetch(`${server.url}/ai/usage/calls?session=cut`)).json()) as { calls: object[] }
  t.match(calls, [{ cut: { by: 'client' } }, { cut: { by: 'client' } }])
})

t.test('functions are called, and their results answered [LLMN-190]', async t => {
  const tools = [{ functionDeclarations: [{ name: 'get_weather', parameters: { type: 'OBJECT', properties: {} } }] }]
  const { send, until } = await open(
    t,
    { ...text, tools, model: 'models/svc-gemini' },
    {
      'X-Svc-Reply-Json': '{"tool_calls":[{"name":"get_weather","args":{"city":"Bern"}}]}',
    },
  )
  send(say('weather?'))
  const events = await until(isComplete)
  const { functionCalls } = events.find(({ toolCall }) => toolCall !== undefined)!.toolCall
  t.match(functionCalls, [{ id: String, name: 'get_weather', args: { city: 'Bern' } }])
  const [{ id }] = functionCalls
  send({ toolResponse: { functionResponses: [{ id, name: 'get_weather', response: { celsius: 21 } }] } })
  t.ok((await until(isComplete)).length > 0)
})

t.test('a session is resumed by its handle [LLMN-193]', async t => {
  const setup = { ...text, sessionResumption: {} }
  const first = await open(t, setup)
  const update = async (client: typeof first) =>
    (await client.until(({ sessionResumptionUpdate }) => sessionResumptionUpdate !== undefined)).at(-1)!
      .sessionResumptionUpdate
  first.send(say('I am Ada'))
  const { newHandle, resumable } = await update(first)
  t.ok(resumable)
  first.socket.close()
  const second = await open(t, { ...text, sessionResumption: { handle: newHandle } })
  second.send(say('Who am I?'))
  t.match(textOf(await second.until(isComplete)), /^user: I am Ada\nassistant: user: I am Ada\nuser: Who am I\?$/)
  t.not((await update(second)).newHandle, newHandle)
  const third = await connectJson(t, server.url + PATH)
  third.send({ setup: { model: 'a', sessionResumption: { handle: newHandle } } })
  t.match(await third.closed, { code: 1007, reason: /not found/ })
})

t.test('wrong messages close the socket with a reason [LLMN-194]', async t => {
  const first: [message: object | string, reason: RegExp][] = [
    ['no JSON', /expected an object/],
    ['['.repeat(5000), /expected an object/],
    [{}, /exactly one/],
    [{ setup: {} }, /setup.model is required/],
    [{ setup: { model: 'a', modle: 'b' } }, /Unknown name "modle" at 'setup'/],
    [{ setup: { model: 'a', generationConfig: { responseModalities: ['TEXT', 'AUDIO'] } } }, /responseModalities/],
    [
      { setup: { model: 'a', generation_config: { responseModalites: ['TEXT'] } } },
      /Unknown name "responseModalites" at 'setup.generation_config'/,
    ],
    [say('too early'), /has to be a setup/],
    [{ setups: {} }, /Unknown name "setups"/],
  ]
  const later: [message: object, reason: RegExp][] = [
    [{ setup: { model: 'a' } }, /only be sent once/],
    [{ clientContent: { turn: [] } }, /Unknown name "turn"/],
    [{ clientContent: { turnComplete: true } }, /contents/],
    [{ realtimeInput: { text: 7 } }, /expected a text/],
    [{ realtimeInput: { audio: 'x' } }, /expected data in base64/],
    [{ realtimeInput: { audio: { mimeType: 'audio/mp3', data: '' } } }, /Unsupported media type/],
    [{ realtimeInput: { audio: { mimeType: 'audio/pcm', data: '§' } } }, /base64/],
    [{ toolResponse: {} }, /expected a list/],
  ]
  for (const [message, reason] of first) {
    const client = await connectJson(t, server.url + PATH)
    client.send(message)
    t.match(await client.closed, { code: 1007, reason }, JSON.stringify(message).slice(0, 80))
  }
  for (const [message, reason] of later) {
    const client = await open(t, text)
    client.send(message)
    t.match(await client.closed, { code: 1007, reason }, JSON.stringify(message))
  }
})

t.test('faults, limits and credentials [LLMN-194]', async t => {
  const failing = async (headers: Record<string, string>) => {
    const client = await open(t, text, headers)
    client.send(say('one two three four'))
    return client
  }
  const error = await failing({ 'X-Svc-Fail': 'stream_error@2' })
  t.equal((await error.closed).code, 1011)
  t.equal(error.messages.filter(({ serverContent }) => serverContent?.modelTurn).length, 2)
  t.equal((await (await failing({ 'X-Svc-Fail': 'disconnect@1' })).closed).code, 1006)
  const malformed = await failing({ 'X-Svc-Fail': 'malformed@1' })
  await malformed.closed
  t.equal(malformed.broken.length, 1)
  const limited = await failing({ 'X-Svc-Limit-Rpm': '1' })
  await limited.until(isComplete)
  limited.send(say('again'))
  t.match(await limited.closed, { code: 1011, reason: /exceeded your current quota/ })
  const refused = await connectJson(t, server.url + PATH, { headers: { 'X-Svc-Require-Auth': 'true' } }).then(
    () => null,
    (reason: RefusedHandshake) => reason,
  )
  t.match(refused, { status: 403, body: /PERMISSION_DENIED/ })
  await connectJson(t, `${server.url}${PATH}?access_token=a`, { headers: { 'X-Svc-Require-Auth': 'true' } })
  for (const version of ['v1alpha', 'v1']) await connectJson(t, server.url + PATH.replace('v1beta', version))
  t.equal((await fetch(server.url + PATH)).status, 426)
})

t.test('messages may have 15 MiB; in public mode a handle belongs to its session [LLMN-193] [LLMN-187]', async t => {
  const client = await open(t, text)
  const data = 'A'.repeat(15 * 1024 * 1024 - 200)
  client.send({ realtimeInput: { audio: { mimeType: 'audio/pcm;rate=16000', data } } })
  client.send(say('still here'))
  await client.until(isComplete)
  client.socket.send('x'.repeat(15 * 1024 * 1024 + 1))
  t.equal((await client.closed).code, 1009)

  const small = await serveLlm(t, { env: { SVC_PUBLIC_MODE: 'true' } })
  const setup = { ...text, sessionResumption: {} }
  const one = await open(t, setup, { 'X-Svc-Session': 'one' }, small.url)
  one.send(say('secret'))
  const [update] = (await one.until(message => 'sessionResumptionUpdate' in message)).slice(-1)
  const { newHandle } = update!.sessionResumptionUpdate
  const other = await connectJson(t, small.url + PATH, { headers: { 'X-Svc-Session': 'other' } })
  other.send({ setup: { model: 'a', sessionResumption: { handle: newHandle } } })
  t.equal((await other.closed).code, 1007)
  one.send(say('x'.repeat(200_000)))
  t.match(await one.closed, { code: 1007, reason: /exceeds/ })
})
