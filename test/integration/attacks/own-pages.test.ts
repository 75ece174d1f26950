/** Rules that anybody can store do not answer the pages of the instance, which have its origin's rights in a browser. */
import { createHash } from 'node:crypto'
import t from 'tap'
import { catalogExamples, requestOfExample } from '../../support/catalog.ts'
import { putRule, send } from '../../support/rules.ts'
import { serve } from '../../support/server.ts'

const SCRIPT = 'globalThis.stolen = true'
const TAKEOVER = { respond: { body: SCRIPT, content_type: 'text/javascript' } }
const BROWSER = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' }
/** What browsers run or render. */
const ACTIVE = /^(?:text\/(?:html|css|javascript)|application\/(?:xhtml\+xml|javascript))\b/
/** Plugins whose documents are test content: they load nothing, and no page of the instance loads them. */
const TEST_CONTENT = ['httpbin', 'transfer', 'exports']
/** For the head of a response. */
const PATIENCE_MS = 15_000

interface Loaded {
  type: string
  text: string
}

t.test('every page, script and style sheet of the product is its own [OWNED-1]', async t => {
  const server = await serve(t, { yaml: '' })
  await putRule(server, 'takeover', { then: TAKEOVER }, 'stranger')
  /** Null: browsers do not render it. */
  const load = async (path: string, headers: Record<string, string> = BROWSER): Promise<Loaded | null> => {
    const patience = new AbortController()
    const timer = setTimeout(() => patience.abort(), PATIENCE_MS)
    try {
      const reply = await fetch(server.url + path, { headers, redirect: 'manual', signal: patience.signal })
      const type = reply.headers.get('content-type') ?? ''
      if (ACTIVE.test(type)) return { type, text: await reply.text() }
      patience.abort()
      return null
    } catch {
      return null
    } finally {
      clearTimeout(timer)
    }
  }
  t.equal((await load('/s/stranger/echo'))?.text, SCRIPT, 'the rule acts')

  const examples = (await catalogExamples(server.url)).filter(
    ({ endpoint, example }) =>
      example.method === 'GET' &&
      endpoint.protocol === 'http' &&
      !endpoint.path.startsWith('/_svc') &&
      endpoint.plugin !== 'delay',
  )
  const own: string[] = []
  for (const example of examples) {
    const { path, headers } = requestOfExample(example)
    const sent = { ...Object.fromEntries(headers), ...BROWSER }
    const original = await load(path, sent)
    if (original === null) continue
    if (TEST_CONTENT.includes(example.endpoint.plugin ?? '')) {
      if (original.type.startsWith('text/html')) t.strictSame(loadedBy(original.text), [], `${path} loads nothing`)
      continue
    }
    own.push(path)
    t.not((await load(`/s/stranger${path}`, sent))?.text, SCRIPT, path)
    if (!original.type.startsWith('text/html')) continue
    for (const { url, integrity } of loadedBy(original.text)) {
      const { pathname } = new URL(url, `${server.url}/s/stranger${path}`)
      const file = (await load(pathname, {}))!
      t.not(file.text, SCRIPT, `${pathname}, which ${path} loads`)
      const hash = `sha256-${createHash('sha256').update(file.text).digest('base64')}`
      t.ok(integrity === hash || pathname.startsWith('/s/stranger/ui/'), `${pathname} cannot be another file`)
    }
  }
  const expected = [
    '/',
    '/docs',
    '/docs/swagger-ui.css',
    '/graphql',
    '/ui/',
    '/oauth/i/full/device',
    '/oauth/i/full/logout',
  ]
  for (const path of expected) t.ok(own.includes(path), `${path} is among the pages that were compared`)
  for (const path of ['/oauth/authorize', '/oauth/i/full/authorize', '/ui/assets/'])
    t.ok(
      own.some(found => found.startsWith(path)),
      `${path} is among the pages that were compared`,
    )
  for (const path of ['/openapi.json', '/openapi.yaml', '/docs/docs.js', '/docs/swagger-ui-bundle.js', '/docs/none'])
    t.not((await load(`/s/stranger${path}`))?.text, SCRIPT, path)
})

