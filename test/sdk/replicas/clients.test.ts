/** Unmodified clients and three processes: one is killed, and the store is suspended, emptied and full. */
import t from 'tap'
import { randomUUID } from 'node:crypto'
import { Role, TaskState, type Task } from '@a2a-js/sdk'
import { ClientFactory, DefaultAgentCardResolver, JsonRpcTransportFactory } from '@a2a-js/sdk/client'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import OpenAI from 'openai'
import * as openid from 'openid-client'
import { startBalancer } from '../../support/balancer.ts'
import { callback, encode } from '../../support/oauth.ts'
import { startProcess } from '../../support/process.ts'
import { NEEDS_SERVER, startStateServer } from '../../support/state-store.ts'
import { until } from '../../support/until.ts'

const YAML = 'plugins: { enable: [echo, mcp, a2a, identity, auth, llm-openai] }\n'
const REQUEST = { capabilities: {} }

t.test('clients, three processes and a store [STATE-49]', NEEDS_SERVER, async t => {
  const store = await startStateServer(t)
  const start = async (id: string) => {
    const env = { SVC_STATE_STORE: store.url, SVC_INSTANCE_ID: id, SVC_STATE_STORE_TIMEOUT_MS: '1000' }
    const started = startProcess(t, { yaml: YAML, env: { ...env, SVC_LOG_LEVEL: 'warn' } })
    return { ...started, number: await started.port('HTTP') }
  }
  const one = await start('one')
  const two = await start('two')
  const three = await start('three')
  const ports = [one, two, three].map(({ number }) => number)
  const balancer = await startBalancer(ports)
  t.teardown(() => balancer.stop())
  const { url } = balancer
  const isUp = () =>
    until(async () => {
      const shown = await Promise.all(
        ports.map(async port => (await fetch(`http://127.0.0.1:${port}/_svc/replicas`)).json()),
      )
      return (shown as { count: number; store: { up: boolean } }[]).every(
        ({ count, store: { up } }) => up && count === ports.length,
      )
    }, 'that all replicas use the store')
  await isUp()

  const mcp = async (): Promise<Client> => {
    const client = new Client({ name: 'test', version: '1' }, REQUEST)
    await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`)))
    t.teardown(() => client.close())
    return client
  }
  const add = async (client: Client) => {
    const { content } = await client.callTool({ name: 'add', arguments: { a: 2, b: 3 } })
    return content
  }
  const agent = await new ClientFactory({
    transports: [new JsonRpcTransportFactory()],
    cardResolver: new DefaultAgentCardResolver(),
  }).createFromUrl(url, '/a2a/echo/.well-known/agent-card.json')
  const sending = (text: string, immediately: boolean, metadata?: object) => ({
    tenant: '',
    message: {
      messageId: randomUUID(),
      contextId: '',
      taskId: '',
      role: Role.ROLE_USER,
      parts: [{ content: { $case: 'text' as const, value: text }, metadata: undefined, filename: '', mediaType: '' }],
      metadata,
      extensions: [],
      referenceTaskIds: [],
    },
    configuration: { acceptedOutputModes: [], taskPushNotificationConfig: undefined, returnImmediately: immediately },
    metadata: undefined,
  })
  const task = (id: string) => agent.getTask({ tenant: '', id })
  const config = await openid.discovery(new URL(url), 'svc', undefined, openid.ClientSecretBasic('svc-secret'), {
    execute: [openid.allowInsecureRequests],
  })
  const logIn = async () => {
    const pkceCodeVerifier = openid.randomPKCECodeVerifier()
    const asked = openid.buildAuthorizationUrl(config, {
      redirect_uri: callback,
      scope: 'openid offline_access',
      code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
      code_challenge_method: 'S256',
    })
    const response = await fetch(asked.origin + asked.pathname, {
      method: 'POST',
      redirect: 'manual',
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
      body: `${asked.searchParams}&${encode({ username: 'alice', password: 'alice', action: 'approve' })}`,
    })
    return openid.authorizationCodeGrant(config, new URL(response.headers.get('location')!), { pkceCodeVerifier })
  }
  const models = new OpenAI({ baseURL: `${url}/ai/openai/v1`, apiKey: 'sk-demo-1234', maxRetries: 0 })
  const chat = async () => {
    const messages = [{ role: 'user' as const, content: 'hello' }]
    return (await models.chat.completions.create({ model: 'svc-gpt', messages })).choices[0]?.message.content
  }
  const five = [{ type: 'text', text: /5/ }]
  const client = await mcp()
  const tokens = await logIn()
  const done = (await agent.sendMessage(sending('hi', false))) as Task
  t.equal(done.status?.state, TaskState.TASK_STATE_COMPLETED)
  const response = await models.responses.create({ model: 'svc-gpt', input: 'hello', store: true })

  await t.test('a replica is killed', async t => {
    const running = (await agent.sendMessage(sending('slow', true, { stepDelayMs: 60_000 }))) as Task
    // Whichever replica runs it: only one of the others is left to tell.
    one.child.kill('SIGKILL')
    await one.exited
    ports.splice(0, 1)
    t.match(await add(client), five, 'the MCP session')
    t.equal((await task(done.id)).id, done.id)
    t.ok((await openid.refreshTokenGrant(config, tokens.refresh_token!)).access_token)
    t.match(await chat(), /Hello/)
    t.equal((await models.responses.retrieve(response.id)).id, response.id)
    t.ok((await task(running.id)).status, 'a task that another replica may run')
    await isUp()
  })

  await t.test('the store is suspended and continues', async t => {
    const kept = await logIn()
    const slow = (await agent.sendMessage(sending('slow', true, { stepDelayMs: 1500 }))) as Task
    process.kill(store.pid(), 'SIGSTOP')
    t.match(await chat(), /Hello/, 'models need no store')
    await t.rejects(add(client), /state store is unavailable|503/)
    await t.rejects(task(done.id))
    const failure: unknown = await openid
      .refreshTokenGrant(config, kept.refresh_token!)
      .catch((error: unknown) => error)
    t.equal((failure as { cause?: { status?: number } }).cause?.status, 503, 'a refresh')
    process.kill(store.pid(), 'SIGCONT')
    await isUp()
    t.match(await add(client), five, 'the same session')
    t.ok(
      (await openid.refreshTokenGrant(config, kept.refresh_token!)).access_token,
      'the refresh token was not used up',
    )
    await until(async () => (await task(slow.id)).status?.state === TaskState.TASK_STATE_COMPLETED, 'the run')
  })

  await t.test('the store is full', async t => {
    store.command('CONFIG', 'SET', 'maxmemory', '1')
    t.match(await chat(), /Hello/)
    t.match(await add(client), five, 'a call in a session')
    t.equal((await task(done.id)).id, done.id, 'reads')
    await t.rejects(agent.sendMessage(sending('no', false)))
    await t.rejects(mcp())
    store.command('CONFIG', 'SET', 'maxmemory', '0')
    t.equal(((await agent.sendMessage(sending('hi', false))) as Task).status?.state, TaskState.TASK_STATE_COMPLETED)
  })

  await t.test('the store comes back empty', async t => {
    const lost = await logIn()
    await store.kill()
    await store.start()
    await isUp()
    await t.rejects(add(client), /Session not found|404/)
    t.match(await add(await mcp()), five, 'a new session')
    await t.rejects(task(done.id), { name: 'TaskNotFoundError' })
    const failure: unknown = await openid
      .refreshTokenGrant(config, lost.refresh_token!)
      .catch((error: unknown) => error)
    t.match(failure, { error: 'invalid_grant' })
    t.ok((await logIn()).access_token, 'the keys are those of before')
    const me = await fetch(`${url}/auth/jwt`, { headers: { Authorization: `Bearer ${lost.access_token}` } })
    t.equal(me.status, 200, 'and tokens that they signed are valid')
  })
})
