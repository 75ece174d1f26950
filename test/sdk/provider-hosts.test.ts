/** SDKs with their own default addresses: nothing is changed but the proxy, or what names resolve to, and the demo CA. */
import Anthropic from '@anthropic-ai/sdk'
import { GoogleGenAI } from '@google/genai'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { Ollama } from 'ollama'
import OpenAI from 'openai'
import * as openid from 'openid-client'
import t from 'tap'
import { Agent, buildConnector, type Dispatcher, getGlobalDispatcher, ProxyAgent, setGlobalDispatcher } from 'undici'
import { openPorts } from '../support/layer4.ts'
import { serve } from '../support/server.ts'

const server = await serve(t, {
  plugins: ['identity', 'llm-openai', 'llm-anthropic', 'llm-gemini', 'llm-ollama', 'mcp', 'tls'],
  settings: {
    llm: { hosts: 'vendors', listeners: [{ port: 0, name: 'ollama', provider: 'ollama' }] },
    mcp: { hosts: [{ host: 'mcp.example', server: 'default' }] },
    identity: { hosts: [{ host: 'login.example', issuer: 'default' }] },
  },
})
const open = await openPorts(server)
const ca = await (await fetch(`${server.url}/tls/ca.pem`)).text()

/** As with `HTTPS_PROXY=http://svc:8080`, and the CA in `NODE_EXTRA_CA_CERTS`. */
function byProxy(): Dispatcher {
  return new ProxyAgent({ uri: server.url, requestTls: { ca } })
}

/** As with a hosts file, and the HTTPS listener on port 443. */
function byName(): Dispatcher {
  const connect = buildConnector({ ca })
  const port = String(server.ports.https)
  return new Agent({
    connect: (options, done) =>
      connect({ ...options, hostname: '127.0.0.1', port, servername: options.servername ?? options.hostname }, done),
  })
}

for (const [way, create] of [
  ['HTTPS_PROXY', byProxy],
  ['names that resolve to svc', byName],
] as const) {
  t.test(`clients of MCP and of OpenID Connect by ${way}`, async t => {
    const before = getGlobalDispatcher()
    const dispatcher = create()
    setGlobalDispatcher(dispatcher)
    t.teardown(async () => {
      setGlobalDispatcher(before)
      await dispatcher.close()
    })
    const mcp = new Client({ name: 'test', version: '1' })
    await mcp.connect(new StreamableHTTPClientTransport(new URL('https://mcp.example/')))
    t.ok((await mcp.listTools()).tools.length > 0)
    await mcp.close()

    const issuer = await openid.discovery(
      new URL('https://login.example'),
      'svc',
      undefined,
      openid.ClientSecretBasic('svc-secret'),
    )
    t.equal(issuer.serverMetadata().issuer, 'https://login.example')
    t.match(await openid.clientCredentialsGrant(issuer), { access_token: String, token_type: 'bearer' })
  })

  t.test(`the SDKs of OpenAI, Anthropic and Gemini by ${way}`, async t => {
    const before = getGlobalDispatcher()
    const dispatcher = create()
    setGlobalDispatcher(dispatcher)
    t.teardown(async () => {
      setGlobalDispatcher(before)
      await dispatcher.close()
    })
    const content = 'hello'

    const openai = new OpenAI({ apiKey: 'sk-demo', maxRetries: 0 })
    const chat = await openai.chat.completions.create({ model: 'svc-gpt', messages: [{ role: 'user', content }] })
    t.match(chat.choices[0]?.message.content, /^Hello! I'm svc/)
    let streamed = ''
    for await (const chunk of await openai.chat.completions.create({
      model: 'svc-gpt',
      messages: [{ role: 'user', content }],
      stream: true,
    }))
      streamed += chunk.choices[0]?.delta.content ?? ''
    t.equal(streamed, chat.choices[0]?.message.content)
    t.ok((await openai.models.list()).data.length > 0)

    const anthropic = new Anthropic({ apiKey: 'sk-ant-demo', maxRetries: 0 })
    const message = await anthropic.messages.create({
      model: 'svc-claude',
      max_tokens: 100,
      messages: [{ role: 'user', content }],
    })
    t.match(message.content, [{ type: 'text', text: /^Hello! I'm svc/ }])
    await t.rejects(anthropic.models.retrieve('no-such-model'), { status: 404, message: /not_found_error/ })

    const gemini = new GoogleGenAI({ apiKey: 'demo' })
    const generated = await gemini.models.generateContent({ model: 'gemini-2.5-flash', contents: content })
    t.match(generated.text, /^Hello! I'm svc/)
    const file = await gemini.files.upload({ file: new Blob(['hello']), config: { mimeType: 'text/plain' } })
    t.match(file.uri, /^https:\/\/generativelanguage\.googleapis\.com\/v1beta\/files\//)
  })
}

t.test("Ollama's client on a port for it alone", async t => {
  const ollama = new Ollama({ host: `http://127.0.0.1:${open.ollama}` })
  const { models } = await ollama.list()
  t.ok(models.length > 0)
  const { message } = await ollama.chat({ model: models[0]!.name, messages: [{ role: 'user', content: 'hello' }] })
  t.match(message, { role: 'assistant', content: /./ })
})
