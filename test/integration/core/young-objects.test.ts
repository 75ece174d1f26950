/**
 * What the inspector and the lists of model calls evict leaves nothing to the old generation of the heap. Takes long: it
 * sends many requests to a process.
 */
import { Agent, request } from 'node:http'
import t from 'tap'
import { startProcess } from '../../support/process.ts'

const WARM_UP = 4000
const MEASURED = 8000
const CONNECTIONS = 8
const BODY = JSON.stringify({ model: 'gpt-4o', messages: [{ role: 'user', content: 'Hello, how are you?' }] })
/**
 * In bytes for each call. The list of 5,000 calls outlives three collections, so its entries are promoted (520). With those of
 * the inspector, which holds 500 requests, it would be 2,900.
 */
const MAX_PROMOTED = 1000

t.test('evicted entries are collected in the young generation', { timeout: 300_000 }, async t => {
  const server = startProcess(t, {
    nodeArgs: ['--max-semi-space-size=64', '--trace-gc-nvp'],
    env: { SVC_LOG_LEVEL: 'off' },
  })
  const port = await server.port('HTTP')
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS })
  t.teardown(() => agent.destroy())
  const call = (): Promise<number> =>
    new Promise((resolve, reject) => {
      const sent = request({
        agent,
        port,
        host: '127.0.0.1',
        method: 'POST',
        path: '/ai/openai/v1/chat/completions',
        headers: { 'content-type': 'application/json', 'content-length': BODY.length },
      })
      sent.on('response', response => response.resume().on('end', () => resolve(response.statusCode!)))
      sent.on('error', reject).end(BODY)
    })
  const calls = async (count: number): Promise<void> => {
    let left = count
    const client = async (): Promise<void> => {
      while (left-- > 0) if ((await call()) !== 200) throw new Error('not answered')
    }
    await Promise.all(Array.from({ length: CONNECTIONS }, client))
  }
  await calls(WARM_UP)
  const before = server.output().length
  await calls(MEASURED)
  const collections = server
    .output()
    .slice(before)
    .split('\n')
    .filter(line => / gc=s /.test(line))
  t.ok(collections.length > 2, `${collections.length} collections`)
  const promoted = collections.reduce((sum, line) => sum + Number(/ promoted=(\d+)/.exec(line)![1]), 0)
  t.ok(promoted / MEASURED < MAX_PROMOTED, `${Math.round(promoted / MEASURED)} bytes a call`)
})
