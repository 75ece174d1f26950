/**
 * Records what an original of the plugins `drop-in`, `layer4` and `grpc-services` answers:
 *
 *     node --import tsx test/originals/drop-in/record.ts fortio http://127.0.0.1:8080 "fortio 1.75.3"
 *     node --import tsx test/originals/drop-in/record.ts whoamitcp tcp://127.0.0.1:8080 "whoamitcp 0.3.0, commit 8d347fa"
 *
 * The original runs already; the variables and arguments that it needs are in the names of the cases. One with a port for TLS gets its
 * number behind the first: `tcp://127.0.0.1:3000/8443`. The tests `integration/drop-in/originals` compare svc with the file.
 */
import { writeFileSync } from 'node:fs'
import { send } from '../../support/request.ts'
import {
  type Answer,
  type Case,
  comparedFields,
  ECHO_BASIC,
  FORTIO,
  HTTP_ECHO,
  NGINX_HELLO,
  WHOAMI,
  withoutMachine,
} from './cases.ts'
import {
  ask,
  call,
  converse,
  ECHO_BASIC_GRPC,
  ECHO_BASIC_TCP,
  ECHO_BASIC_UDP,
  WHOAMI_TCP,
  WHOAMI_TCP_BANNER,
  WHOAMI_UDP,
} from './connections.ts'

interface Original<Request, Reply> {
  cases: readonly Request[]
  answer(request: Request): Promise<Reply>
}

function overHttp(name: string, url: string, cases: readonly Case[]): Original<Case, Answer> {
  return {
    cases,
    async answer(request) {
      const { status, headers, text } = await send(url, request.path, {
        ...request,
        headers: { Host: `${name}.test`, ...request.headers },
      })
      return { status, headers: comparedFields(headers), body: withoutMachine(text) }
    },
  }
}

function originalOf(name: string, url: string): Original<object, object> | undefined {
  const { port, pathname } = new URL(url)
  const plain = Number(port)
  const portFor = (request: { tls?: object }): number => (request.tls === undefined ? plain : Number(pathname.slice(1)))
  const originals: Record<string, Original<never, object>> = {
    fortio: overHttp(name, url, FORTIO),
    whoami: overHttp(name, url, WHOAMI),
    'http-echo': overHttp(name, url, HTTP_ECHO),
    'nginx-hello': overHttp(name, url, NGINX_HELLO),
    'echo-basic': overHttp(name, url, ECHO_BASIC),
    whoamitcp: { cases: WHOAMI_TCP as never, answer: request => converse(plain, request) },
    'whoamitcp-banner': { cases: WHOAMI_TCP_BANNER as never, answer: request => converse(plain, request) },
    whoamiudp: { cases: WHOAMI_UDP as never, answer: request => ask(plain, request) },
    'echo-basic-tcp': { cases: ECHO_BASIC_TCP as never, answer: request => converse(portFor(request), request) },
    'echo-basic-udp': { cases: ECHO_BASIC_UDP as never, answer: request => ask(plain, request) },
    'echo-basic-grpc': { cases: ECHO_BASIC_GRPC as never, answer: request => call(portFor(request), request) },
  }
  return originals[name] as Original<object, object> | undefined
}

async function main([name = '', url = '', version = '']: string[]): Promise<void> {
  const original = originalOf(name, url)
  if (original === undefined) throw new Error(`no cases for ${name}`)
  const answers: { request: object; answer: object }[] = []
  for (const request of original.cases) answers.push({ request, answer: await original.answer(request) })
  writeFileSync(`test/fixtures/drop-in/${name}.json`, `${JSON.stringify({ original: version, answers }, null, 2)}\n`)
}

await main(process.argv.slice(2))
