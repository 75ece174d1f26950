/** Servers from svc.yaml that are processes: the official server-everything, and scripts that misbehave. */
import t, { type Test } from 'tap'
import { createRequire } from 'node:module'
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { call, callTool, items, type Json, openSession, textOf } from '../support/mcp.ts'
import { serve, type TestServer } from '../support/server.ts'
import { until } from '../support/until.ts'

t.setTimeout(600_000)

const EVERYTHING = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/dist/index.js')

interface Status extends Record<string, unknown> {
  name: string
  state: string
  pid?: number
  restarts: number
  last_exit: { code: number | null; signal: string | null } | null
  last_error: string | null
}

async function statuses({ url }: TestServer): Promise<Status[]> {
  return ((await (await fetch(`${url}/_svc/mcp-servers`)).json()) as { servers: Status[] }).servers
}

async function statusOf(server: TestServer, name: string): Promise<Status> {
  return (await statuses(server)).find(one => one.name === name)!
}

const reaches = (server: TestServer, name: string, state: string, isEnough: (status: Status) => boolean = () => true) =>
  until(async () => {
    const status = await statusOf(server, name)
    return status.state === state && isEnough(status)
  }, `${name} is ${state}`)

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

const entry = (name: string, members: Record<string, unknown>): string =>
  `    - ${JSON.stringify({ name, command: process.execPath, ...members })}\n`

const yamlOf = (...entries: string[]): string => `mcp:\n  servers:\n${entries.join('')}`

function serveServers(t: Test, ...entries: string[]): Promise<TestServer> {
  return serve(t, { yaml: yamlOf(...entries), env: { SVC_LOG_LEVEL: 'info' } })
}

function temporaryFolder(t: Test): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'svc-stdio-')))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** A program that answers requests; `on` is the body of a function of the message. */
function program(t: Test, on: string): string {
  const file = join(temporaryFolder(t), 'server.mjs')
  writeFileSync(
    file,
    `import { createInterface } from 'node:readline'
    const send = message => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n')
    const initialize = { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'script', version: '1' } }
    const tools = { tools: [{ name: 'run', inputSchema: { type: 'object' } }] }
    const text = value => ({ content: [{ type: 'text', text: String(value) }] })
    createInterface({ input: process.stdin }).on('line', line => {
      const message = JSON.parse(line)
      const { id, method, params } = message
      ${on}
      if (method === 'initialize') send({ id, result: initialize })
      else if (method === 'tools/list') send({ id, result: tools })
    })`,
  )
  return file
}

t.test('the official server-everything runs as a process, is killed, and is started again [MCPX-15]', async t => {
  const server = await serveServers(t, entry('everything', { args: [EVERYTHING, 'stdio'] }))
  const url = `${server.url}/mcp/servers/everything`
  const client = new Client({ name: 'test', version: '1' }, { capabilities: { elicitation: {} } })
  client.setRequestHandler(ElicitRequestSchema, () => ({ action: 'decline' }))
  await client.connect(new StreamableHTTPClientTransport(new URL(url)))
  t.teardown(() => client.close())
  const { tools } = await client.listTools()
  t.ok(tools.length >= 5, tools.map(({ name }) => name).join())
  t.match(await client.callTool({ name: 'echo', arguments: { message: 'hello' } }), {
    content: [{ type: 'text', text: 'Echo: hello' }],
  })
  t.ok((await client.listPrompts()).prompts.length > 0)
  t.ok((await client.listResources()).resources.length > 0)
  const progress: number[] = []
  await client.callTool({ name: 'trigger-long-running-operation', arguments: { duration: 0.2, steps: 2 } }, undefined, {
    onprogress: ({ progress: value }) => progress.push(value),
  })
  t.strictSame(progress, [1, 2])
  t.match((await callTool(url, 'echo', { message: 'stateless' })).answer.result, {
    content: [{ text: 'Echo: stateless' }],
  })
  t.match((await callTool(url, 'echo', {})).answer, { result: { isError: true } }, 'the answer of the server')
  const before = await statusOf(server, 'everything')
  t.match(before, { source: 'stdio', state: 'up', restarts: 0, last_exit: null, in_flight: 0 })
  process.kill(before.pid!, 'SIGKILL')
  await reaches(server, 'everything', 'up', ({ pid }) => pid !== before.pid)
  const after = await statusOf(server, 'everything')
  t.match(after, { restarts: 1, last_exit: { code: null, signal: 'SIGKILL' } })
  t.match(await client.callTool({ name: 'echo', arguments: { message: 'again' } }), {
    content: [{ text: 'Echo: again' }],
  })
  const restarted = await fetch(`${server.url}/_svc/mcp-servers/everything/restart`, { method: 'POST' })
  t.equal(restarted.status, 202)
  await reaches(server, 'everything', 'up', ({ pid }) => pid !== after.pid)
  const metrics = await (await fetch(`${server.url}/_svc/metrics`)).text()
  t.match(metrics, /svc_mcp_bridge_up\{server="everything"\} 1/)
  t.match(metrics, /svc_mcp_bridge_restarts_total\{server="everything"\} 2/)
  t.match(metrics, /svc_mcp_bridge_calls_total\{server="everything",outcome="ok"\} [1-9]/)
  const { pid } = await statusOf(server, 'everything')
  await server.stop()
  await until(() => !isAlive(pid!), 'the process has ended')
})

