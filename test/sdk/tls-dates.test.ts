/**
 * The TLS endpoints on other dates: nothing expires by itself, and nothing becomes valid by itself. Runs alone: it replaces
 * the clock of the process.
 */
import t from 'tap'
import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { mock } from 'node:test'
import { serve } from '../support/server.ts'

/** Kinds whose certificates decide; the others differ in the handshake. */
const JUDGED = [
  'good',
  'good-rsa',
  'wildcard',
  'complete-chain',
  'long-chain',
  'expired',
  'not-yet-valid',
  'wrong-host',
  'unknown-ca',
  'self-signed',
  'incomplete-chain',
  'expired-intermediate',
  'not-a-ca',
  'path-length',
  'name-constraint',
  'client-usage',
  'sha1',
]

/** What OpenSSL says on a date: the error, or null. */
function judge(line: string, folder: string): Promise<string | null> {
  return new Promise(resolve => {
    execFile(
      'bash',
      ['-c', `${line} -attime ${Math.floor(Date.now() / 1000)}`],
      { cwd: folder },
      (_error, out, errors) =>
        resolve(out.includes('"kind"') ? null : (/verify error:num=\d+:(.*)/.exec(errors)?.[1] ?? errors)),
    )
  })
}

t.test('on other dates the endpoints are accepted and refused for the same reasons [TLSZ-1] [TLSZ-14]', async t => {
  t.teardown(() => mock.timers.reset())
  const results: Record<string, string | null>[] = []
  for (const [year, laterDays] of [
    [2024, 0],
    [2032, 0],
    [2032, 40],
    [2090, 0],
  ] as const) {
    mock.timers.reset()
    mock.timers.enable({ apis: ['Date'], now: Date.UTC(year, 1, 29) })
    const server = await serve(t, { yaml: 'plugins: { enable: [tls] }\n' })
    const folder = t.testdir()
    writeFileSync(`${folder}/ca.pem`, await (await fetch(`${server.url}/tls/ca.pem`)).text())
    const judgeAll = async (): Promise<Record<string, string | null>> => {
      const said = JUDGED.map(async kind => {
        const name = `${kind}.tls.localhost`
        const line = `printf 'GET /tls HTTP/1.0\\r\\n\\r\\n' | openssl s_client -quiet -verify_return_error -connect 127.0.0.1:${server.ports.https} -servername ${name} -verify_hostname ${name} -CAfile ca.pem`
        return [kind, await judge(line, folder)] as const
      })
      return Object.fromEntries(await Promise.all(said))
    }
    let said = await judgeAll()
    if (laterDays > 0) {
      // Valid certificates are made again after 15 days, before they expire.
      mock.timers.setTime(Date.now() + laterDays * 86_400_000)
      said = await judgeAll()
    }
    results.push(said)
    await server.stop()
  }
  const [first, ...others] = results
  t.match(first, {
    good: null,
    'long-chain': null,
    expired: /expired/,
    'not-yet-valid': /not yet valid/,
    sha1: /too weak/,
  })
  t.strictSame(Object.values(first!).filter(error => error === null).length, 5)
  for (const other of others) t.strictSame(other, first)
})
