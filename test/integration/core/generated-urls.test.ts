/**
 * Only `svc.http` generates URLs: checks all responses of the catalog behind a prefix, and the sources.
 * Takes long: it sends every example.
 */
import t from 'tap'
import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fetch } from 'undici'
import { catalogExamples, requestOfExample, type ExampleOf } from '../../support/catalog.ts'
import { root } from '../../support/examples.ts'
import { serve } from '../../support/server.ts'

const PREFIX = '/outer/prefix'
const GATEWAY = 'http://gateway.test:8000'
const MAX_BYTES = 4_000_000
const PATIENCE_MS = 2000
const LONGEST_URL = 80

interface Answer {
  headers: [string, string][]
  text: string
}

/** The response as far as it arrives in time; of an endless one the beginning. */
async function answerOf(url: string, one: ExampleOf): Promise<Answer> {
  const leave = new AbortController()
  const timer = setTimeout(() => leave.abort(), PATIENCE_MS)
  let headers: [string, string][] = []
  let text = ''
  try {
    const { path, headers: sent, ...init } = requestOfExample(one)
    const response = await fetch(url + path, {
      ...init,
      redirect: 'manual',
      signal: leave.signal,
      headers: [...sent, ['X-Forwarded-Host', 'gateway.test:8000'], ['X-Forwarded-Prefix', PREFIX]],
    })
    headers = [...response.headers]
    const decoder = new TextDecoder()
    for await (const part of response.body ?? []) {
      text += decoder.decode(part as Uint8Array, { stream: true })
      if (text.length > MAX_BYTES) break
    }
  } catch {
    // An endless stream, or an intentionally broken response: the received part is used, without an incomplete URL.
    text = text.slice(0, -LONGEST_URL)
  } finally {
    clearTimeout(timer)
    leave.abort()
  }
  return { headers, text }
}

