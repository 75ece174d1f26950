/**
 * Runs the exported scripts against the product, through a proxy that records the requests.
 * Takes long: it sends every example.
 */
import t from 'tap'
import { execFile } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Catalog } from '../../../core/contract/plugin.ts'
import { expectedOf, headersOf, sentExamples } from '../../support/exported.ts'
import { examplesOf } from '../../support/exported-run.ts'
import { HOSTILE } from '../../support/hostile-plugin.ts'
import { pluginFolder } from '../../support/plugins.ts'
import { record } from '../../support/recorder.ts'
import { serve } from '../../support/server.ts'

const run = promisify(execFile)
const plugins = pluginFolder(t, { hostile: HOSTILE })
const server = await serve(t, { env: { SVC_PLUGINS_DIR: plugins.folder } })
const { endpoints } = (await (await fetch(`${server.url}/_svc/catalog`)).json()) as Catalog
const fetchText = async (path: string): Promise<string> => (await fetch(server.url + path)).text()

const tame = endpoints.filter(({ plugin }) => plugin !== 'hostile')
const { expected, verify } = examplesOf({ endpoints: tame })
const hostile = expectedOf({ endpoints: endpoints.filter(({ plugin }) => plugin === 'hostile') })

/** Whether the program is installed. */
async function has(program: string): Promise<boolean> {
  return run('which', [program]).then(
    () => true,
    () => false,
  )
}

