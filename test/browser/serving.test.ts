/** How the console is served, without a browser. */
import t from 'tap'
import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { preferredCoding } from '../../core/fields/accept-encoding.ts'
import { RESIDENT } from '../../core/host/bundler.mjs'
import { buildClient } from '../../plugins/console/build.ts'
import { exchange } from '../support/raw-client.ts'
import { serve } from '../support/server.ts'

const plugin = join(import.meta.dirname, '..', '..', 'plugins', 'console')
const KB = 1000
const { version } = JSON.parse(readFileSync(join(plugin, '..', '..', 'package.json'), 'utf8')) as { version: string }

t.test('the console is served', async t => {
  const server = await serve(t, {
    env: { SVC_CONSOLE_TITLE: '"><script>alert(1)</script>', SVC_CONSOLE_BACKLINK: 'javascript:alert(1)' },
  })
  const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
    fetch(server.url + path, { headers: { 'accept-encoding': 'identity', ...headers }, method, redirect: 'manual' })
  const page = await get('/ui/')
  const html = await page.text()
  const assets = [...html.matchAll(/(?:href|src)="(assets\/[^"]+)"/g)].map(match => `/ui/${match[1]}`)

  await t.test('routes [CON-1]', async t => {
    const redirect = await get('/ui')
    t.equal(redirect.status, 307)
    t.equal(redirect.headers.get('location'), 'ui/')
    t.equal(await redirect.text(), '')
    t.equal(await (await get('/ui/index.html')).text(), html)
    for (const path of [
      '/ui//',
      '/UI/',
      '/ui/assets/',
      '/ui/assets',
      '/ui/client/main.tsx',
      '/ui/assets/main.tsx',
      '/ui/assets/..%2f..%2fpackage.json',
      '/ui/x',
    ])
      t.equal((await get(path)).status, 404, path)
    t.match(JSON.parse(await (await get('/ui/x')).text()), { error: 'not found' })
    t.match(
      (await exchange(server.ports.http!, 'GET /ui/../package.json HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'))
        .text,
      /^HTTP\/1\.1 404 /,
    )
    for (const path of ['/ui', '/ui/', assets[0]!]) t.equal((await get(path, {}, 'POST')).status, 405, path)
  })

  await t.test('headers [CON-2]', async t => {
    t.equal(page.status, 200)
    t.equal(page.headers.get('content-type'), 'text/html; charset=utf-8')
    t.equal(page.headers.get('cache-control'), 'no-cache')
    t.match(page.headers.get('etag'), /^"[^"]+"$/)
    t.equal(
      page.headers.get('content-security-policy'),
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; font-src 'self'; connect-src * ws: wss:; worker-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'self'; object-src 'none'; frame-ancestors 'self'",
    )
    t.match(Object.fromEntries(page.headers), {
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin-allow-popups',
    })
    t.equal(assets.length, 3)
    for (const [index, type] of [
      'image/svg+xml',
      'text/css; charset=utf-8',
      'text/javascript; charset=utf-8',
    ].entries()) {
      const { headers } = await get(assets[index]!)
      t.match(
        Object.fromEntries(headers),
        {
          'content-type': type,
          'cache-control': 'public, max-age=31536000, immutable',
          'x-content-type-options': 'nosniff',
          etag: /^"[^"]+"$/,
        },
        assets[index]!,
      )
      t.match(assets[index], /^\/ui\/assets\/[\w.]+-[A-Z0-9]{8}\.\w+$/)
    }
  })

  await t.test('the redirect page keeps its opener and is not stored [TOKENLAB-2]', async t => {
    const callback = await get('/ui/callback?code=%3Cb%3E&state=s')
    t.equal(callback.headers.get('cross-origin-opener-policy'), null)
    t.match(Object.fromEntries(callback.headers), {
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'content-security-policy': /script-src 'self'/,
      'content-type': 'text/html; charset=utf-8',
    })
    const text = await callback.text()
    t.notMatch(text, /<b>|code=/)
    t.equal((await get(`/ui/${/src="(assets\/callback-[^"]+)"/.exec(text)![1]}`)).status, 200)
  })

  await t.test('encodings and validators [CON-3]', async t => {
    const tags = new Set<string>()
    for (const path of ['/ui/', ...assets]) {
      const identity = Buffer.from(await (await get(path)).arrayBuffer())
      for (const [encoding, decode] of [
        ['br', brotliDecompressSync],
        ['gzip', gunzipSync],
        ['identity', (bytes: Buffer) => bytes],
      ] as const) {
        const raw = await exchange(
          server.ports.http!,
          `GET ${path} HTTP/1.1\r\nHost: a\r\nAccept-Encoding: ${encoding}\r\nConnection: close\r\n\r\n`,
        )
        const [head, body] = [
          raw.text.slice(0, raw.text.indexOf('\r\n\r\n')),
          raw.text.slice(raw.text.indexOf('\r\n\r\n') + 4),
        ]
        t.equal(
          /^content-encoding: (.*)$/im.exec(head)?.[1],
          encoding === 'identity' ? undefined : encoding,
          `${path} ${encoding}`,
        )
        t.match(head, /^vary: .*Accept-Encoding/im)
        t.ok(decode(Buffer.from(body, 'latin1')).equals(identity), `${path} ${encoding} holds the same bytes`)
        const etag = /^etag: (.*)$/im.exec(head)![1]!
        tags.add(etag)
        const again = await get(path, { 'accept-encoding': encoding, 'if-none-match': `W/"x", ${etag}` })
        t.equal(again.status, 304)
        t.equal(again.headers.get('etag'), etag)
        t.equal(await again.text(), '')
      }
      const head = await get(path, {}, 'HEAD')
      t.equal(head.status, 200)
      t.equal(Number(head.headers.get('content-length')), identity.length)
      t.equal((await get(path, { 'if-none-match': '*' }, 'HEAD')).status, 304)
    }
    t.equal(tags.size, 3 * (1 + assets.length), 'each encoding of each file has its own ETag')
    const choices: [string | undefined, string][] = [
      [undefined, 'identity'],
      ['', 'identity'],
      ['gzip', 'gzip'],
      ['gzip, br', 'br'],
      ['br;q=0.5, gzip;q=0.8', 'gzip'],
      ['br;q=0, *', 'gzip'],
      ['*', 'br'],
      ['*;q=0', 'identity'],
      ['identity', 'identity'],
      ['identity;q=0.5, br;q=0.1', 'identity'],
      ['deflate', 'identity'],
      ['BR', 'br'],
      ['x-gzip', 'gzip'],
      ['br;q=nonsense', 'identity'],
      ['gzip;q=2', 'identity'],
      ['identity;q=0, *;q=0', 'identity'],
    ]
    for (const [header, encoding] of choices) t.equal(preferredCoding(header, ['br', 'gzip']), encoding, String(header))
  })

  await t.test('settings in the page [CON-4]', async t => {
    const metas = Object.fromEntries(
      [...html.matchAll(/<meta name="(svc-[^"]+)" content="([^"]*)">/g)].map(([, name, content]) => [name, content]),
    )
    t.strictSame(metas, {
      'svc-control-auth': 'open',
      'svc-console-title': '&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;',
      'svc-console-backlink': '',
      'svc-public-mode': 'false',
      'svc-version': version,
    })
    t.match(html, '<title>&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt; - svc console</title>')
    t.notMatch(html, '<script>alert')
    t.match(
      html,
      /<html lang="en">[^]*<meta name="viewport"[^]*<meta name="color-scheme" content="light dark">[^]*<div id="app"><\/div>[^]*<noscript>/,
    )
    t.match(server.lines.join('\n'), 'SVC_CONSOLE_BACKLINK', 'an invalid back link is logged as a warning')
  })
})

