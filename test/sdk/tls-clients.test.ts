/** curl and OpenSSL, unmodified, against the TLS endpoints. */
import t from 'tap'
import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { serve } from '../support/server.ts'

interface Endpoint {
  kind: string
  expect: 'ok' | 'fail' | 'either'
  curl: string
  openssl: string
}

const server = await serve(t, { yaml: 'plugins: { enable: [tls, auth] }\ntls: { slow_ms: 200 }\n' })
const folder = t.testdir()
const file = (name: string): string => join(folder, name)
for (const name of ['ca.pem', 'revoked.pem', 'good.pem'])
  writeFileSync(file(name), await (await fetch(`${server.url}/tls/${name}`)).text())

/** What the README says about clients: the column of OpenSSL and curl by kind. */
function documentedClients(): Map<string, string> {
  const readme = readFileSync(join(import.meta.dirname, '..', '..', 'plugins', 'tls', 'README.md'), 'utf8')
  const section = /## What clients say\n([^]*?)\n## /.exec(readme)![1]!
  const everywhere = /All of them accept ([^]*?)\.\n/.exec(section)![1]!
  const rows = [...section.matchAll(/^\| `([\w.-]+)` \| ([^|]+) \|/gm)].map(([, kind, says]) => [kind!, says!] as const)
  return new Map([...[...everywhere.matchAll(/`([\w.-]+)`/g)].map(([, kind]) => [kind!, 'accepts'] as const), ...rows])
}

/** Output of a command line, and whether it succeeded in time. */
function run(line: string, timeout = 20_000): Promise<{ isOk: boolean; output: string; errors: string }> {
  return new Promise(resolve => {
    execFile('bash', ['-c', line], { cwd: folder, timeout }, (error, output, errors) =>
      resolve({ isOk: error === null, output, errors }),
    )
  })
}

t.test('the command lines of the list do what it and the documentation say [TLSZ-8] [TLSZ-13]', async t => {
  const documented = documentedClients()
  const { endpoints } = (await (await fetch(`${server.url}/_svc/tls`)).json()) as { endpoints: Endpoint[] }
  t.strictSame([...documented.keys()].sort(), endpoints.map(({ kind }) => kind).sort())
  for (const { kind, expect, ...lines } of endpoints)
    for (const program of ['curl', 'openssl'] as const) {
      const { output, errors } = await run(
        lines[program].replace('curl', 'curl -s'),
        kind === 'stall' ? 2000 : undefined,
      )
      const isAnswered = output.includes(`"kind":"${kind}"`)
      // Where clients differ, so do builds of the same client.
      if (expect === 'either') continue
      t.equal(isAnswered, expect === 'ok', `${program} ${kind}: ${errors}`)
      t.equal(isAnswered, documented.get(kind) === 'accepts', `${kind} in the documentation`)
    }
})

t.test(
  'OpenSSL finds revoked certificates in the CRL and over OCSP, at the addresses of the certificates [TLSZ-5]',
  async t => {
    const crl = await run('openssl verify -crl_check -crl_download -CAfile ca.pem revoked.pem')
    t.notOk(crl.isOk)
    t.match(crl.errors, /certificate revoked/)
    t.ok((await run('openssl verify -crl_check -crl_download -CAfile ca.pem good.pem')).isOk)

    const ask = 'openssl ocsp -CAfile ca.pem -issuer ca.pem -cert revoked.pem -cert good.pem -url'
    const { output, errors } = await run(`${ask} "$(openssl x509 -in good.pem -noout -ocsp_uri)"`)
    t.match(output, /revoked\.pem: revoked[^]*good\.pem: good/)
    t.match(errors, /Response verify OK/)
    t.notMatch(output + errors, /nonce/i)

    await run('openssl ocsp -issuer ca.pem -cert revoked.pem -no_nonce -reqout request.der')
    const path = await run(
      `curl -s "${server.url}/tls/ocsp/$(base64 -w0 request.der | sed 's|/|%2F|g; s|+|%2B|g; s|=|%3D|g')" -o response.der && openssl ocsp -respin response.der -no_nonce -CAfile ca.pem -issuer ca.pem -cert revoked.pem`,
    )
    t.match(path.output, /revoked\.pem: revoked/)
  },
)

t.test('OpenSSL and curl ask for stapled responses [TLSZ-5]', async t => {
  const port = server.ports.https!
  const status = async (kind: string): Promise<string> =>
    (
      await run(
        `openssl s_client -status -connect 127.0.0.1:${port} -servername ${kind}.tls.localhost -CAfile ca.pem </dev/null`,
      )
    ).output
  t.match(await status('good'), /Cert Status: good/)
  t.match(await status('revoked'), /Cert Status: revoked/)
  t.match(await status('staple-missing'), /OCSP response: no response sent/)
  const curl = async (kind: string): Promise<string> => {
    const name = `${kind}.tls.localhost`
    const line = `curl -sS --cert-status --cacert ca.pem --resolve ${name}:${port}:127.0.0.1 https://${name}:${port}/tls`
    const { output, errors } = await run(line)
    return output + errors
  }
  t.match(await curl('good'), /"kind":"good"/)
  t.match(await curl('revoked'), /revocation reason: keyCompromise/)
  t.match(await curl('staple-missing'), /No OCSP response received/)
})

t.test('sessions are resumed, except those of no-resumption [TLSZ-9]', async t => {
  const port = server.ports.https!
  for (const version of ['-tls1_2', '-tls1_3'])
    for (const [kind, isResumed] of [
      ['good', true],
      ['client-cert-optional', true],
      ['no-resumption', false],
    ] as const) {
      const ask = `printf 'GET /tls HTTP/1.0\\r\\n\\r\\n' | openssl s_client ${version} -quiet -CAfile ca.pem -connect 127.0.0.1:${port} -servername ${kind}.tls.localhost`
      const session = file(`${kind}${version}`)
      await run(`${ask} -sess_out ${session}`)
      const { output, errors } = await run(`${ask} -sess_in ${session} 2>&1`)
      t.match(output, `"resumed":${isResumed}`, `${kind} ${version} ${errors}`)
    }
})
