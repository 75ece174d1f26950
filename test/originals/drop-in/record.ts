/**
 * Records what an original of the plugin `drop-in` answers:
 *
 *     node --import tsx test/originals/drop-in/record.ts fortio http://127.0.0.1:8080 "fortio 1.75.3"
 *
 * The original runs already. The test `integration/drop-in/originals` compares svc with the file.
 */
import { writeFileSync } from 'node:fs'
import { send } from '../../support/request.ts'
import { type Answer, type Case, COMPARED, ECHO_BASIC, FORTIO, HTTP_ECHO, WHOAMI, withoutMachine } from './cases.ts'

const CASES: Readonly<Record<string, readonly Case[]>> = {
  fortio: FORTIO,
  whoami: WHOAMI,
  'http-echo': HTTP_ECHO,
  'echo-basic': ECHO_BASIC,
}

async function main([name = '', url = '', version = '']: string[]): Promise<void> {
  const answers: { request: Case; answer: Answer }[] = []
  for (const request of CASES[name] ?? []) {
    const { status, headers, text } = await send(url, request.path, {
      ...request,
      headers: { Host: `${name}.test`, ...request.headers },
    })
    const kept = Object.fromEntries(
      COMPARED.flatMap(field => (headers[field] === undefined ? [] : [[field, String(headers[field])]])),
    )
    answers.push({ request, answer: { status, headers: kept, body: withoutMachine(text) } })
  }
  writeFileSync(`test/fixtures/drop-in/${name}.json`, `${JSON.stringify({ original: version, answers }, null, 2)}\n`)
}

await main(process.argv.slice(2))