/** Scripts and style sheets with a URL. */
function loadedBy(html: string): { url: string; integrity: string | null }[] {
  const elements = html.match(/<(?:script|link rel="(?:stylesheet|modulepreload)")[^>]*>/g) ?? []
  return elements.flatMap(element => {
    const url = / (?:src|href)="([^"]+)"/.exec(element)?.[1]
    return url === undefined ? [] : [{ url, integrity: / integrity="([^"]+)"/.exec(element)?.[1] ?? null }]
  })
}

t.test('the landing page of a session without a slash loads no script of another session [OWNED-2]', async t => {
  const server = await serve(t)
  await putRule(server, 'takeover', { then: TAKEOVER }, 'docs')
  t.equal((await send(server, '/s/docs/landing.js')).text, SCRIPT, 'the rule acts where nothing is served')
  const page = await send(server, '/s/victim')
  t.strictSame(loadedBy(page.text), [])
  const script = /<script>([^]*)<\/script>/.exec(page.text)![1]!
  const policy = page.headers.get('content-security-policy')!
  t.ok(policy.includes(`script-src 'sha256-${createHash('sha256').update(script).digest('base64')}';`))
})

t.test('other steps act on the pages, and so do rules of the operator [OWNED-1]', async t => {
  const server = await serve(t, {
    yaml: `rules:
  - name: closed
    match: { path: /docs, header: { x-who: operator } }
    then: { respond: { status: 503, body: closed } }
`,
  })
  const page = (await send(server, '/docs')).text
  const visit = (headers: Record<string, string> = {}) => send(server, '/docs', { session: 'mine', headers })
  const put = (then: unknown) => putRule(server, 'mine', { match: { path: '/docs' }, then }, 'mine')

  await put({ fail: 429 })
  t.equal((await visit()).status, 429)
  await put({ abort: 'close' })
  await t.rejects(visit())
  await put([{ delay: 100, ...TAKEOVER, times: 1 }, { fail: 503 }])
  const startedAt = performance.now()
  const delayed = await visit()
  t.ok(performance.now() - startedAt >= 95, 'the delay acts')
  t.match([delayed.status, delayed.text === page, delayed.headers.get('x-svc-rule')], [200, true, 'mine'])
  t.equal(delayed.headers.get('x-svc-fault'), 'delay')
  t.equal((await visit()).status, 503, 'the step was taken')

  await put(TAKEOVER)
  t.equal((await visit()).text, page)
  await putRule(server, 'everything', { then: TAKEOVER })
  t.equal((await send(server, '/docs')).text, page, 'a rule of the instance passes too')
  await send(server, 'DELETE /_svc/rules')
  const closed = await send(server, '/docs', { headers: { 'x-who': 'operator' } })
  t.match([closed.status, closed.text], [503, 'closed'])
})

t.test('only requests for the page of GraphiQL are requests for a page [OWNED-1]', async t => {
  const server = await serve(t, { plugins: ['graphql'] })
  await putRule(server, 'made', { match: { path: '/graphql' }, then: TAKEOVER }, 'mine')
  const text = async (target: string, headers: Record<string, string> = {}): Promise<string> =>
    (await send(server, target, { session: 'mine', headers })).text
  t.not(await text('/graphql', BROWSER), SCRIPT)
  t.not(await text('HEAD /graphql', BROWSER), SCRIPT)
  t.equal(await text('/graphql'), SCRIPT)
  t.equal(await text('/graphql?query={__typename}', BROWSER), SCRIPT)
  t.equal(await text('/graphql?x?&query={__typename}', BROWSER), SCRIPT)
  t.equal(await text('POST /graphql', BROWSER), SCRIPT)
})