t.test('the built files', async t => {
  const client = await buildClient(plugin, RESIDENT)
  const names = [...client.assets.keys()].filter(name => !name.endsWith('.map'))
  const textOf = async (name: string) => String(await client.assets.get(name)!.bytes('identity'))
  const sizeOf = async (name: string) => (await client.assets.get(name)!.bytes('br')).length

  await t.test('no foreign host, no absolute path [CON-5]', async t => {
    for (const name of names) {
      const text = await textOf(name)
      // Hosts may occur as text, XML namespaces and examples, but not as resources to load.
      t.notMatch(text, /(?:import|from|fetch|url|src|href)\s*[=(]?\s*["'`(]\s*(?:https?:)?\/\//, name)
      t.notMatch(text, /url\((?!["']?data:)["']?\//, name)
      t.notMatch(text, /\beval\(|new Function\(/, name)
    }
  })

  await t.test('budgets [CON-6]', async t => {
    const staticImports = async (name: string): Promise<string[]> => {
      const imported = [
        ...(await textOf(name)).matchAll(
          /(?:^|[;}\s])(?:import|export)\s*(?:[\w*{}\s,$]+from\s*)?["']\.\/([^"']+)["']/g,
        ),
      ].map(match => match[1]!)
      return [name, ...(await Promise.all(imported.map(staticImports))).flat()]
    }
    const first = [...new Set([client.style, ...(await staticImports(client.script))])]
    t.ok(first.length > 2, 'the entry has its chunks')
    const firstBytes = (await Promise.all(first.map(sizeOf))).reduce((sum, size) => sum + size, 0)
    t.ok(firstBytes < 90 * KB, `first load ${firstBytes} bytes`)
    const sizes = await Promise.all(names.map(sizeOf))
    for (const [index, size] of sizes.entries()) t.ok(size < 150 * KB, `${names[index]} ${size} bytes`)
    const total = sizes.reduce((sum, size) => sum + size, 0)
    t.ok(total < 450 * KB, `together ${total} bytes`)
  })

  await t.test('built twice [CON-7]', async t => {
    t.strictSame([...(await buildClient(plugin, RESIDENT)).assets.keys()].sort(), [...client.assets.keys()].sort())
  })
})

t.test('a mistake in a client file [CON-8, CON-18]', async t => {
  const root = mkdtempSync(join(tmpdir(), 'svc-console-'))
  t.teardown(() => rmSync(root, { recursive: true, force: true }))
  // Same layout as in the project: the client imports packages, and core modules by relative path.
  const folder = join(root, 'plugins')
  cpSync(plugin, join(folder, 'page'), { recursive: true })
  for (const shared of ['core', 'node_modules']) symlinkSync(join(plugin, '..', '..', shared), join(root, shared))
  const main = join(folder, 'page', 'client', 'main.tsx')
  const source = readFileSync(main, 'utf8')
  const record = async (url: string) =>
    (await (await fetch(`${url}/_svc/plugins/page`)).json()) as {
      state: string
      stale: boolean
      generation: number
      error: { phase: string; message: string } | null
    }

  const server = await serve(t, { yaml: `plugins: { disable: [console], dirs: [${JSON.stringify(folder)}] }` })
  const before = await (await fetch(`${server.url}/ui/`)).text()
  t.match(await record(server.url), { state: 'enabled', stale: false })

  writeFileSync(main, `${source}\nconst broken: = 1\n`)
  await server.host.reload()
  const stale = await record(server.url)
  t.match(stale, { state: 'enabled', stale: true, error: { phase: 'register' } })
  t.match(stale.error!.message, new RegExp(`client/main\\.tsx:${source.split('\n').length + 1}:\\d+: `))
  t.equal(await (await fetch(`${server.url}/ui/`)).text(), before, 'the old page is still served')
  t.equal((await fetch(server.url + /assets\/main[^"]+/.exec(before)![0].replace(/^/, '/ui/'))).status, 200)
  t.equal((await fetch(`${server.url}/uuid`)).status, 200)

  writeFileSync(main, `${source}\nconsole.log('edited')\n`)
  await server.host.reload()
  t.match(await record(server.url), { state: 'enabled', stale: false, error: null })
  t.not(await (await fetch(`${server.url}/ui/`)).text(), before, 'an edit changes the file names')
  t.ok((await record(server.url)).generation > stale.generation, 'the page detects the edit by the generation')

  writeFileSync(main, 'const broken: = 1')
  const fresh = await serve(t, { yaml: `plugins: { disable: [console], dirs: [${JSON.stringify(folder)}] }` })
  t.match(await record(fresh.url), { state: 'failed', error: { phase: 'register', message: /client\/main\.tsx:1:/ } })
  t.equal((await fetch(`${fresh.url}/ui/`)).status, 404)
  t.equal((await fetch(`${fresh.url}/uuid`)).status, 200)
})
