/** The landing page and the API reference: their content, escaping and content security policy. */
import { createHash } from 'node:crypto'
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import t from 'tap'
import { curlLine } from '../../../core/toolkit/curl-line.ts'
import type { Catalog, CatalogEndpoint, FastifyInstance, Svc } from '../../../core/contract/plugin.ts'
import type { ControlDeps } from '../../../core/control/deps.ts'
import { registerOpenapi } from '../../../core/control/openapi-routes.ts'
import { registerCoreRoutes } from '../../../core/control/routes.ts'
import { registerApiReference } from '../../../plugins/docs/api-reference.ts'
import { cachePages, readInlineAssets, registerLanding, renderLanding } from '../../../plugins/docs/landing.ts'
import { appOn, fakeHost } from '../../support/control-deps.ts'
import { serve } from '../../support/server.ts'

const FOLDER = join(import.meta.dirname, '..', '..', '..', 'plugins', 'docs')
const assets = readInlineAssets(FOLDER)

/** The fake services, as the plugin gets them. */
function svcOf({ config, http, instance }: ControlDeps): Svc {
  const svc: Partial<Svc> = { config, http, instance, folder: FOLDER, shared: (_name, create) => create() }
  return svc as Svc
}
const landing = (app: FastifyInstance, deps: ControlDeps): void => registerLanding(app, svcOf(deps))
const apiReference = (app: FastifyInstance, deps: ControlDeps): void => {
  registerApiReference(app, svcOf(deps))
  registerOpenapi(app, deps)
}

type Example = CatalogEndpoint['examples'][number]

const baseUrl = 'http://svc.test:8080'

function example(fields: Partial<Example> = {}): Example {
  return {
    name: 'One',
    method: 'GET',
    path: '/a',
    headers: [],
    body: null,
    body_type: null,
    auth: null,
    expect_status: null,
    ...fields,
  }
}
function endpoint(fields: Partial<CatalogEndpoint> = {}): CatalogEndpoint {
  return {
    path: '/a',
    methods: ['GET'],
    expanded_methods: ['GET'],
    category: 'Docs',
    summary: 'Serve',
    description: '',
    protocol: 'http',
    endless: false,
    plugin: null,
    examples: [],
    ...fields,
  }
}
function catalogOf(...endpoints: CatalogEndpoint[]): Catalog {
  const names = [...new Set(endpoints.map(({ category }) => category))]
  return { version: '1.4.0', count: endpoints.length, categories: names.map(name => ({ name, count: 1 })), endpoints }
}
const pageOf = (...endpoints: CatalogEndpoint[]) =>
  renderLanding({
    catalog: catalogOf(...endpoints),
    links: [{ href: 'ui/', text: 'Console' }],
    baseUrl,
    instanceId: 'edge-1',
    publicMode: false,
    assets,
  })
const unescape = (html: string) =>
  html
    .replace(/&lt;/g, '<')
    .replace(/&gt;/g, '>')
    .replace(/&quot;/g, '"')
    .replace(/&#39;/g, "'")
    .replace(/&amp;/g, '&')
/** Attribute values of a page, by name. */
const attributes = (html: string, name: string) =>
  [...html.matchAll(new RegExp(` ${name}="([^"]*)"`, 'g'))].map(match => unescape(match[1] as string))

t.test('every endpoint is listed with methods, summary and a command [CTL-20]', async t => {
  const host = fakeHost()
  const app = await appOn(host, (app, deps) => {
    landing(app, deps)
    registerCoreRoutes(app, deps)
  })
  t.teardown(() => app.close())
  const html = (await app.inject('/')).body
  const { endpoints, categories } = host.deps.instance.catalog()
  t.ok(endpoints.length > 20)
  for (const { path, methods, summary, examples } of endpoints) {
    const item = html
      .split('<li>')
      .find(part => part.includes(`<code>${path}</code>`) && part.includes(`>${methods.join(' ')}<`))
    t.ok(item && unescape(item).includes(summary), `${methods} ${path}`)
    if (examples[0]) t.match(unescape(item ?? ''), `${baseUrl}${examples[0].path}`)
  }
  const headings = [...html.matchAll(/<h2 id="(category-[^"]+)">([^<]+)<\/h2>/g)].map(([, id, name]) => [
    `#${id}`,
    unescape(name as string),
  ])
  t.same(
    headings.map(([, name]) => name),
    categories.map(({ name }) => name),
  )
  for (const [href] of headings) t.ok(attributes(html, 'href').includes(href as string), `${href} is linked`)
})

