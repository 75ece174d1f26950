/** Inherited property names wherever input becomes a key or is looked up, and bodies designed to be expensive. */
import t from 'tap'
import { Agent, fetch as undiciFetch } from 'undici'
import type { CatalogEndpoint, Catalog } from '../../../core/contract/plugin.ts'
import { serve } from '../../support/server.ts'

const NAMES = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'valueOf']
/** Does not exist. */
const UNKNOWN = 'nobody-has-this-name'
/** Their responses depend on earlier requests, or wait. */
const LEFT_OUT =
  /^\/(?:delay|flaky|drip|ui|docs|export|health|bin|sse|status|base64|webhooks\/verify)|\/plugins\/\{name\}\/|\{modelId\}/

const server = await serve(t, { env: { SVC_LOG_FORMAT: 'json' } })
const agent = new Agent({ connections: 8 })
t.teardown(() => agent.destroy())
const { endpoints } = (await (await fetch(`${server.url}/_svc/catalog`)).json()) as Catalog
const plain = endpoints.filter(({ protocol, endless, path }) => protocol === 'http' && !endless && !LEFT_OUT.test(path))

async function send(
  path: string,
  { method = 'GET', headers = {}, body }: { method?: string; headers?: Record<string, string>; body?: string } = {},
): Promise<{ status: number; text: string }> {
  const response = await undiciFetch(`${server.url}${path}`, {
    method,
    headers,
    body: body ?? null,
    dispatcher: agent,
    signal: AbortSignal.timeout(20_000),
    redirect: 'manual',
  })
  return { status: response.status, text: await response.text() }
}

function headersOf({ headers, auth }: CatalogEndpoint['examples'][number]): Record<string, string> {
  const own = Object.fromEntries(headers.map(({ name, value }) => [name.toLowerCase(), value]))
  return {
    'content-type': 'application/json',
    ...own,
    ...(auth?.type === 'bearer' ? { authorization: `Bearer ${auth.token}` } : {}),
  }
}

t.test('a path parameter with an inherited name is treated like any unknown value [HARD-6]', async t => {
  const templates = new Set(
    plain.filter(({ methods, path }) => methods.includes('GET') && /\{/.test(path)).map(({ path }) => path),
  )
  t.ok(templates.size > 30)
  for (const template of templates) {
    const names = [...template.matchAll(/\{\*?(\w+)\}/g)]
    for (const [whole] of names) {
      const path = (name: string): string => template.replace(whole, name).replaceAll(/\{[^}]*\}/g, UNKNOWN)
      const { status } = await send(path(UNKNOWN))
      for (const name of NAMES) t.equal((await send(path(name))).status, status, path(name))
    }
  }
})

