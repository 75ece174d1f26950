/** Requests that were recorded from originals, replayed against svc. `test/originals/drop-in` records them. */
import { readdirSync, readFileSync } from 'node:fs'
import t from 'tap'
import { type Answer, type Case, COMPARED, comparedFields, withoutMachine } from '../../originals/drop-in/cases.ts'
import { send } from '../../support/request.ts'
import { serve } from '../../support/server.ts'

interface Recorded {
  original: string
  answers: { request: Case; answer: Answer }[]
}

/** Originals by the name of the flavour. Their texts are random in fortio's `size`; Content-Length is compared. */
const FLAVOURS = ['fortio', 'whoami', 'http-echo', 'nginx-hello', 'echo-basic']
const hosts = FLAVOURS.map(serve => ({
  host: `${serve}.test`,
  serve,
  ...(serve === 'http-echo' ? { text: 'hi' } : serve === 'whoami' ? { name: 'n' } : {}),
}))
const { url } = await serve(t, { settings: { drop_in: { hosts } } })

const recorded = FLAVOURS.map(flavour => {
  const text = readFileSync(`test/fixtures/drop-in/${flavour}.json`, 'utf8')
  return { flavour, ...(JSON.parse(text) as Recorded) }
})

t.test('the page names the originals and the number of requests that were recorded [DIN-4]', async t => {
  const rows = readFileSync('docs/drop-in.md', 'utf8').matchAll(/^\| ([^|]+) \| (\d+) requests: /gm)
  const named = [...rows].map(([, originals, requests]) => ({ originals: originals!.split(', '), requests }))
  const originals = named.flatMap(row => row.originals)
  const all = readdirSync('test/fixtures/drop-in').map(
    file => JSON.parse(readFileSync(`test/fixtures/drop-in/${file}`, 'utf8')) as Recorded,
  )
  t.strictSame(originals.toSorted(), [...new Set(all.map(({ original }) => original.split(',')[0]!))].toSorted())
  for (const row of named) {
    const counted = all.filter(({ original }) => row.originals.includes(original.split(',')[0]!))
    t.equal(row.requests, String(counted.reduce((sum, { answers }) => sum + answers.length, 0)), row.originals.join())
  }
})

for (const { flavour, original, answers } of recorded) {
  t.test(`${flavour}, as ${original} answered [DIN-4]`, async t => {
    t.ok(answers.length > 7)
    for (const { request, answer } of answers) {
      const name = `${request.method ?? 'GET'} ${request.path}`
      const { status, headers, text } = await send(url, request.path, {
        ...request,
        headers: { Host: `${flavour}.test`, ...request.headers },
      })
      t.equal(status, answer.status, name)
      const compared = comparedFields(headers)
      for (const field of COMPARED.filter(field => isCompared(field, answer)))
        t.equal(compared[field], answer.headers[field], `${name}: ${field}`)
      if (flavour !== 'fortio' || !/size=\d/.test(request.path)) t.equal(withoutMachine(text), answer.body, name)
    }
  })
}

/** The body of some is as long as the names and addresses of the machine. */
function isCompared(field: string, { headers, body }: Answer): boolean {
  const ofMachine = /Hostname|"hostname"|"httpPort"|Server name/.test(body)
  return headers[field] !== undefined && !(field === 'content-length' && ofMachine)
}
