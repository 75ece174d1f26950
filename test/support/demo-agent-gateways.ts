/** What small gateways for agents and models do: features that demos show, each right or with one mistake. */
import { answer, hasToken } from './demo-gateways.ts'
import type { Answer, Handler, ProxyRequest } from './demo-proxy.ts'

interface Rpc {
  id?: number
  method?: string
  params?: { name?: string; arguments?: Record<string, unknown>; query?: string }
}

interface ToolList {
  result: { tools: { name: string }[] }
}

function rpcOf({ body }: Pick<ProxyRequest, 'body'>): Rpc {
  return body === '' ? {} : (JSON.parse(body) as Rpc)
}

/** The JSON in an answer, which can be an event. */
function messageIn({ body }: Answer): unknown {
  const text = /\{[^\n]*"jsonrpc".*\}/.exec(body.toString())?.[0]
  return text === undefined ? {} : JSON.parse(text)
}

function without(headers: Record<string, unknown>, ...names: string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !names.includes(name)))
}

const METADATA = '/.well-known/oauth-protected-resource/mcp'

/** `forwards`: the mistake; the server gets the token of the client. */
export function mcpAuth(upstream: string, audience: string, { forwards = false } = {}): Handler {
  return async (request, forward) => {
    if (request.path === METADATA)
      return answer(200, { resource: 'http://gateway/mcp', authorization_servers: [upstream] })
    if (!(await hasToken(request, upstream, audience)))
      return answer(401, 'no token', { 'www-authenticate': `Bearer resource_metadata="http://gateway${METADATA}"` })
    return forward(forwards ? request : { ...request, headers: without(request.headers, 'authorization') })
  }
}

const SERVERS = [
  { prefix: 'weather_', path: '/mcp/servers/weather' },
  { prefix: 'crm_', path: '/mcp/servers/crm' },
]

/** Joins two servers. `drops`: the mistake; of two tools with the same name one is lost. */
export function federation({ drops = false } = {}): Handler {
  const sessions = new Map<string, string[]>()
  return async (request, forward) => {
    if (request.path !== '/mcp') return forward(request)
    const message = rpcOf(request)
    const own = sessions.get(String(request.headers['mcp-session-id']))
    const ask = (index: number, body = request.body): Promise<Answer> => {
      const session = own?.[index]
      const headers = { ...without(request.headers, 'mcp-session-id'), ...(session && { 'mcp-session-id': session }) }
      return forward({ ...request, path: SERVERS[index]!.path, headers, body })
    }
    const askAll = (): Promise<Answer[]> => Promise.all(SERVERS.map((_, index) => ask(index)))
    if (message.method === 'initialize') {
      const answers = await askAll()
      const ids = answers.map(one => String(one.headers['mcp-session-id']))
      sessions.set(ids[0]!, ids)
      return answers[0]!
    }
    if (message.method === 'tools/list') {
      const lists = (await askAll()).map(one => messageIn(one) as ToolList)
      const seen = new Set<string>()
      const tools = lists.flatMap((list, index) =>
        list.result.tools
          .filter(({ name }) => !drops || (!seen.has(name) && seen.add(name)))
          .map(tool => ({ ...tool, name: `${SERVERS[index]!.prefix}${tool.name}` })),
      )
      return answer(200, { jsonrpc: '2.0', id: message.id, result: { tools } })
    }
    const index = Math.max(
      0,
      SERVERS.findIndex(({ prefix }) => message.params?.name?.startsWith(prefix) === true),
    )
    if (message.method !== 'tools/call') return ask(index)
    const name = message.params!.name!.slice(SERVERS[index]!.prefix.length)
    return ask(index, JSON.stringify({ ...message, params: { ...message.params, name } }))
  }
}

/** Answers as a server with these tools; `call` answers a call. */
function mcpServer(tools: unknown[], call: (message: Rpc, request: ProxyRequest) => Promise<Answer>): Handler {
  return async request => {
    const message = rpcOf(request)
    const reply = (result: unknown): Answer =>
      answer(200, { jsonrpc: '2.0', id: message.id, result }, { 'mcp-session-id': 'of-the-gateway' })
    if (message.method === 'initialize')
      return reply({
        protocolVersion: '2025-06-18',
        capabilities: { tools: {} },
        serverInfo: { name: 'gateway', version: '1' },
      })
    if (message.id === undefined) return answer(202, '')
    if (message.method === 'tools/list') return reply({ tools })
    return message.method === 'tools/call' ? call(message, request) : reply({})
  }
}

function textResult(id: number | undefined, text: string): Answer {
  return answer(200, { jsonrpc: '2.0', id, result: { content: [{ type: 'text', text }] } })
}

