/** Requests that were recorded from originals, replayed against svc. `test/originals/drop-in` records them. */
import { readFileSync } from 'node:fs'
import t from 'tap'
import type { Answer, Case } from '../../originals/drop-in/cases.ts'
import { send } from '../../support/request.ts'
import { serve } from '../../support/server.ts'

interface Recorded {
  original: string
  answers: { request: Case; answer: Answer }[]
}

const { url } = await serve(t, { settings: { drop_in: { hosts: [{ host: 'fortio.test', serve: 'fortio' }] } } })
const { original, answers } = JSON.parse(readFileSync('test/fixtures/drop-in/fortio.json', 'utf8')) as Recorded

t.test(`fortio, as ${original} answered [DIN-4]`, async t => {
  t.ok(answers.length > 20)
  for (const { request, answer } of answers) {
    const name = `${request.method ?? 'GET'} ${request.path}`
    const { status, headers, text } = await send(url, request.path, {
      ...request,
      headers: { Host: 'fortio.test', ...request.headers },
    })
    t.equal(status, answer.status, name)
    for (const [field, value] of Object.entries(answer.headers)) t.equal(headers[field], value, `${name}: ${field}`)
    // The bytes of a size are random in the original; Content-Length was compared.
    if (!/size=\d/.test(request.path)) t.equal(text, answer.body, name)
  }
})