t.test('a process asks the client whose call is in flight; its own questions get an error [MCPX-16]', async t => {
  const file = program(
    t,
    `if (method === 'tools/call') { globalThis.call = id; send({ id: 'ask', method: 'elicitation/create', params: { message: 'Name?', requestedSchema: { type: 'object', properties: {} } } }) }
     if (id === 'ask') send({ id: globalThis.call, result: text(message.result?.content?.name) })
     if (method === 'notifications/initialized') send({ id: 'alone', method: 'roots/list' })
     if (id === 'alone') process.stderr.write('alone: ' + message.error.message + '\\n')`,
  )
  const server = await serveServers(t, entry('asking', { args: [file] }))
  const url = `${server.url}/mcp/servers/asking`
  const capabilities = { elicitation: {} }
  const params = { name: 'run', arguments: {} }
  const first = (await call(url, 'tools/call', params, { capabilities })).answer.result as Json
  t.match(first, { resultType: 'input_required', inputRequests: { q1: { params: { message: 'Name?' } } } })
  const inputResponses = { q1: { action: 'accept', content: { name: 'Ada' } } }
  const second = await call(
    url,
    'tools/call',
    { ...params, requestState: first.requestState, inputResponses },
    { capabilities },
  )
  t.equal(textOf(second), 'Ada')
  await until(() => server.lines.some(line => line.includes('alone: no call to ask through')), 'the error line')
  const line = server.lines.find(text => text.includes('alone: no call to ask through'))
  t.match(line, /server="?asking"?/)
  t.match(line, /pid=\d/)
})

t.test('a process has the variables and the folder of its entry, and nothing else of svc [MCPX-15]', async t => {
  const file = program(
    t,
    `if (method === 'tools/call') send({ id, result: text(JSON.stringify({ env: Object.keys(process.env).sort(), level: process.env.LEVEL, cwd: process.cwd() })) })`,
  )
  const folder = temporaryFolder(t)
  const server = await serve(t, {
    yaml: yamlOf(entry('plain', { args: [file], cwd: folder, env: { LEVEL: '${OWN_LEVEL}!' } })),
    env: { OWN_LEVEL: 'debug', SVC_ADMIN_TOKEN: 'secret', HOME: '/home/x' },
  })
  const seen = JSON.parse(textOf(await callTool(`${server.url}/mcp/servers/plain`, 'run')))
  t.strictSame(seen, { env: ['HOME', 'LEVEL'], level: 'debug!', cwd: folder })
})