/** A REST API as tools. `forwardsAll`: the mistake; the message of the agent is the body of the request. */
export function openApiTools({ forwardsAll = false } = {}): Handler {
  const inputSchema = { type: 'object', properties: { id: { type: 'string' } } }
  return (request, forward) =>
    mcpServer([{ name: 'getOrder', inputSchema }], async message => {
      const got = await forward({
        method: 'GET',
        path: `/orders/${String(message.params?.arguments?.id)}`,
        headers: without(request.headers, 'content-length', 'content-type'),
        body: forwardsAll ? request.body : '',
      })
      return textResult(message.id, got.body.toString())
    })(request, forward)
}

/** `listsAll`: the mistake; the search is one more tool. */
export function toolSearch({ listsAll = false } = {}): Handler {
  const found = [{ name: 'search_tools' }, { name: 'call_tool' }]
  return async (request, forward) => {
    const message = rpcOf(request)
    const ask = (body: Rpc = message): Promise<Answer> =>
      forward({ ...request, path: '/mcp/servers/hostile-huge?tools=120', body: JSON.stringify(body) })
    const { name, arguments: given = {} } = message.params ?? {}
    if (message.method === 'tools/list') {
      const { result } = messageIn(await ask()) as ToolList
      return answer(200, {
        jsonrpc: '2.0',
        id: message.id,
        result: { tools: listsAll ? [...found, ...result.tools] : found },
      })
    }
    if (message.method === 'tools/call' && name === 'search_tools') {
      const { result } = messageIn(await ask({ ...message, method: 'tools/list', params: {} })) as ToolList
      const words = String(given.query).split(' ')
      return textResult(
        message.id,
        JSON.stringify(result.tools.filter(tool => words.every(word => tool.name.includes(word)))),
      )
    }
    if (message.method === 'tools/call' && name === 'call_tool')
      return ask({ ...message, params: given as Rpc['params'] })
    return ask()
  }
}

/** Drops the session of a client, or gives one session to all. */
export function mcpSessions(mistake: 'drops' | 'shares'): Handler {
  let first: Promise<Answer> | null = null
  return async (request, forward) => {
    if (mistake === 'drops') return forward({ ...request, headers: without(request.headers, 'mcp-session-id') })
    if (rpcOf(request).method !== 'initialize') return forward(request)
    first ??= forward(request)
    const { status, headers, body } = await first
    return { status, headers: { ...headers }, body }
  }
}

/** `after`: the mistake; the prompt of the gateway comes last. */
export function enrichment(added: string, { after = false } = {}): Handler {
  return async (request, forward) => {
    if (request.body === '') return forward(request)
    const body = JSON.parse(request.body) as { messages: unknown[] }
    const own = { role: 'system', content: added }
    const messages = after ? [...body.messages, own] : [own, ...body.messages]
    return forward({ ...request, body: JSON.stringify({ ...body, messages }) })
  }
}

interface Completion {
  choices: { message: { content: string } }[]
}

/** `shared`: the mistake; tenants share their answers. */
export function semanticCache({ shared = false } = {}): Handler {
  const stored: { tenant: string; vector: string; text: string }[] = []
  return async (request, forward) => {
    if (request.body === '') return forward(request)
    const { messages, stream } = JSON.parse(request.body) as { messages: { content: string }[]; stream?: boolean }
    const tenant = shared ? '' : String(request.headers.authorization)
    const embedded = await forward({
      ...request,
      path: '/v1/embeddings',
      body: JSON.stringify({ model: 'text-embedding-3-small', input: messages.at(-1)!.content, dimensions: 3 }),
    })
    const vector = JSON.stringify((JSON.parse(embedded.body.toString()) as { data: unknown[] }).data)
    const hit = stored.find(one => one.tenant === tenant && one.vector === vector)
    if (hit === undefined) {
      const got = await forward(request)
      if (stream !== true) {
        const { choices } = JSON.parse(got.body.toString()) as Completion
        stored.push({ tenant, vector, text: choices[0]!.message.content })
      }
      return got
    }
    if (stream !== true) return answer(200, { choices: [{ message: { content: hit.text }, finish_reason: 'stop' }] })
    const events = [
      { choices: [{ index: 0, delta: { content: hit.text }, finish_reason: null }] },
      { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
    ]
    const text = events.map(event => `data: ${JSON.stringify(event)}\n\n`).join('')
    return answer(200, `${text}data: [DONE]\n\n`, { 'content-type': 'text/event-stream' })
  }
}

/** Agent cards lead to the gateway. `urlOnly`: the mistake; further interfaces keep the address behind it. */
export function agentCards(inside: string, { urlOnly = false } = {}): Handler {
  return async (request, forward) => {
    const got = await forward(request)
    if (!request.path.endsWith('agent-card.json')) return got
    const text = got.body.toString()
    const own = urlOnly ? text.replace(inside, 'http://gateway') : text.replaceAll(inside, 'http://gateway')
    return { ...got, body: Buffer.from(own) }
  }
}
