/** Live sessions with the official `@google/genai` package. */
import t from 'tap'
import { GoogleGenAI, Modality, type LiveServerMessage, type Session } from '@google/genai'
import { serveLlm } from '../support/llm-formats.ts'

const server = await serveLlm(t, { env: { SVC_AI_REQUIRE_AUTH: 'true' } })
const ai = new GoogleGenAI({
  apiKey: 'demo-1234',
  httpOptions: { baseUrl: `${server.url}/ai/gemini`, headers: { 'X-Svc-Tokens-Per-Second': '0' } },
})

interface Live {
  session: Session
  /** All messages up to the end of the turn. */
  turn(): Promise<LiveServerMessage[]>
}

async function connect(config: Parameters<typeof ai.live.connect>[0]['config'] = {}): Promise<Live> {
  const messages: LiveServerMessage[] = []
  let wake = (): void => {}
  const session = await ai.live.connect({
    model: 'svc-echo',
    config,
    callbacks: {
      onmessage(message) {
        messages.push(message)
        wake()
      },
    },
  })
  t.teardown(() => session.close())
  return {
    session,
    async turn() {
      for (;;) {
        const end = messages.findIndex(({ serverContent }) => serverContent?.turnComplete === true)
        if (end >= 0) return messages.splice(0, end + 1)
        await new Promise<void>(resolve => {
          wake = resolve
        })
      }
    },
  }
}

t.test('turns in text [LLMN-190]', async t => {
  const { session, turn } = await connect({ responseModalities: [Modality.TEXT], systemInstruction: 'Be brief' })
  session.sendClientContent({ turns: 'hello' })
  const messages = await turn()
  t.equal(messages.map(({ text = '' }) => text).join(''), 'system: Be brief\nuser: hello')
  t.ok(messages.at(-1)!.usageMetadata!.totalTokenCount! > 0)
  session.sendRealtimeInput({ text: 'again' })
  t.match((await turn()).map(({ text = '' }) => text).join(''), /user: again$/)
})

t.test('spoken turns, with transcriptions [LLMN-191]', async t => {
  const { session, turn } = await connect({
    responseModalities: [Modality.AUDIO],
    inputAudioTranscription: {},
    outputAudioTranscription: {},
    realtimeInputConfig: { automaticActivityDetection: { disabled: true } },
  })
  session.sendRealtimeInput({ activityStart: {} })
  const data = Buffer.alloc(32_000, Buffer.from([0, 64])).toString('base64')
  session.sendRealtimeInput({ audio: { data, mimeType: 'audio/pcm;rate=16000' } })
  session.sendRealtimeInput({ activityEnd: {} })
  const messages = await turn()
  t.ok(Buffer.from(messages.map(message => message.data ?? '').join(''), 'base64').length > 0)
  const said = messages.map(({ serverContent }) => serverContent?.outputTranscription?.text ?? '').join('')
  t.equal(said, 'user: Spoken input of 1000 ms.')
  t.ok(messages.some(({ serverContent }) => serverContent?.inputTranscription?.text === 'Spoken input of 1000 ms.'))
})

t.test('tools, and a session that is resumed [LLMN-190] [LLMN-193]', async t => {
  const { session, turn } = await connect({ responseModalities: [Modality.TEXT], sessionResumption: {} })
  session.sendClientContent({
    turns: [
      { role: 'user', parts: [{ text: 'weather?' }] },
      { role: 'model', parts: [{ functionCall: { id: 'one', name: 'get_weather', args: {} } }] },
    ],
    turnComplete: false,
  })
  session.sendToolResponse({ functionResponses: [{ id: 'one', name: 'get_weather', response: { celsius: 21 } }] })
  t.match((await turn()).map(({ text = '' }) => text).join(''), /celsius/)
  session.sendClientContent({ turns: 'next' })
  const messages = await turn()
  const handle = messages.find(({ sessionResumptionUpdate: update }) => update)!.sessionResumptionUpdate!.newHandle!
  t.match(handle, /^[0-9a-f]{48}$/)
})