/** URLs in a response without the prefix. */
function strayIn({ headers, text }: Answer, ownUrl: string): string[] {
  const whole = `${headers.map(([name, value]) => `${name}: ${value}`).join('\n')}\n${text}`
  const stray: string[] = []
  for (const { index } of whole.matchAll(/https?:\/\/gateway\.test/g)) {
    if (!/^https?:\/\/gateway\.test(?::\d+)?\/outer\/prefix(?![\w-])/.test(whole.slice(index, index + LONGEST_URL)))
      stray.push(whole.slice(index, index + LONGEST_URL))
  }
  const own = whole.indexOf(ownUrl)
  if (own !== -1) stray.push(whole.slice(own, own + LONGEST_URL))
  for (const [name, value] of headers) {
    const paths =
      name === 'location' || name === 'content-location'
        ? [value]
        : name === 'link'
          ? [...value.matchAll(/<(\/[^>]*)>/g)].map(match => match[1]!)
          : []
    stray.push(
      ...paths.filter(path => path.startsWith('/') && !path.startsWith(`${PREFIX}/`)).map(path => `${name}: ${path}`),
    )
  }
  if (/^content-type: text\/html/m.test(whole)) {
    for (const [attribute, path] of text.matchAll(/\b(?:href|src|action)=["'](\/[^"']*)/g))
      if (!path!.startsWith(`${PREFIX}/`)) stray.push(attribute)
  }
  return stray
}

t.test('whatever the catalog answers behind a prefix, its addresses have the prefix [PREFIX-1]', async t => {
  const server = await serve(t, { yaml: '', env: { SVC_TRUST_FORWARD: 'true' } })
  const control: Answer = {
    headers: [
      ['location', '/echo'],
      ['link', '</a>; rel=preload, </b>; rel=preload'],
      ['content-type', 'text/html'],
    ],
    text: `<a href="/x"> ${GATEWAY}/echo ${GATEWAY}/outer/prefixed ${server.url}/`,
  }
  t.equal(strayIn(control, server.url).length, 7, 'the check finds what lacks it')

  let withPrefix = 0
  const examples = (await catalogExamples(server.url)).filter(
    ({ endpoint, example }) =>
      // A mock sends what its document contains; shutting down or disabling the tested plugin proves nothing.
      endpoint.protocol !== 'websocket' &&
      !example.path.startsWith('/mock/') &&
      !/^\/_svc\/plugins\/.*\/(?:dis|en)able/.test(example.path),
  )
  t.ok(examples.length > 300)
  const queue = [...examples]
  await Promise.all(
    Array.from({ length: 8 }, async () => {
      for (let one = queue.shift(); one !== undefined; one = queue.shift()) {
        const answer = await answerOf(server.url, one)
        t.strictSame(strayIn(answer, server.url), [], `${one.example.method} ${one.example.path} (${one.example.name})`)
        if (answer.text.includes(PREFIX) || answer.headers.some(([, value]) => value.includes(PREFIX))) withPrefix++
      }
    }),
  )
  t.ok(withPrefix > 50, `${withPrefix} answers hold the prefix`)
})

t.test('the sources make addresses in one place [PREFIX-5]', async t => {
  const rules: { what: string; pattern: RegExp; allowed: string[] }[] = [
    {
      what: 'a URL built of a scheme and a host',
      pattern: /:\/\/\$\{|['"`]:\/\/['"`]|['"`]https?:\/\/['"`]\s*\+/,
      allowed: [
        'core/http/request/origin.ts',
        'core/host/svc/http.ts',
        // Names other than that of the request.
        'core/cli/welcome.ts',
        'core/cli/running-instance.ts',
        'core/server/port-owner.ts',
        'core/toolkit/command-upstream.ts',
        'plugins/tls/routes.ts',
        'plugins/mcp/skills/skill.ts',
        'core/http/routes/host-list.ts',
        // Those that imported files name.
        'plugins/import/mockserver/actions.ts',
        'plugins/import/mockserver/kind.ts',
        // The servers that a request asks to be forwarded to.
        'plugins/grpc-services/forward/destination.ts',
        'plugins/grpc-services/forward/grpc.ts',
        'plugins/grpc-services/forward/http.ts',
        'plugins/grpc-services/forward/plan.ts',
        'plugins/grpc-services/forward/websocket.ts',
      ],
    },
    {
      what: 'the bare origin',
      pattern: /\.serialized\b|\bserialized\s*[,}]/,
      allowed: [
        'core/http/request/origin.ts',
        'core/http/request/context.ts',
        'core/http/access/browser-access.ts',
        'core/http/response/session-location.ts',
        'plugins/exports/query.ts',
      ],
    },
    { what: 'the forwarded prefix', pattern: /x-forwarded-prefix'/i, allowed: ['core/http/request/origin.ts'] },
    {
      what: 'the base path of the service',
      pattern: /\bconfig\.basePath\b|\{ basePath \} = services\.config/,
      allowed: [
        'core/http/request/request-facts.ts',
        'core/http/listener/handle-request.ts',
        // Printed on a terminal.
        'core/cli/welcome.ts',
        // Compared with the path of a destination, which may not be an own closed one.
        'plugins/grpc-services/forward/forward-echo.ts',
      ],
    },
    {
      what: 'the Host header',
      pattern: /headers\.host\b|headers\[':authority'\]/,
      allowed: [
        'core/http/request/origin.ts',
        'core/http/listener/head-validation.ts',
        'core/control/instance.ts',
        'plugins/redirects/routes/redirects.ts',
        'plugins/auth/hmac/signing-string.ts',
        // GrpcEcho shows the authority as received.
        'plugins/grpc-services/call.ts',
        // So do the servers of other projects.
        'plugins/drop-in/request/call.ts',
        // The host of the request that a gateway asks about.
        'plugins/ext-authz/http/checked-request.ts',
      ],
    },
    { what: 'a Location without the prefix', pattern: /['"]?\blocation['"]?\s*[,:]\s*['"`]\//i, allowed: [] },
    { what: 'a link without the prefix', pattern: /\b(?:href|src|action)=\\?["']\//, allowed: [] },
  ]
  const findings = (file: string, text: string): string[] => {
    const code = text
      .split('\n')
      .filter(line => !/^\s*(?:\*|\/\/|\/\*)/.test(line))
      .join('\n')
    return rules.filter(({ pattern, allowed }) => !allowed.includes(file) && pattern.test(code)).map(({ what }) => what)
  }
  t.equal(
    findings(
      'a.ts',
      "const a = `http://${host}/x`; reply.header('Location', '/echo'); x = `<a href='/y'>`; origin.serialized; headers.host; config.basePath; 'X-Forwarded-Prefix'",
    ).length,
    rules.length,
    'the check finds them',
  )
  const files = ['core', 'plugins']
    .flatMap(folder =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map(name => `${folder}/${name}`),
    )
    // The console runs in browsers, and the probe sends requests to gateways: both make addresses of others.
    .filter(
      name =>
        name.endsWith('.ts') && !/^plugins\/(?:console\/client|probe)\//.test(name) && !name.includes('node_modules'),
    )
  t.ok(files.length > 300)
  for (const file of files) t.strictSame(findings(file, readFileSync(join(root, file), 'utf8')), [], file)
  for (const { what, pattern, allowed } of rules)
    for (const file of allowed)
      t.ok(pattern.test(readFileSync(join(root, file), 'utf8')), `${what} is still in ${file}`)
})