t.test('links are relative and refer to no other host [CTL-21]', async t => {
  const html = pageOf(endpoint({ examples: [example()] }))
  for (const href of attributes(html, 'href')) t.notMatch(href, /^(?:\/|[a-z]+:\/\/)/i, href)
  for (const link of ['docs', 'openapi.json', '_svc/catalog']) t.ok(attributes(html, 'href').includes(link), link)
  t.same(html.replaceAll(baseUrl, '').match(/https?:\/\//g), null)
  t.same(attributes(html, 'src'), [], 'nothing is loaded from a URL that could be of another session')
})

t.test('the console is linked if it is enabled [CTL-21]', async t => {
  t.notOk(attributes(pageOf(endpoint()), 'href').includes('ui/'))
  t.notOk(attributes(pageOf(endpoint({ path: '/uix' })), 'href').includes('ui/'))
  for (const path of ['/ui', '/ui/']) t.ok(attributes(pageOf(endpoint({ path })), 'href').includes('ui/'), path)
})

t.test('all text is escaped [CTL-22]', async t => {
  const hostile = `"><script>alert('x')</script>&amp;`
  const html = renderLanding({
    catalog: {
      ...catalogOf(
        endpoint({
          path: `/${hostile}`,
          methods: [hostile],
          category: hostile,
          summary: hostile,
          examples: [example({ path: `/${hostile}`, body: hostile })],
        }),
      ),
      version: hostile,
    },
    links: [],
    baseUrl: `http://${hostile}`,
    instanceId: hostile,
    publicMode: true,
    assets,
  })
  t.same(html.match(/<script[^>]*>/gi), ['<script>'], 'only the script of the page')
  t.notMatch(html, /&amp;(?!amp;|lt;|gt;|quot;|#39;|#)/, 'an ampersand of the text is escaped too')
  t.equal(html.split('&lt;script&gt;alert(').length - 1, 13, 'and it is all there')
})

t.test('the content security policy allows only the style sheet of the page [CTL-23]', async t => {
  const app = await appOn(fakeHost(), landing)
  t.teardown(() => app.close())
  const { statusCode, headers, body } = await app.inject('/')
  t.equal(statusCode, 200)
  t.match(headers, { 'content-type': 'text/html; charset=utf-8', 'x-content-type-options': 'nosniff' })
  const policy = String(headers['content-security-policy'])
  t.notMatch(policy, /unsafe|\*/)
  t.match(policy, /default-src 'none'/)
  const style = /<style>([^]*)<\/style>/.exec(body)?.[1] as string
  t.match(policy, `'sha256-${createHash('sha256').update(style).digest('base64')}'`)
  t.notMatch(body, / style="| on[a-z]+="/)
})

t.test('it responds with 200 even if unhealthy, and shows instance id and public mode [CTL-24]', async t => {
  for (const publicMode of [false, true]) {
    const app = await appOn(fakeHost({ healthy: false, config: { publicMode } }), landing)
    t.teardown(() => app.close())
    const { statusCode, body } = await app.inject('/')
    t.equal(statusCode, 200)
    const footer = /<footer>[^]*<\/footer>/.exec(body)?.[0] ?? ''
    t.match(footer, /svc 1\.4\.0/)
    t.match(footer, /edge-1/)
    t.equal(footer.includes('public mode'), publicMode)
  }
})

t.test('HEAD returns the same headers without a body [CTL-24]', async t => {
  const app = await appOn(fakeHost(), landing)
  t.teardown(() => app.close())
  const [get, head] = [await app.inject('/'), await app.inject({ method: 'HEAD', url: '/' })]
  t.equal(head.body, '')
  t.equal(head.headers['content-length'], get.headers['content-length'])
})

t.test('commands contain the base URL of the request [CTL-20]', async t => {
  const host = fakeHost()
  const app = await appOn(host, landing)
  t.teardown(() => app.close())
  t.match((await app.inject('/')).body, 'http://svc.test:8080/')
  host.baseUrl = 'https://gw.example'
  const html = (await app.inject('/')).body
  t.match(html, 'https://gw.example/')
  t.notMatch(html, 'svc.test')
})

t.test('pages are cached per base URL, at most 16 of them [CTL-25]', async t => {
  const built: string[] = []
  const pageFor = cachePages(url => {
    built.push(url)
    return `page of ${url}`
  })
  t.equal(await pageFor('a'), pageFor('a'), 'the same bytes')
  t.same(built, ['a'])
  for (let index = 0; index < 16; index++) await pageFor(`other ${index}`)
  t.equal((await pageFor('a')).toString(), 'page of a')
  t.equal(built.filter(url => url === 'a').length, 2)
  await pageFor('other 15')
  t.equal(built.length, 18, 'the newest are still there')
})

t.test('an example is one curl command [CTL-26]', async t => {
  const table: [fields: Partial<Example>, protocol: CatalogEndpoint['protocol'], command: string][] = [
    [{}, 'http', 'curl http://h/a'],
    [{ path: '/a?b=1&c=2' }, 'http', "curl 'http://h/a?b=1&c=2'"],
    [{ method: 'DELETE' }, 'http', 'curl -X DELETE http://h/a'],
    [{ method: 'HEAD' }, 'http', 'curl --head http://h/a'],
    [{ method: 'POST' }, 'http', 'curl -X POST http://h/a'],
    [
      { method: 'POST', body: '{"a":1}', body_type: 'json' },
      'http',
      `curl -H 'Content-Type: application/json' --data-raw '{"a":1}' http://h/a`,
    ],
    [
      { method: 'PUT', body: 'a=1', body_type: 'form' },
      'http',
      "curl -X PUT -H 'Content-Type: application/x-www-form-urlencoded' --data-raw a=1 http://h/a",
    ],
    [
      { method: 'POST', body: '<a/>', body_type: 'xml', headers: [{ name: 'content-type', value: 'text/xml' }] },
      'http',
      "curl -H 'content-type: text/xml' --data-raw '<a/>' http://h/a",
    ],
    [{ method: 'GET', body: "it's" }, 'http', "curl -X GET --data-raw 'it'\\''s' http://h/a"],
    [{ headers: [{ name: 'X-Empty', value: '' }] }, 'http', "curl -H 'X-Empty;' http://h/a"],
    [{ auth: { type: 'basic', username: 'u', password: 'p w' } }, 'http', "curl -u 'u:p w' http://h/a"],
    [
      { auth: { type: 'bearer', token: '<access_token>' } },
      'http',
      "curl -H 'Authorization: Bearer <access_token>' http://h/a",
    ],
    [{ path: '/a{b}[c]' }, 'http', "curl -g 'http://h/a{b}[c]'"],
    [{ path: '/a/../b' }, 'http', 'curl --path-as-is http://h/a/../b'],
    [{}, 'sse', 'curl -N http://h/a'],
    [
      { path: '/ws' },
      'websocket',
      "curl -i -N --http1.1 --max-time 3 -H 'Connection: Upgrade' -H 'Upgrade: websocket' -H 'Sec-WebSocket-Version: 13' -H 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==' http://h/ws",
    ],
  ]
  for (const [fields, protocol, command] of table) t.equal(curlLine(example(fields), 'http://h', protocol), command)
})

t.test('special characters are quoted for the shell [CTL-26]', async t => {
  const hostile = '$(id) `id` "a" \'b\' \\ ; | & \n !x *'
  const command = curlLine(
    example({ method: 'POST', body: hostile, headers: [{ name: 'X-A', value: hostile }] }),
    'http://h',
    'http',
  )
  const words = execFileSync('sh', ['-c', `curl() { printf '%s\\0' "$@"; }; ${command}`])
    .toString()
    .split('\0')
  t.same(words, ['-H', `X-A: ${hostile}`, '--data-raw', hostile, 'http://h/a', ''])
})

t.test('openapi.json contains the base URL of the request [CTL-27]', async t => {
  const host = fakeHost()
  const app = await appOn(host, registerOpenapi)
  t.teardown(() => app.close())
  for (const url of ['http://svc.test:8080', 'https://gw.example']) {
    host.baseUrl = url
    const { statusCode, headers, body } = await app.inject('/openapi.json')
    t.equal(statusCode, 200)
    t.match(headers['content-type'], /^application\/json/)
    t.same(JSON.parse(body), host.deps.instance.openapi(url))
  }
})

t.test('the API reference loads its files with any path prefix [CTL-28]', async t => {
  const app = await appOn(fakeHost(), apiReference)
  t.teardown(() => app.close())
  const { statusCode, headers, body } = await app.inject('/docs')
  t.equal(statusCode, 200)
  t.equal(headers['content-type'], 'text/html; charset=utf-8')
  t.notMatch(headers['content-security-policy'], /unsafe|\*/)
  t.notMatch(body, /https?:\/\/|<style| style="| on[a-z]+="|<script(?![^>]* src=)/)
  for (const link of [...attributes(body, 'src'), ...attributes(body, 'href')]) {
    const { pathname } = new URL(link, 'https://gw.example/demo/docs')
    t.match(pathname, /^\/demo\//)
    t.equal((await app.inject(pathname.slice('/demo'.length))).statusCode, 200, link)
  }
  t.match((await app.inject('/docs/docs.js')).body, /document\.baseURI/)
})

t.test('/docs/ redirects to /docs with any path prefix [CTL-28]', async t => {
  const { url } = await serve(t, { env: { SVC_TRUST_FORWARD: 'true' } })
  const location = async (path: string, headers: Record<string, string> = {}): Promise<unknown[]> => {
    const response = await fetch(url + path, { redirect: 'manual', headers })
    return [response.status, response.headers.get('location')]
  }
  t.strictSame(await location('/docs/'), [307, '/docs'])
  t.strictSame(await location('/docs/', { 'X-Forwarded-Prefix': '/demo' }), [307, '/demo/docs'])
  t.strictSame(await location('/s/mine/docs/'), [307, '/s/mine/docs'])
})

t.test('its files have their types, and a client with a cached copy gets 304 [CTL-29]', async t => {
  const app = await appOn(fakeHost(), apiReference)
  t.teardown(() => app.close())
  const types = {
    'docs.js': 'text/javascript; charset=utf-8',
    'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
    'swagger-ui.css': 'text/css; charset=utf-8',
    'favicon-32x32.png': 'image/png',
  }
  for (const [name, type] of Object.entries(types)) {
    const { headers, rawPayload } = await app.inject(`/docs/${name}`)
    t.equal(headers['content-type'], type)
    t.equal(headers['x-content-type-options'], 'nosniff')
    t.equal(Number(headers['content-length']), rawPayload.length)
    const etag = String(headers.etag)
    t.match(etag, /^"[\w-]+"$/)
    for (const [condition, status] of [
      [etag, 304],
      [`"x", W/${etag}`, 304],
      ['*', 304],
      ['"x"', 200],
      ['', 200],
      [etag.slice(1, -1), 200],
    ] as const) {
      const again = await app.inject({ url: `/docs/${name}`, headers: { 'if-none-match': condition } })
      t.equal(again.statusCode, status, condition)
      t.equal(again.headers.etag, etag)
      if (status === 304) t.equal(again.body, '')
    }
  }
})

t.test('no other file is served [CTL-29]', async t => {
  const app = await appOn(fakeHost(), apiReference)
  t.teardown(() => app.close())
  const names = [
    'index.html',
    'package.json',
    'swagger-ui.js',
    '..%2fpackage.json',
    '..%2f..%2fpackage.json',
    '%2e%2e',
    '__proto__',
    'constructor',
    'swagger-ui.css%00',
    'Swagger-UI.css',
    'a/b',
  ]
  for (const name of names) t.equal((await app.inject(`/docs/${name}`)).statusCode, 404, name)
})

t.test('without the plugin, the pages are 404 and the documents stay [CTL-28]', async t => {
  const server = await serve(t, { plugins: ['echo'] })
  for (const path of ['/', '/docs', '/docs/', '/docs/docs.js']) {
    const response = await fetch(server.url + path)
    t.equal(response.status, 404, path)
    t.match(await response.json(), {
      error: 'not found',
      method: 'GET',
      path,
      plugin: 'docs',
      plugin_state: 'disabled',
    })
  }
  t.notMatch(await (await fetch(`${server.url}/no/such`)).json(), { plugin: 'docs' }, 'it does not own every path')
  for (const path of ['/openapi.json', '/openapi.yaml', '/_svc/catalog', '/echo'])
    t.equal((await fetch(server.url + path)).status, 200, path)
})
