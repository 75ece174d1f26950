/**
 * Behavior when files cannot be written, or are not what they should be.
 * Mostly waits: for processes to start. Takes long: it starts processes.
 */
import t from 'tap'
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { serve } from '../../support/server.ts'
import { startProcess } from '../../support/process.ts'
import { until } from '../../support/until.ts'

t.test(
  'on a full disk everything is served, certificates come from memory, and each file that cannot be written is reported once [OUTAGE-1]',
  async t => {
    // No file may grow beyond 0 bytes: every write fails as on a full disk.
    const server = startProcess(t, {
      shell: 'ulimit -f 0',
      env: { SVC_LIMIT_REQUESTS: '100', SVC_LIMIT_SCOPE: 'instance', SVC_USAGE_FILE: 'usage.json' },
    })
    const url = `http://127.0.0.1:${await server.port('HTTP')}`
    await server.port('HTTPS')
    t.equal((await fetch(`${url}/echo`)).status, 200)
    const upload = await fetch(`${url}/_svc/mocks/full`, {
      method: 'PUT',
      body: JSON.stringify({
        openapi: '3.1.0',
        info: { title: 'Full', version: '1' },
        paths: { '/a': { get: { responses: { 200: { description: 'a' } } } } },
      }),
    })
    t.equal(upload.status, 201, 'a mock is kept in memory')
    t.match(await (await fetch(`${url}/_svc/usage`)).json(), { requests: { used: 2 } }, 'counts go on')
    const warnings = (text: RegExp): number =>
      server
        .output()
        .split('\n')
        .filter(line => / WARN /.test(line) && text.test(line)).length
    t.equal(warnings(/ca\.crt/), 1)
    t.equal(warnings(/server\.crt/), 1)
    server.child.kill('SIGTERM')
    t.strictSame(await server.exited, { code: 0, signal: null })
    t.ok(warnings(/usage file/) >= 1, 'the last attempt at the latest')
    t.ok(warnings(/usage file/) <= 2, 'not with every attempt')
  },
)

t.test(
  'with invalid folders: certificates from memory, no mocks, no usage file, and a warning for each [OUTAGE-2]',
  async t => {
    const server = startProcess(t, {
      env: {
        SVC_TLS_CERT: 'taken/server.crt',
        SVC_TLS_KEY: 'taken/server.key',
        SVC_MOCKS_DIR: 'taken',
        SVC_LIMIT_REQUESTS: '100',
        SVC_LIMIT_SCOPE: 'instance',
        SVC_USAGE_FILE: 'taken/usage.json',
      },
    })
    writeFileSync(join(server.folder, 'taken'), 'a file where folders should be')
    const url = `http://127.0.0.1:${await server.port('HTTP')}`
    await server.port('HTTPS')
    t.equal((await fetch(`${url}/echo`)).status, 200)
    for (const what of [/server\.crt/, /taken.*mocks|mocks.*taken|SVC_MOCKS_DIR/i])
      await until(
        () =>
          server
            .output()
            .split('\n')
            .some(line => / WARN /.test(line) && what.test(line)),
        String(what),
      )
  },
)

t.test(
  'an unreadable svc.yaml prevents a start with a reason, and does not affect a running server [OUTAGE-3]',
  async t => {
    const server = await serve(t, { yaml: 'plugins: { disable: [images] }' })
    const file = join(server.folder, 'svc.yaml')
    for (const [what, spoil] of [
      [
        'a folder',
        () => {
          rmSync(file)
          mkdirSync(file)
        },
      ],
      ['gone', () => rmSync(file, { recursive: true })],
      ['no text', () => writeFileSync(file, Buffer.from([0xff, 0xfe, 0x00, 0x80]))],
      ['no YAML', () => writeFileSync(file, 'plugins: [')],
    ] as const) {
      spoil()
      const { applied, load_errors: errors } = await server.reload()
      t.equal(applied, false, what)
      t.ok(errors.length > 0 && errors[0]!.message !== '', `${what}: ${errors[0]?.message}`)
      t.equal((await fetch(`${server.url}/image/png`)).status, 404, `${what}: what was off stays off`)
      t.equal((await fetch(`${server.url}/echo`)).status, 200, what)
    }
    writeFileSync(file, '{}')
    t.equal((await server.reload()).applied, true, 'and comes back')
    t.equal((await fetch(`${server.url}/image/png`)).status, 200)
  },
)

t.test(
  'kill -9: the next start continues with the saved state, the same certificates and no temporary files [OUTAGE-4]',
  async t => {
    const env = { SVC_LIMIT_REQUESTS: '100', SVC_LIMIT_SCOPE: 'instance', SVC_USAGE_FILE: 'usage.json' }
    const first = startProcess(t, { env })
    const url = `http://127.0.0.1:${await first.port('HTTP')}`
    for (let request = 0; request < 5; request++) await fetch(`${url}/echo`)
    const ca = await (await fetch(`${url}/auth/mtls/get-ca-cert?format=pem`)).text()
    t.match(ca, /BEGIN CERTIFICATE/)
    await until(() => readdirSync(first.folder).includes('usage.json'), 'the usage file')
    first.child.kill('SIGKILL')
    await first.exited
    const second = startProcess(t, { env, folder: first.folder })
    const again = `http://127.0.0.1:${await second.port('HTTP')}`
    t.equal(await (await fetch(`${again}/auth/mtls/get-ca-cert?format=pem`)).text(), ca, 'clients that trust it go on')
    const { requests } = (await (await fetch(`${again}/_svc/usage`)).json()) as { requests: { used: number } }
    t.ok(requests.used >= 1, `${requests.used} of the 7 requests before were saved`)
    t.strictSame(
      readdirSync(first.folder).filter(name => name.endsWith('.tmp') || name.endsWith('.lock')),
      [],
    )
  },
)
