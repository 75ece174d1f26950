/** Memory of idle connections. */
import t from 'tap'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { serveLayer4 } from '../../support/layer4.ts'
import { until } from '../../support/until.ts'

const CONNECTIONS = 10_000
const MAX_BYTES = 150 * 1024 * 1024

/** Opens connections in a process of its own, in turns, and keeps them open. */
const CLIENT = `import { connect } from 'node:net'
const [port, count] = process.argv.slice(2).map(Number)
const open = () => new Promise((resolve, reject) => {
  const socket = connect(port, '127.0.0.1', resolve)
  socket.on('error', reject)
})
for (let opened = 0; opened < count; opened += 250) await Promise.all(Array.from({ length: 250 }, open))
process.send('open')
setInterval(() => {}, 1000)
`

t.test('10,000 idle connections take at most 150 MiB in all [L4-5]', async t => {
  const server = await serveLayer4(t, { echo: {} })
  const client = join(server.folder, 'client.mjs')
  await writeFile(client, CLIENT)
  globalThis.gc?.()
  const before = process.memoryUsage().rss
  const child = fork(client, [String(server.open.echo), String(CONNECTIONS)], { execArgv: [] })
  t.teardown(() => child.kill())
  const [message] = (await once(child, 'message')) as [string]
  t.equal(message, 'open')
  const openNow = async (): Promise<boolean> => {
    const { listeners } = (await (await fetch(`${server.url}/_svc/status`)).json()) as {
      listeners: { name: string; connections: number }[]
    }
    return listeners.find(({ name }) => name === 'echo')?.connections === CONNECTIONS
  }
  await until(openNow)
  const added = process.memoryUsage().rss - before
  t.comment(`${Math.round(added / 1024 / 1024)} MiB`)
  t.ok(added < MAX_BYTES, `${added} bytes`)
})