t.test('each session may have its own process, which ends with it [MCPX-15]', async t => {
  const file = program(t, "if (method === 'tools/call') send({ id, result: text(process.pid) })")
  const server = await serveServers(t, entry('own', { args: [file], per: 'session' }))
  const url = `${server.url}/mcp/servers/own`
  const pidOf = async (session: Awaited<ReturnType<typeof openSession>>) =>
    textOf(await session.request('tools/call', { name: 'run', arguments: {} }))
  const common = textOf(await callTool(url, 'run'))
  t.equal(common, textOf(await callTool(url, 'run')))
  const sessions = await Promise.all(Array.from({ length: 9 }, () => openSession(url)))
  const pids: string[] = []
  for (const session of sessions.slice(0, 8)) pids.push(await pidOf(session))
  t.equal(new Set([common, ...pids]).size, 9)
  t.equal(await pidOf(sessions[0]!), pids[0])
  t.match((await sessions[8]!.request('tools/call', { name: 'run', arguments: {} })).answer.error, {
    code: -32603,
    message: 'too many connections (at most 8)',
  })
  await fetch(url, { method: 'DELETE', headers: sessions[0]!.headers })
  await until(() => !isAlive(Number(pids[0])), 'the process has ended')
  process.kill(Number(pids[1]), 'SIGKILL')
  await until(async () => (await statusOf(server, 'own')).sessions === 6, 'the process is forgotten')
  t.not(await pidOf(sessions[1]!), pids[1], 'the next call starts another')
})

t.test('a process that misbehaves is ended and started again; other servers do not notice [MCPX-17]', async t => {
  const long = program(t, "if (method === 'tools/call') process.stdout.write('x'.repeat(10_000_000) + '\\n')")
  const noisy = program(
    t,
    "if (method === 'initialize') { console.log('Server started'); console.log('really'); process.stderr.write('e'.repeat(9000) + '\\n') } if (method === 'tools/call') send({ id, result: text('fine') })",
  )
  const server = await serve(t, {
    yaml: yamlOf(
      entry('long', { args: [long] }),
      entry('exits', { args: ['-e', 'process.exit(3)'] }),
      entry('missing', { command: 'no-such-program-here' }),
      entry('noisy', { args: [noisy] }),
      entry('stubborn', {
        args: ['-e', "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000); process.stdin.resume()"],
      }),
    ),
    env: { SVC_LOG_LEVEL: 'info' },
  })
  const at = (name: string): string => `${server.url}/mcp/servers/${name}`
  t.equal(textOf(await callTool(at('noisy'), 'run')), 'fine')
  const warnings = () => server.lines.filter(line => line.includes('not JSON-RPC'))
  t.equal(warnings().length, 1, 'one warning for all lines')
  t.ok(
    server.lines.some(line => line.includes('e'.repeat(4096)) && !line.includes('e'.repeat(4097))),
    'a long line is cut',
  )
  t.match((await callTool(at('long'), 'run')).answer.error, {
    code: -32603,
    message: 'the server is not running',
    data: { server: 'long' },
  })
  t.match((await statusOf(server, 'long')).last_error, /a line of more than 4194304 bytes/)
  await reaches(server, 'exits', 'restarting', ({ last_exit }) => last_exit?.code === 3)
  t.match((await callTool(at('exits'), 'run')).answer, {
    error: { code: -32603, data: { server: 'exits', state: 'restarting', exit_code: 3 } },
  })
  const answer = await callTool(at('missing'), 'run')
  t.equal(answer.status, 200)
  t.match(answer.answer.error, { code: -32603, data: { server: 'missing', state: 'down' } })
  t.match((await statusOf(server, 'missing')).last_error, "can't run no-such-program-here: ENOENT")
  t.strictSame(items((await call(at('missing'), 'tools/list')).answer.result?.tools), [])
  await reaches(server, 'missing', 'down', ({ restarts }) => restarts >= 2)
  t.equal(textOf(await callTool(at('noisy'), 'run')), 'fine')
})

t.test('a reload keeps the process of an entry that has not changed [MCPX-15]', async t => {
  const file = program(t, "if (method === 'tools/call') send({ id, result: text(process.pid) })")
  const server = await serveServers(t, entry('kept', { args: [file] }), entry('changed', { args: [file] }))
  const pid = async (name: string) => textOf(await callTool(`${server.url}/mcp/servers/${name}`, 'run'))
  const before = [await pid('kept'), await pid('changed')]
  writeFileSync(
    join(server.folder, 'svc.yaml'),
    yamlOf(entry('kept', { args: [file], title: 'New' }), entry('changed', { args: [file, '--more'] })),
  )
  await server.reload()
  await until(async () => (await pid('changed')) !== before[1], 'the changed entry has another process')
  t.equal(await pid('kept'), before[0])
  await until(() => !isAlive(Number(before[1])), 'the old process has ended')
})
