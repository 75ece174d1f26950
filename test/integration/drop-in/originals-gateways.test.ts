/** Requests that were recorded from the test upstreams of gateways, replayed against svc. `test/originals/drop-in` records them. */
import { readFileSync } from 'node:fs'
import t from 'tap'
import type { Answer, Case } from '../../originals/drop-in/cases.ts'
import { comparableAnswer, GATEWAYS } from '../../originals/drop-in/gateways.ts'
import { send } from '../../support/request.ts'
import { serve } from '../../support/server.ts'

interface Recorded {
  original: string
  answers: { request: Case; answer: Answer }[]
}

const hosts = Object.keys(GATEWAYS).map(serve => ({ host: `${serve}.test`, serve }))
const { url } = await serve(t, { env: { TESTUPSTREAM_ID: 'upstream-1' }, settings: { drop_in: { hosts } } })

for (const flavour of Object.keys(GATEWAYS)) {
  const { original, answers } = JSON.parse(readFileSync(`test/fixtures/drop-in/${flavour}.json`, 'utf8')) as Recorded
  t.test(`${flavour}, as ${original} answered [DIN-62]`, async t => {
    t.ok(answers.length > 10)
    for (const { request, answer } of answers) {
      const name = `${request.method ?? 'GET'} ${request.path} ${JSON.stringify(request.headers)} ${request.body ?? ''}`
      const reply = await send(url, request.path, {
        ...request,
        headers: { Host: `${flavour}.test`, ...request.headers },
      })
      const found = comparableAnswer(flavour, reply)
      t.equal(found.status, answer.status, name)
      // Members may be added.
      t.hasStrict(found.headers, answer.headers, name)
      if (!/^[{[]/.test(answer.body)) t.equal(found.body, answer.body, name)
      else t.hasStrict(linesOf(found.body), linesOf(answer.body), name)
    }
  })
}

function linesOf(body: string): unknown[] {
  return body.split('\n').map(line => (line === '' ? '' : (JSON.parse(line) as unknown)))
}