t.test(
  'curl.sh is a bash script that sends every example [EXPORT-8]',
  { skip: !((await has('curl')) && (await has('bash'))) && 'no curl here' },
  async t => {
    const path = join(plugins.folder, 'svc-curl.sh')
    const script = await fetchText('/export/curl.sh')
    writeFileSync(path, script)
    await run('bash', ['-n', path])
    const lines = script.split('\n')
    t.equal(lines[0], '#!/usr/bin/env bash')
    const commands = lines.flatMap((line, at) => (line.startsWith('curl ') ? [at] : []))
    t.equal(commands.length, expected.length + hostile.length)
    for (const at of commands) t.match(lines[at - 1], /^# /, 'a comment precedes the command')
    t.ok(
      lines.every(line => line === '' || /^(?:#|BASE_URL="|curl )/.test(line)),
      'there is nothing else',
    )

    const own = join(plugins.folder, 'tame.sh')
    const names = [...new Set(tame.map(({ category }) => category))]
    writeFileSync(own, await fetchText(`/export/curl.sh?${new URLSearchParams(names.map(name => ['category', name]))}`))
    const { url, requests } = await record(t, server.url)
    await run('bash', [own], {
      env: { PATH: process.env.PATH, BASE_URL: url },
      maxBuffer: 1 << 28,
      encoding: 'buffer',
    }).catch((error: { code?: number }) =>
      t.equal(typeof error.code, 'number', 'only the last command may have failed'),
    )
    verify(t, requests)
  },
)

t.test(
  'curl.sh sends hostile values unchanged [EXPORT-7]',
  { skip: !((await has('curl')) && (await has('bash'))) && 'no curl here' },
  async t => {
    const { url, requests } = await record(t, server.url)
    const script = join(plugins.folder, 'hostile.sh')
    writeFileSync(script, await fetchText(`/export/curl.sh?plugin=hostile&base_url=${url}/base`))
    await run('bash', ['-n', script])
    await run('bash', [script], { env: { PATH: process.env.PATH }, cwd: plugins.folder, maxBuffer: 1 << 24 })
    t.equal(requests.length, hostile.length, 'nothing else was run')
    for (const [at, { name, method, target, headers, body }] of hostile.entries()) {
      const sent = requests[at]!
      t.equal(sent.method, method, name)
      t.equal(
        sent.target,
        `/base${target.replaceAll(' ', '%20').replace('é', '%C3%A9').replace('#', '%23').replaceAll('{{', '%7B%7B')}`,
        name,
      )
      t.equal(sent.body, name.includes('[no body]') ? '' : (body ?? ''), name)
      for (const [field, value] of Object.entries(headers)) {
        if (/\[no (?:header|auth|body)\]/.test(name)) t.equal(sent.headers[field]?.includes('\n') ?? false, false)
        else t.equal(sent.headers[field], value, `${name}: ${field}`)
      }
      t.equal(sent.headers['x-injected'], undefined)
    }
  },
)

t.test('the k6 script sends every request once, in groups, with one check each [EXPORT-10]', async t => {
  const folder = join(plugins.folder, '.k6')
  const modules = join(folder, 'node_modules', 'k6')
  mkdirSync(modules, { recursive: true })
  writeFileSync(
    join(modules, 'package.json'),
    JSON.stringify({ name: 'k6', type: 'module', exports: { '.': './index.js', './http': './http.js' } }),
  )
  writeFileSync(
    join(modules, 'index.js'),
    'export const group = (name, run) => { log.push({ group: name }); run() }\nexport const check = (response, checks) => log.push({ checks: Object.fromEntries(Object.entries(checks).map(([name, test]) => [name, test(response)])) })\nconst { log } = globalThis\n',
  )
  writeFileSync(
    join(modules, 'http.js'),
    'export default { expectedStatuses: (...statuses) => statuses, request(method, url, body, params) { globalThis.log.push({ method, url, body, params }); return { status: 200 } } }\n',
  )
  writeFileSync(join(folder, 'svc-k6.mjs'), await fetchText('/export/k6.js'))
  const output = join(folder, 'main.mjs')
  writeFileSync(
    output,
    'globalThis.log = []\nglobalThis.__ENV = { BASE_URL: process.argv[2] }\nconst { default: main, options } = await import("./svc-k6.mjs")\nmain()\nprocess.stdout.write(JSON.stringify({ options, log }))\n',
  )
  interface Step {
    group?: string
    checks?: Record<string, boolean>
    method: string
    url: string
    body: string | null
    params: { headers: Record<string, string>; redirects: number; responseCallback: unknown }
  }
  const runIt = async (...args: string[]) =>
    JSON.parse((await run(process.execPath, [output, ...args], { maxBuffer: 1 << 24 })).stdout) as {
      options: object
      log: Step[]
    }
  const { options, log } = await runIt('http://elsewhere')
  t.strictSame(options, { vus: 1, iterations: 1 })
  t.strictSame(
    log.flatMap(({ group }) => group ?? []),
    [...new Set(sentExamples({ endpoints }).map(({ endpoint }) => endpoint.category))].map(name =>
      name.replaceAll('::', ':').replace('\n', ' '),
    ),
  )
  const calls = log.filter(({ method }) => method !== undefined)
  t.equal(calls.length, expected.length + hostile.length)
  for (const [at, { name, method, target, headers, body }] of expected.entries()) {
    const call = calls[at]!
    t.strictSame([call.method, call.url, call.body], [method, `http://elsewhere${target}`, body], name)
    t.strictSame(
      headersOf(Object.entries(call.params.headers).map(([field, value]) => ({ name: field, value }))),
      headers,
      name,
    )
    t.equal(call.params.redirects, 0)
  }
  for (const [at, { name, body }] of hostile.entries())
    t.equal(calls[expected.length + at]!.body, name.includes('[no body]') ? null : body, name)
  const documented = sentExamples({ endpoints: tame }).map(({ example }) => example.expect_status)
  const isFilled = (call: Step) => !/<[a-z_]+>/.test(call.url + (call.body ?? '') + JSON.stringify(call.params.headers))
  for (const [at, status] of documented.entries())
    t.strictSame(
      calls[at]!.params.responseCallback,
      status !== null && isFilled(calls[at]!) ? [status] : [{ min: 200, max: 599 }],
      `${expected[at]!.name}: the documented status is expected`,
    )
  const checks = log.flatMap(step => (step.checks ? Object.entries(step.checks) : []))
  t.strictSame(
    checks,
    [...expected, ...hostile].map(({ name }) => [name.replaceAll('\n', ' '), true]),
  )
  t.equal(
    (await runIt()).log.find(({ url }) => url)?.url,
    `${server.url}${expected[0]!.target}`,
    'without BASE_URL: where it was downloaded',
  )
  t.notMatch(await fetchText('/export/k6.js?plugin=hostile'), /<|\u2028|\u2029/)
})