/** The same JSON with members of inherited names in every object. */
function withForeignMembers(value: unknown): string {
  const text = JSON.stringify(value)
  return text.replaceAll(
    /(?<=[[:,]|^)\{(?!\})/g,
    '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},',
  )
}

t.test('members with inherited names are rejected or have no effect [HARD-6]', async t => {
  const examples = plain
    .flatMap(({ path, examples }) => examples.map(example => ({ template: path, example })))
    .filter(({ example }) => example.body_type === 'json' && example.body !== null)
  t.ok(examples.length > 60)
  for (const { template, example } of examples) {
    const { method, path } = example
    const headers = headersOf(example)
    const request = { method, headers, body: example.body! }
    const first = await send(path, request)
    // The first PUT or PATCH may create what the later ones update.
    const before = first.status === 201 && method !== 'POST' ? await send(path, request) : first
    const after = await send(path, { method, headers, body: withForeignMembers(JSON.parse(example.body!)) })
    // Strict formats reject unknown members; all others respond as before.
    t.ok(
      after.status === before.status || [400, 422].includes(after.status),
      `${method} ${template}: ${before.status}, then ${after.status} ${after.text.slice(0, 100)}`,
    )
  }
})

/** Objects for which `String` and `Number` throw a TypeError. */
const WITHOUT_TEXT = { toString: null, valueOf: null }

/** The value with each of its members, however deep, replaced in turn. */
function* withoutText(value: unknown): Generator<unknown> {
  if (typeof value !== 'object' || value === null) return
  for (const [key, member] of Object.entries(value)) {
    const put = (changed: unknown): unknown =>
      Array.isArray(value) ? value.with(Number(key), changed) : { ...value, [key]: changed }
    yield put(WITHOUT_TEXT)
    yield put([WITHOUT_TEXT])
    for (const changed of withoutText(member)) yield put(changed)
  }
}

/** Presidio's analyzer answers so with 500. */
const OF_VENDORS = new Set(['{"error":"No text provided"}', '{"error":"No language provided"}'])

t.test('members that cannot be converted to text are rejected or have no effect [HARD-6]', async t => {
  const examples = plain
    .flatMap(({ examples }) => examples)
    .filter(({ body_type: type, body }) => type === 'json' && body !== null)
  let count = 0
  for (const example of examples) {
    await Promise.all(
      Array.from(withoutText(JSON.parse(example.body!)), async changed => {
        const { status, text } = await send(example.path, {
          method: example.method,
          headers: headersOf(example),
          body: JSON.stringify(changed),
        })
        if (status >= 500 && !OF_VENDORS.has(text))
          t.fail(
            `${example.method} ${example.path}: ${status} ${text.slice(0, 100)} to ${JSON.stringify(changed).slice(0, 300)}`,
          )
        count++
      }),
    )
  }
  t.ok(count > 500, `${count} bodies`)
})

t.test('queries, cookies, fields and sessions may have inherited names [HARD-6]', async t => {
  for (const name of NAMES) {
    const echo = await send(`/echo?${name}=1&${name}[polluted]=2&a[${name}][polluted]=3`, {
      headers: { [name]: 'x', cookie: `${name}=1` },
    })
    t.equal(
      Object.getOwnPropertyDescriptor((JSON.parse(echo.text) as { query_params: object }).query_params, name)?.value,
      '1',
      name,
    )
    t.match((await send('/cookies', { headers: { cookie: `${name}=1` } })).text, `"${name}":"1"`)
    t.equal((await send('/echo', { headers: { 'x-svc-session': name } })).status, 200)
    t.equal(
      (
        await send('/oauth/token', {
          method: 'POST',
          headers: { 'content-type': 'application/x-www-form-urlencoded' },
          body: `grant_type=${name}&client_id=${name}&${name}=${name}`,
        })
      ).status,
      (
        await send('/oauth/token', {
          method: 'POST',
          headers: { 'content-type': 'application/x-www-form-urlencoded' },
          body: `grant_type=${UNKNOWN}&client_id=${UNKNOWN}`,
        })
      ).status,
      `grant ${name}`,
    )
    for (const rpc of [
      { path: '/mcp', method: 'tools/call', params: { name, arguments: { [name]: 1 } } },
      { path: '/jsonrpc', method: name, params: {} },
      { path: '/a2a/echo', method: name, params: {} },
    ]) {
      const ask = async (value: string): Promise<unknown> =>
        (
          JSON.parse(
            (
              await send(rpc.path, {
                method: 'POST',
                headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
                body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: rpc.method, params: rpc.params }).replaceAll(
                  name,
                  value,
                ),
              })
            ).text.replace(/^event:.*\ndata: /, ''),
          ) as { error?: { code: number } }
        ).error?.code
      t.equal(await ask(name), await ask(UNKNOWN), `${rpc.path} ${name}`)
    }
  }
})

t.test('deep, wide and many-keyed bodies are accepted or rejected [HARD-7]', async t => {
  const deep = '['.repeat(100_000) + ']'.repeat(100_000)
  const deepObject = '{"a":'.repeat(50_000) + '1' + '}'.repeat(50_000)
  // Index keys are stored separately, with their own hash.
  const wide = JSON.stringify(
    Object.fromEntries(Array.from({ length: 30_000 }, (_, index) => [String(index * 65_536), 0])),
  )
  const bodies = [deep, deepObject, wide]
  const routes = new Map(
    plain.flatMap(({ path, methods, examples }) =>
      examples
        .filter(({ body_type: type, body }) => type === 'json' && body !== null && !body.startsWith('['))
        .map(example => [`${methods.join()} ${path}`, example] as const),
    ),
  )
  t.ok(routes.size > 60)
  for (const [turn, [route, example]] of [...routes].entries()) {
    const [member] = Object.keys(JSON.parse(example.body!) as object)
    const within =
      member === undefined ? deepObject : example.body!.replace(/^\{"[^"]*":/, `{"padding":${deepObject},"${member}":`)
    for (const body of [bodies[turn % bodies.length]!, within]) {
      const { status, text } = await send(example.path, { method: example.method, headers: headersOf(example), body })
      t.ok(status < 500, `${route}: ${status} ${text.slice(0, 100)}`)
    }
  }
})

t.test('afterwards Object.prototype is unchanged, and the log has no errors [HARD-6]', async t => {
  t.strictSame([Object.keys(Object.prototype), 'polluted' in {}, 'polluted' in Function.prototype], [[], false, false])
  t.strictSame(
    server.lines.filter(line => line.includes('"level":"error"')),
    [],
  )
})
