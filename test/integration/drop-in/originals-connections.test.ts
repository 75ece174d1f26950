/** Connections, datagrams and calls that were recorded from originals, replayed against svc. `test/originals/drop-in` records them. */
import { readFileSync } from 'node:fs'
import t from 'tap'
import {
  ask,
  call,
  converse,
  type GrpcAnswer,
  type GrpcCase,
  type TcpAnswer,
  type TcpCase,
  type UdpAnswer,
  type UdpCase,
} from '../../originals/drop-in/connections.ts'
import { entriesOf, openPorts } from '../../support/layer4.ts'
import { serve } from '../../support/server.ts'

const server = await serve(t, {
  plugins: ['grpc-services', 'httpbin', 'layer4', 'tls'],
  env: { SVC_GRPC_ON_HTTP: 'true', NAMESPACE: 'ns<1>', INGRESS_NAME: 'gw', SERVICE_NAME: 's&t', POD_NAME: 'p-1' },
  settings: {
    layer4: {
      listeners: entriesOf({
        whoamitcp: { mode: 'whoami', text: 'n' },
        'raw-headers': { mode: 'raw-headers' },
        'whoamitcp-banner': { mode: 'whoami', text: 'n', banner: true },
        whoamiudp: { mode: 'whoami', text: 'n', transport: 'udp' },
        'echo-basic-tcp': { mode: 'echo-basic' },
        'echo-basic-tls': { mode: 'echo-basic', tls: true, tls_port_of: 'echo-basic-tcp' },
        'echo-basic-udp': { mode: 'echo-basic', transport: 'udp' },
      }),
    },
  },
  oneProcess: 'ports belong to a process',
})
const open = await openPorts(server)

function recorded<Request, Answer>(
  name: string,
): { original: string; answers: { request: Request; answer: Answer }[] } {
  return JSON.parse(readFileSync(`test/fixtures/drop-in/${name}.json`, 'utf8'))
}

for (const name of ['raw-headers', 'whoamitcp', 'whoamitcp-banner', 'echo-basic-tcp']) {
  const { original, answers } = recorded<TcpCase, TcpAnswer>(name)
  t.test(`${name}, as ${original} answered [DIN-60]`, async t => {
    t.ok(answers.length > 2)
    for (const { request, answer } of answers) {
      const port = request.tls === undefined ? open[name]! : open['echo-basic-tls']!
      t.strictSame(await converse(port, request, answer), answer, JSON.stringify(request).slice(0, 150))
    }
  })
}

for (const name of ['whoamiudp', 'echo-basic-udp']) {
  const { original, answers } = recorded<UdpCase, UdpAnswer>(name)
  t.test(`${name}, as ${original} answered [DIN-60]`, async t => {
    t.ok(answers.length > 2)
    for (const { request, answer } of answers)
      t.strictSame(await ask(open[name]!, request), answer, JSON.stringify(request).slice(0, 150))
  })
}

const { original, answers } = recorded<GrpcCase, GrpcAnswer>('echo-basic-grpc')
t.test(`echo-basic-grpc, as ${original} answered [DIN-60]`, async t => {
  t.ok(answers.length > 2)
  for (const { request, answer } of answers) {
    const port = request.tls === undefined ? server.ports.grpc! : server.ports.https!
    t.strictSame(await call(port, request), answer, JSON.stringify(request))
  }
})
