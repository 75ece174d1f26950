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
import { comparableAnswer, GATEWAYS } from './gateways.ts'
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
  RAW_HEADERS,
  WHOAMI_TCP,
  WHOAMI_TCP_BANNER,
  WHOAMI_UDP,
} from './connections.ts'

type Recording = () => Promise<{ request: object; answer: object }[]>

function recording<Request extends object>(
  cases: readonly Request[],
  answer: (request: Request) => Promise<object>,
): Recording {
  return async () => {
    const answers: { request: object; answer: object }[] = []
    for (const request of cases) answers.push({ request, answer: await answer(request) })
    return answers
  }
}

function recordingOf(name: string, url: string): Recording | undefined {
  const { port, pathname } = new URL(url)
  const plain = Number(port)
  const portFor = (request: { tls?: object }): number => (request.tls === undefined ? plain : Number(pathname.slice(1)))
  const overHttp = (cases: readonly Case[]): Recording =>
    recording(cases, async (request): Promise<Answer> => {
      const { status, headers, text } = await send(url, request.path, {
        ...request,
        headers: { Host: `${name}.test`, ...request.headers },
      })
      return { status, headers: comparedFields(headers), body: withoutMachine(text) }
    })
  const gateway = GATEWAYS[name]
  if (gateway !== undefined)
    return recording(gateway, async request =>
      comparableAnswer(
        name,
        await send(url, request.path, { ...request, headers: { Host: `${name}.test`, ...request.headers } }),
      ),
    )
  const recordings: Record<string, Recording> = {
    fortio: overHttp(FORTIO),
    whoami: overHttp(WHOAMI),
    'http-echo': overHttp(HTTP_ECHO),
    'nginx-hello': overHttp(NGINX_HELLO),
    'echo-basic': overHttp(ECHO_BASIC),
    'raw-headers': recording(RAW_HEADERS, request => converse(plain, request)),
    whoamitcp: recording(WHOAMI_TCP, request => converse(plain, request)),
    'whoamitcp-banner': recording(WHOAMI_TCP_BANNER, request => converse(plain, request)),
    whoamiudp: recording(WHOAMI_UDP, request => ask(plain, request)),
    'echo-basic-tcp': recording(ECHO_BASIC_TCP, request => converse(portFor(request), request)),
    'echo-basic-udp': recording(ECHO_BASIC_UDP, request => ask(plain, request)),
    'echo-basic-grpc': recording(ECHO_BASIC_GRPC, request => call(portFor(request), request)),
  }
  return recordings[name]
}

async function main([name = '', url = '', version = '']: string[]): Promise<void> {
  const record = recordingOf(name, url)
  if (record === undefined) throw new Error(`no cases for ${name}`)
  const answers = await record()
  writeFileSync(`test/fixtures/drop-in/${name}.json`, `${JSON.stringify({ original: version, answers }, null, 2)}\n`)
}

await main(process.argv.slice(2))
