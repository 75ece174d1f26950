/** A thousand concurrent sessions, each with an open stream. */
import t from 'tap'
import { Agent, request } from 'node:http'
import { serve } from '../../support/server.ts'
import { openSession, post, type TestSession } from '../../support/mcp.ts'
import { until } from '../../support/until.ts'

// Starting and stopping dozens of servers takes long on a busy machine.
t.setTimeout(600_000)

const COUNT = 1000

/** Opens a GET stream on its own socket and collects the received text in `received`. */
function watch(url: string, session: TestSession, agent: Agent) {
  const state = { received: '', ended: false }
  return new Promise<{ state: typeof state; leave: () => void }>((resolve, reject) => {
    const outgoing = request(
      `${url}/mcp/servers/conformance`,
      { agent, headers: { ...session.headers, Accept: 'text/event-stream' } },
      response => {
        if (response.statusCode !== 200) reject(new Error(`status ${response.statusCode}`))
        response
          .setEncoding('utf8')
          .on('data', (chunk: string) => {
            state.received += chunk
          })
          .on('close', () => {
            state.ended = true
          })
        resolve({ state, leave: () => outgoing.destroy() })
      },
    )
    outgoing.on('error', () => {}).end()
  })
}

t.test(
  'a thousand sessions with open streams are notified of a change and leave nothing behind [MCP-41]',
  { timeout: 120_000 },
  async t => {
    const server = await serve(t, { env: { SVC_LOG_LEVEL: 'error' } })
    const url = `${server.url}/mcp/servers/conformance`
    const agent = new Agent({ keepAlive: false })
    const sessions: TestSession[] = []
    for (let start = 0; start < COUNT; start += 50)
      sessions.push(...(await Promise.all(Array.from({ length: 50 }, () => openSession(url)))))
    t.equal(new Set(sessions.map(session => session.id)).size, COUNT)
    const streams: Awaited<ReturnType<typeof watch>>[] = []
    for (let start = 0; start < COUNT; start += 50)
      streams.push(
        ...(await Promise.all(sessions.slice(start, start + 50).map(session => watch(server.url, session, agent)))),
      )
    t.match(await sessions[0]!.request('tools/call', { name: 'test_trigger_tool_change', arguments: {} }), {
      status: 200,
    })
    await until(
      () => streams.every(({ state }) => state.received.includes('notifications/tools/list_changed')),
      'every stream got the change',
    )

    // The store is full of sessions with streams, so one more session ends the least recently used one.
    const extra = await openSession(url)
    t.equal(extra.opened.status, 200)
    await until(() => streams.filter(({ state }) => state.ended).length === 1, 'one stream ends')

    for (const { leave } of streams) leave()
    const alive = sessions.filter((_, index) => !streams[index]!.state.ended)
    const ended = await Promise.all(
      alive.slice(-50).map(session => fetch(url, { method: 'DELETE', headers: session.headers })),
    )
    t.ok(ended.every(reply => reply.status === 200))
    t.equal((await post(url, { jsonrpc: '2.0', id: 1, method: 'ping' }, alive.at(-1)!.headers)).status, 404)
    const free = await openSession(url)
    t.equal((await free.request('ping')).status, 200)
    agent.destroy()
  },
)
