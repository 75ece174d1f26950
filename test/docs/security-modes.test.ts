/**
 * What docs/security.md says about modes. `SVC_WRITE_DOCS=1 npm test -- docs/security-modes` updates the table of requests.
 */
import t from 'tap'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { send } from '../support/request.ts'
import { root } from '../support/sources.ts'
import { serve } from '../support/server.ts'

const path = join(root, 'docs', 'security.md')
const page = readFileSync(path, 'utf8')

const MODES = {
  default: {},
  public: { SVC_PUBLIC_MODE: 'true' },
  hosted: { SVC_HOSTED_MODE: 'true', SVC_LOG_FORMAT: 'text' },
  shared: { SVC_SHARED_MODE: 'true', SVC_REQUIRE_KEY: 'true' },
}

interface Request {
  what: string
  method?: string
  path: string
  headers?: Record<string, string>
  body?: string
}

const json = { 'Content-Type': 'application/json' }
const RULE = JSON.stringify({ match: { path: '/echo/teapot' }, then: [{ respond: { status: 418 } }] })
/** Without credentials, from a program on this machine unless said otherwise. */
const REQUESTS: Request[] = [
  { what: '`GET /echo`', path: '/echo' },
  { what: '`GET /_svc/ready`', path: '/_svc/ready' },
  { what: '`GET /_svc/metrics`', path: '/_svc/metrics' },
  { what: '`GET /_svc/config`', path: '/_svc/config' },
  { what: '`GET /_svc/plugins`', path: '/_svc/plugins' },
  { what: 'captured requests of all sessions', path: '/_svc/requests' },
  { what: 'captured requests of a session that is named', path: '/_svc/requests?session=shop' },
  {
    what: 'captured requests, from a page of another site',
    path: '/_svc/requests?session=shop',
    headers: { Origin: 'https://other.example' },
  },
  {
    what: 'captured requests, with another name of this machine as `Host`',
    path: '/_svc/requests?session=shop',
    headers: { Host: 'rebound.example' },
  },
  {
    what: 'a rule for a session',
    method: 'PUT',
    path: '/_svc/rules/teapot',
    headers: { ...json, 'X-Svc-Session': 'shop' },
    body: RULE,
  },
  { what: 'a rule for the instance', method: 'PUT', path: '/_svc/rules/teapot', headers: json, body: RULE },
  { what: '`POST /health/unhealthy`', method: 'POST', path: '/health/unhealthy' },
  { what: '`POST /_svc/reload`', method: 'POST', path: '/_svc/reload' },
  { what: '`DELETE /_svc/requests`', method: 'DELETE', path: '/_svc/requests' },
]

t.test('the table of requests by mode is what servers answer [SEC-12]', async t => {
  const columns: number[][] = []
  for (const env of Object.values(MODES)) {
    const server = await serve(t, { plugins: ['echo', 'info', 'reliability'], env: { SVC_LOG_LEVEL: 'off', ...env } })
    const column: number[] = []
    for (const { path: target, method = 'GET', headers = {}, body } of REQUESTS)
      column.push((await send(server.url, target, { method, headers, body })).status)
    columns.push(column)
  }
  const names = Object.keys(MODES)
  const table = [
    `| Request without credentials | ${names.join(' | ')} |`,
    `|---|${names.map(() => '---|').join('')}`,
    ...REQUESTS.map(({ what }, row) => `| ${what} | ${columns.map(column => column[row]).join(' | ')} |`),
  ].join('\n')
  const [open, close] = ['<!-- modes -->', '<!-- /modes -->']
  const filled = `${page.slice(0, page.indexOf(open) + open.length)}\n${table}\n${page.slice(page.indexOf(close))}`
  if (process.env.SVC_WRITE_DOCS === '1') writeFileSync(path, filled)
  else t.equal(page, filled)
})

t.test('the tests that it names exist [SEC-12]', async t => {
  const named = [...page.matchAll(/`(test\/[\w./-]+\.test\.ts)`/g)].map(([, file]) => file!)
  t.ok(named.length > 8, `${named.length} tests`)
  t.strictSame(
    named.filter(file => !existsSync(join(root, file))),
    [],
  )
})
