/** Syslog and StatsD on ports of their own. */
import t from 'tap'
import { createSocket } from 'node:dgram'
import { connect } from 'node:net'
import { once } from 'node:events'
import { send } from '../../support/rules.ts'
import { shown, type Json } from '../../support/otlp-requests.ts'
import { serve } from '../../support/server.ts'

const server = await serve(t, {
  plugins: ['telemetry', 'echo'],
  settings: { telemetry: { syslog: { udp: 0, tcp: 0 }, statsd: { udp: 0, tcp: 0 } } },
  oneProcess: 'each replica has ports of its own',
})
const { listeners } = (await send(server, '/_svc/status')).json as { listeners: Json[] }
const portOf = (name: string): number => listeners.find(listener => listener.name === name)!.port

const datagrams = createSocket('udp4')
t.teardown(() => datagrams.close())
const udp = (name: string, text: string): void => datagrams.send(text, portOf(name), '127.0.0.1')

async function tcp(name: string, ...chunks: string[]): Promise<void> {
  const socket = connect(portOf(name), '127.0.0.1')
  for (const chunk of chunks) socket.write(chunk)
  socket.end()
  socket.resume()
  await once(socket, 'close')
}

t.test('syslog over UDP and TCP [GWT-13]', async t => {
  await send(server, '/echo', { session: 'arrived', headers: { 'x-request-id': 'sys-1' } })
  udp('telemetry-syslog-udp', '<14>1 - host gw - - - {"request_id":"sys-1","status":200,"path":"/s/arrived/echo"}')
  const [log] = await shown(server, 'logs', 'wait_for=1&timeout_ms=20000')
  t.match(log, { source: 'syslog', service: 'gw', session: 'arrived', path: '/echo', status: 200 })
  await tcp('telemetry-syslog-tcp', '<14>1 - - a - - - one\n8 <1', '4>x: 2<14>y: 3')
  const bodies = (await shown(server, 'logs', 'wait_for=4&timeout_ms=20000')).map(({ body }) => body)
  t.strictSame(bodies.slice(0, 3).sort(), ['2', '3', 'one'])
})

t.test('StatsD over UDP and TCP; bad lines are counted [GWT-13]', async t => {
  udp('telemetry-statsd-udp', 'a:1|c\nbad\nb:2|g|#svc.session:demo\n_e{1,1}:t|x')
  await tcp('telemetry-statsd-tcp', 'c:3|m', 's\nd:4|h\n')
  const metrics = await shown(server, 'metrics', 'wait_for=4&timeout_ms=20000')
  t.strictSame(metrics.map(({ name, value }) => [name, value]).sort(), [
    ['a', 1],
    ['b', 2],
    ['c', 3],
    ['d', 4],
  ])
  t.equal((await shown(server, 'metrics', 'session=demo')).length, 1)
  t.equal((await shown(server, 'logs', 'source=statsd&wait_for=1&timeout_ms=20000')).length, 1)
  t.match(
    (await send(server, '/_svc/metrics')).text,
    /svc_telemetry_records_total\{kind="metrics",source="statsd",kept="false"\} 1\n/,
  )
})

t.test('a public instance opens none', async t => {
  const open = await serve(t, {
    plugins: ['telemetry'],
    settings: { telemetry: { syslog: { udp: 0 }, statsd: { udp: 0 } } },
    env: { SVC_PUBLIC_MODE: 'true' },
    oneProcess: 'it has no ports',
  })
  const status = (await send(open, '/_svc/status')).json as { listeners?: Json[] }
  t.notOk((status.listeners ?? []).some(({ name }) => String(name).startsWith('telemetry')))
})
