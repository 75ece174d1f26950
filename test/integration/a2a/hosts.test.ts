/** Hosts that an agent has for itself. */
import t from 'tap'
import { send } from '../../support/request.ts'
import { serve } from '../../support/server.ts'

const { url } = await serve(t, {
  settings: {
    a2a: {
      listeners: [{ port: 0, name: 'pool', agent: 'weather' }],
      hosts: [
        { host: 'travel.agents.test', agent: 'travel-planner' },
        { host: 'echo.agents.test', agent: 'echo' },
        { host: 'lost.agents.test', agent: 'travel' },
      ],
    },
  },
})
const get = (Host: string, path: string) => send(url, path, { headers: { Host } })

async function portOf(name: string): Promise<number> {
  const { listeners } = (await send(url, '/_svc/status')).json<{ listeners: { name: string; port: number }[] }>()
  return listeners.find(listener => listener.name === name)!.port
}

t.test('the card names the host', async t => {
  for (const path of ['/.well-known/agent-card.json', '/.well-known/agent.json', '/agent-card', '/']) {
    const card = await get('travel.agents.test', path)
    t.match(card.json(), { name: 'Travel Planner Agent', url: 'http://travel.agents.test' }, path)
    t.notMatch(card.text, /\/a2a\//, `${path}: no path of the mount`)
  }
  const { supportedInterfaces } = (await get('travel.agents.test', '/agent-card')).json<{
    supportedInterfaces: { url: string; protocolBinding: string }[]
  }>()
  t.match(supportedInterfaces, [
    { url: 'http://travel.agents.test', protocolBinding: 'JSONRPC' },
    { url: 'http://travel.agents.test/v1', protocolBinding: 'HTTP+JSON' },
  ])
  t.notMatch((await get('echo.agents.test', '/agent-card')).text, /agent-directory/, 'the other agents are not there')
  t.equal((await get('echo.agents.test', '/image/svg')).status, 404, 'the plugin images is not loaded')
})

t.test('both bindings are at the root', async t => {
  const message = { messageId: 'm-1', role: 'ROLE_USER', parts: [{ text: 'Hello' }] }
  const options = (body: object) => ({
    method: 'POST',
    headers: { Host: 'echo.agents.test', 'Content-Type': 'application/json', 'A2A-Version': '1.0' },
    body: JSON.stringify(body),
  })
  const rpc = await send(url, '/', options({ jsonrpc: '2.0', id: 1, method: 'SendMessage', params: { message } }))
  t.match(rpc.json(), { result: {} }, rpc.text)
  t.equal((await send(url, '/v1/message:send', options({ message }))).status, 200)
  t.equal((await get('echo.agents.test', '/a2a/echo')).status, 404)
  t.equal((await get('echo.agents.test', '/weather')).status, 404)
})

t.test('the directory has the hosts, and a wrong entry is a load error', async t => {
  const { agents } = (await get('localhost', '/a2a')).json<{ agents: { id: string; hosts?: object[] }[] }>()
  t.match(agents.find(({ id }) => id === 'travel-planner')!.hosts, [
    { host: 'travel.agents.test', curl: /\/\.well-known\/agent-card\.json$/ },
  ])
  t.match((await get('localhost', '/_svc/plugins')).json(), {
    load_errors: [{ at: 'a2a.hosts[2].agent', message: 'unknown agent "travel"', remedy: /travel-planner/ }],
  })
})

t.test('a listener serves its agent', async t => {
  const own = `http://127.0.0.1:${await portOf('pool')}`
  t.match((await send(own, '/agent-card')).json(), { name: 'Weather Agent', url: own })
})
