/** Requests that were recorded from originals, replayed against svc. `test/originals/drop-in` records them. */
import { readFileSync } from 'node:fs'
import t from 'tap'
import { type Answer, type Case, COMPARED, withoutMachine } from '../../originals/drop-in/cases.ts'
import { send } from '../../support/request.ts'
import { serve } from '../../support/server.ts'

interface Recorded {
  original: string
  answers: { request: Case; answer: Answer }[]
}

/** Originals by the name of the flavour. Their texts are random in fortio's `size`; Content-Length is compared. */
const FLAVOURS = ['fortio', 'whoami', 'http-echo', 'echo-basic']
const hosts = FLAVOURS.map(serve => ({
  host: `${serve}.test`,
  serve,
  ...(serve === 'http-echo' ? { text: 'hi' } : serve === 'whoami' ? { name: 'n' } : {}),
}))
const { url } = await serve(t, { settings: { drop_in: { hosts } } })

for (const flavour of FLAVOURS) {
  const { original, answers } = JSON.parse(readFileSync(`test/fixtures/drop-in/${flavour}.json`, 'utf8')) as Recorded
  t.test(`${flavour}, as ${original} answered [DIN-4]`, async t => {
    t.ok(answers.length > 7)
    for (const { request, answer } of answers) {
      const name = `${request.method ?? 'GET'} ${request.path}`
      const { status, headers, text } = await send(url, request.path, {
        ...request,
        headers: { Host: `${flavour}.test`, ...request.headers },
      })
      t.equal(status, answer.status, name)
      for (const field of COMPARED.filter(field => isCompared(field, answer)))
        t.equal(headers[field], answer.headers[field], `${name}: ${field}`)
      if (flavour !== 'fortio' || !/size=\d/.test(request.path)) t.equal(withoutMachine(text), answer.body, name)
    }
  })
}

/** The body of some is as long as the names and addresses of the machine. */
function isCompared(field: string, { headers, body }: Answer): boolean {
  const ofMachine = /Hostname|"hostname"|"httpPort"/.test(body)
  return headers[field] !== undefined && !(field === 'content-length' && ofMachine)
}
