/** The server under load while it is reloaded in all ways. */
import t from 'tap'
import { appendFileSync, cpSync, mkdirSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { join } from 'node:path'
import { EventSource } from 'eventsource'
import OpenAI from 'openai'
import { startProcess } from '../../support/process.ts'
import { until } from '../../support/until.ts'

const FIXTURE = join(import.meta.dirname, '..', '..', 'fixtures', 'plugins', 'orders')

t.test(
  '20 reloads by file, signal and API with 50 connections: no request fails, an open stream continues [RELOAD-7]',
  async t => {
    const server = startProcess(t, { yaml: 'plugins: { dirs: [plugins] }', env: { SVC_LOG_LEVEL: 'warn' } })
    const definition = join(server.folder, 'plugins', 'orders', 'index.ts')
    mkdirSync(join(server.folder, 'plugins'))
    cpSync(FIXTURE, join(server.folder, 'plugins', 'orders'), { recursive: true })
    const url = `http://127.0.0.1:${await server.port('HTTP')}`
    const generation = async (): Promise<number> =>
      ((await (await fetch(`${url}/_svc/plugins`)).json()) as { generation: number }).generation

    const feed = new EventSource(`${url}/sse?count=1000&interval_ms=500`)
    t.teardown(() => feed.close())
    let events = 0
    let reconnects = -1
    feed.onmessage = () => events++
    feed.onopen = () => reconnects++

    const agent = new Agent({ keepAlive: true, maxSockets: 50 })
    t.teardown(() => agent.destroy())
    const chat = JSON.stringify({ model: 'svc-gpt', messages: [{ role: 'user', content: 'Hi' }] })
    const problems: string[] = []
    let answered = 0
    let isOver = false
    const once = (path: string, body?: string): Promise<void> =>
      new Promise(resolve => {
        const finish = (problem?: string): void => {
          if (problem) problems.push(`${path}: ${problem}`)
          answered++
          resolve()
        }
        request(url + path, { agent, method: body ? 'POST' : 'GET' }, response => {
          response
            .on('end', () => finish(response.statusCode === 200 ? undefined : String(response.statusCode)))
            .on('error', error => finish(String(error)))
            .resume()
        })
          .on('error', error => finish(String(error)))
          .end(body)
      })
    const load = Promise.all(
      Array.from({ length: 50 }, async (_, n) => {
        while (!isOver) {
          await (n % 2 ? once('/echo') : once('/ai/openai/v1/chat/completions', chat))
          // Leave some idle time, since this test is about the builds.
          await new Promise(resolve => setTimeout(resolve, 10))
        }
      }),
    )
    for (let round = 0; round < 20; round++) {
      const before = await generation()
      if (round % 3 === 0) appendFileSync(definition, '\n')
      else if (round % 3 === 1) {
        appendFileSync(join(server.folder, 'svc.yaml'), '\n')
        server.child.kill('SIGHUP')
      } else await fetch(`${url}/_svc/reload?force=true`, { method: 'POST' })
      await until(async () => (await generation()) > before, `reload ${round}`)
    }
    const seen = answered
    await until(() => answered > seen + 100)
    const ticked = events
    await until(() => events > ticked, 'the feed')
    isOver = true
    await load
    t.strictSame(problems, [])
    t.equal(reconnects, 0, 'the feed was never opened again')
    const { choices } = await new OpenAI({ baseURL: `${url}/ai/openai/v1`, apiKey: 'x' }).chat.completions.create({
      model: 'svc-gpt',
      messages: [{ role: 'user', content: 'Hi' }],
    })
    t.ok(choices[0]?.message.content)
  },
)
