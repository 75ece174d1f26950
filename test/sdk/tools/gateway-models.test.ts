/** Runs the recipes of LiteLLM and Portkey in front of a server below a path prefix, if they are installed. */
import t, { type Test } from 'tap'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import OpenAI from 'openai'
import { blocksOf, root } from '../../support/examples.ts'
import { absence, absenceOfPackage, gatewayFolder, startGateway } from '../../support/real-gateways.ts'
import { serve, type TestServer } from '../../support/server.ts'
import { freePort } from '../../support/free-ports.ts'

const OPTIONS = { plugins: ['llm', 'llm-openai', 'images', 'mcp'], env: { SVC_BASE_PATH: '/demo' } }
const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: 'one two three' }]

/** The block of the page that begins with a text, with the address of the test server. */
function blockOf(page: string, start: string, { ports }: TestServer): string {
  return blocksOf(readFileSync(join(root, 'docs', 'gateways', page), 'utf8'))
    .find(({ text }) => text.startsWith(start))!
    .text.replaceAll('svc:8080', `127.0.0.1:${ports.http}`)
}

t.test(
  'LiteLLM sends requests below the prefix, streams, and passes x- headers on [DOC-3] [PREFIX-1]',
  { skip: absence('litellm') },
  async t => {
    const server = await serve(t, OPTIONS)
    const folder = gatewayFolder()
    const port = await freePort()
    const file = join(folder, 'prefix.yaml')
    writeFileSync(file, blockOf('litellm.md', '# prefix.yaml\n', server))
    const through = await startGateway(
      t,
      'litellm',
      ['--config', file, '--host', '127.0.0.1', '--port', String(port)],
      {
        port,
        folder,
        ready: '/llm/health/liveliness',
        // Uses the price list of the package instead of fetching one.
        env: { SERVER_ROOT_PATH: '/llm', LITELLM_LOCAL_MODEL_COST_MAP: 'True' },
      },
    )
    const client = new OpenAI({ apiKey: 'sk-demo', baseURL: `http://127.0.0.1:${port}/llm/v1`, maxRetries: 0 })

    const headers = await checkModel(t, server, client, 'chat')
    t.match(headers, { authorization: 'Bearer sk-from-litellm', 'x-custom': '1' })
    for (const name of ['x_under', 'te', 'traceparent']) t.notOk(name in headers, name)
    t.equal(
      (await client.images.generate({ model: 'image', prompt: 'a cat' })).data![0]!.url,
      `${server.url}/demo/image/png`,
    )
    t.equal(await arrivals(server, client, 'chat', '503'), 1, 'no retries')

    const tools = await through('/mcp/', {
      method: 'POST',
      body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}',
      headers: {
        Authorization: 'Bearer sk-demo',
        'Content-Type': 'application/json',
        Accept: 'application/json, text/event-stream',
      },
    })
    t.match(await tools.text(), '"name":"svc-echo"', 'the tools of /demo/mcp')
  },
)

t.test(
  'Portkey sends requests below the prefix, streams, and retries [DOC-3] [PREFIX-1]',
  { skip: absenceOfPackage('gateway', '@portkey-ai/gateway') },
  async t => {
    const server = await serve(t, OPTIONS)
    const folder = gatewayFolder()
    const port = await freePort()
    const shown = Object.fromEntries(
      [...blockOf('portkey.md', '# portkey.sh\n', server).matchAll(/'(x-portkey-[\w-]+): ([^']+)'/g)].map(
        ([, name, value]) => [name!, value!],
      ),
    )
    t.match(shown, {
      'x-portkey-provider': 'openai',
      'x-portkey-custom-host': `http://127.0.0.1:${server.ports.http}/demo/ai/openai/v1`,
    })
    await startGateway(t, 'gateway', [`--port=${port}`], { port, folder, ready: '/' })
    const clientWith = (own: Record<string, string>): OpenAI =>
      new OpenAI({
        apiKey: 'sk-demo',
        baseURL: `http://127.0.0.1:${port}/v1`,
        maxRetries: 0,
        defaultHeaders: {
          ...shown,
          'x-portkey-forward-headers': 'x-svc-session, x-svc-tokens-per-second, x-svc-fail, x_under, te, traceparent',
          ...own,
        },
      })
    const client = clientWith({})

    const headers = await checkModel(t, server, client, 'svc-echo')
    t.match(headers, { authorization: 'Bearer sk-demo', x_under: '1', te: 'trailers', traceparent: /^00-/ })
    t.notOk('x-custom' in headers, 'what is not listed stays behind')
    t.ok(
      (await client.models.list()).data.some(({ id }) => id === 'svc-echo'),
      'a GET',
    )
    t.equal(
      (await client.images.generate({ model: 'svc-image', prompt: 'a cat', response_format: 'url' })).data![0]!.url,
      `${server.url}/demo/image/png`,
    )
    t.equal(
      await arrivals(server, clientWith({ 'x-portkey-config': '{"retry":{"attempts":1}}' }), 'svc-echo', '503'),
      2,
      'attempts are further tries',
    )
  },
)

/** Requests a complete response and a stream through the gateway; resolves with the headers that arrived. */
async function checkModel(
  t: Pick<Test, 'equal' | 'ok'>,
  server: TestServer,
  client: OpenAI,
  model: string,
): Promise<Record<string, string>> {
  const headers = {
    'X-Svc-Session': 'whole',
    'X-Custom': '1',
    x_under: '1',
    TE: 'trailers',
    traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
  }
  const whole = await client.chat.completions.create({ model, messages }, { headers })
  t.equal(whole.choices[0]!.message.content, 'user: one two three')
  const [seen] = await requestsOf(server, 'whole')
  t.equal(seen!.path, '/ai/openai/v1/chat/completions')

  const times: number[] = []
  const stream = await client.chat.completions.create(
    { model, messages, stream: true },
    { headers: { 'X-Svc-Tokens-Per-Second': '4' } },
  )
  for await (const { choices } of stream) if (choices[0]?.delta.content) times.push(performance.now())
  t.ok(times.at(-1)! - times[0]! > 400, 'pieces come as they are sent')

  const record = (await (await fetch(`${server.url}/_svc/requests/${seen!.id}`)).json()) as {
    headers: { name: string; value: string }[]
  }
  return Object.fromEntries(record.headers.map(({ name, value }) => [name, value]))
}

/** How often svc receives one call that fails with the given fault. */
async function arrivals(server: TestServer, client: OpenAI, model: string, fault: string): Promise<number> {
  const headers = { 'X-Svc-Session': 'failing', 'X-Svc-Fail': fault }
  await client.chat.completions.create({ model, messages }, { headers }).then(
    () => {
      throw new Error('the call went well')
    },
    (error: unknown) => {
      if (!(error instanceof OpenAI.APIError)) throw error
    },
  )
  return (await requestsOf(server, 'failing')).length
}

async function requestsOf({ url }: TestServer, session: string): Promise<{ id: string; path: string }[]> {
  return (
    (await (await fetch(`${url}/_svc/requests?session=${session}`)).json()) as {
      requests: { id: string; path: string }[]
    }
  ).requests
}
