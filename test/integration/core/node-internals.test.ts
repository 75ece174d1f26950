/**
 * Responses by fast paths are identical to Node's own, byte by byte, on every supported version; undocumented members
 * are in one folder. Takes long: it compares thousands of replies on each version of Node.
 */
import { execFile } from 'node:child_process'
import { request } from 'node:http'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { promisify } from 'node:util'
import * as esbuild from 'esbuild'
import t from 'tap'
import { NODE_PACKAGES, nodeBinary, type NodeVersion } from '../../support/node-versions.ts'
import type { Comparison } from '../../support/reply-bytes.ts'
import { serve } from '../../support/server.ts'

const root = join(import.meta.dirname, '../../..')
const folder = mkdtempSync(join(tmpdir(), 'svc-reply-bytes-'))
t.teardown(() => rmSync(folder, { recursive: true, force: true }))
const script = join(folder, 'reply-bytes.mjs')
await esbuild.build({
  entryPoints: [join(root, 'test/support/reply-bytes.ts')],
  outfile: script,
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  logLevel: 'silent',
})

async function compareOn(binary: string): Promise<Comparison[]> {
  const { stdout } = await promisify(execFile)(binary, [script], { maxBuffer: 64 * 1024 * 1024, timeout: 100_000 })
  return stdout
    .trim()
    .split('\n')
    .map(line => JSON.parse(line) as Comparison)
}

const binaries: [version: string, binary: string | null][] = [[`this Node, ${process.version}`, process.execPath]]
for (const version of Object.keys(NODE_PACKAGES) as NodeVersion[])
  binaries.push([`Node ${version}`, nodeBinary(version)])

for (const [version, binary] of binaries) {
  t.test(`${version}: the same bytes with fast paths, without, and by node:http`, async t => {
    if (binary === null) {
      t.comment(`${version} is not compared: its development package is not installed (npm ci brings it)`)
      t.ok(version.startsWith('Node '), 'only another version may be missing')
      return
    }
    const comparisons = await compareOn(binary)
    t.ok(comparisons.length > 2000, `${comparisons.length} replies`)
    t.ok(
      comparisons.every(({ length }) => length > 0),
      'each of them is a reply',
    )
    const differences = comparisons.filter(({ on, off }) => on !== null || off !== null)
    t.strictSame(differences, [])
  })
}

/** Status, headers in order, and body of a response, without what differs between two servers. */
function replyOf(port: number, [path, method, body]: [path: string, method?: string, body?: string]): Promise<string> {
  const headers = {
    Host: 'svc.example',
    'X-Request-Id': 'same',
    'X-Svc-Session': 'same',
    Authorization: 'Bearer sk-1',
    ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
  }
  return new Promise((resolve, reject) => {
    request({ host: '127.0.0.1', port, path, method: method ?? 'GET', headers }, response => {
      const lines = response.rawHeaders.flatMap((name, index, all) =>
        index % 2 === 0 ? [`${name}: ${/^date$|ratelimit|-ms$/i.test(name) ? '' : all[index + 1]}`] : [],
      )
      let text = ''
      response
        .setEncoding('utf8')
        .on('error', reject)
        .on('data', part => {
          text += part
        })
      response.on('end', () =>
        resolve([response.statusCode, ...lines, text.replace(/"(timestamp_unix_ms|port)":\d+/g, '"$1":0')].join('\n')),
      )
    })
      .on('error', reject)
      .end(body)
  })
}

t.test('the variable takes effect, and the responses of svc are identical', async t => {
  const replies: Parameters<typeof replyOf>[1][] = [
    ['/echo?x=1'],
    ['/echo', 'HEAD'],
    ['/echo', 'POST', '{"text":"grüße €"}'],
    ['/status/204'],
    ['/status/304'],
    ['/status/418'],
    ['/nothing/there'],
    ['/ai/openai/v1/models'],
    ['/response-headers?X-A=one&X-B=two'],
    ['/ai/openai/v1/embeddings', 'POST', '{"model":"svc-embed","input":"hello"}'],
  ]
  const seen: string[][] = []
  for (const value of ['on', 'off']) {
    const server = await serve(t, { env: { SVC_FAST_PATHS: value, SVC_INSTANCE_ID: 'same' } })
    const { fast_paths: isFast } = (await (await fetch(`${server.url}/_svc/config`)).json()) as { fast_paths: boolean }
    t.equal(isFast, value === 'on')
    const port = Number(new URL(server.url).port)
    seen.push(await Promise.all(replies.map(reply => replyOf(port, reply))))
  }
  t.strictSame(seen[0], seen[1])
})

t.test('no other folder uses undocumented members of Node', async t => {
  const forbidden =
    /[.'"]_(?:send|header|headerSent|hasBody|trailer|storeHeader|compile|nodeModulePaths|httpMessage|handle|implicitHeader)\b|setFlagsFromString|process\.binding/
  const sources = ['backends', 'bin', 'core', 'plugins']
    .flatMap(name => readdirSync(join(root, name), { recursive: true, withFileTypes: true }))
    .filter(entry => entry.isFile() && /\.m?[jt]s$/.test(entry.name) && !entry.parentPath.includes('node_modules'))
    .map(entry => relative(root, join(entry.parentPath, entry.name)))
  t.ok(sources.length > 500)
  t.strictSame(
    sources.filter(
      path => !path.startsWith('core/http/node-internals/') && forbidden.test(readFileSync(join(root, path), 'utf8')),
    ),
    [],
  )
})
