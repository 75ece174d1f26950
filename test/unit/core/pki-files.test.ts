/** Which files of the demo PKI are used, written, replaced or left alone. */
import t, { type Test } from 'tap'
import { X509Certificate, createPrivateKey } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createAuthority, issueServerCertificate } from '../../../core/pki/certificates.ts'
import type { CertificateAuthority } from '../../../core/pki/authority.ts'
import { loadAuthority } from '../../../core/pki/ca-files.ts'
import { withFolderLock } from '../../../core/pki/folder-lock.ts'
import { writePair } from '../../../core/pki/pem-files.ts'
import { loadPki, type Pki } from '../../../core/pki/pki.ts'
import { isIssuedBy } from '../../../core/pki/verification.ts'
import { until } from '../../support/until.ts'
import { keyPem, makeCertificate } from '../../support/certificates.ts'
import { pkiState } from '../../support/pki-state.ts'

const dayMs = 86_400_000

function temporaryFolder(t: Test): string {
  const folder = mkdtempSync(join(tmpdir(), 'svc-pki-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  return folder
}

function load(folder: string, options: { cert?: string; key?: string; now?: number } = {}): Promise<Pki> {
  const { now } = options
  return loadPki({
    state: pkiState(),
    tlsCert: join(folder, options.cert ?? 'server.crt'),
    tlsKey: join(folder, options.key ?? 'server.key'),
    ...(now === undefined ? {} : { now: () => now }),
  })
}

function write(folder: string, files: Record<string, string>): void {
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text, 'latin1')
}

/** All files of a folder with their content. */
function snapshot(folder: string): Record<string, string> {
  return Object.fromEntries(
    readdirSync(folder)
      .sort()
      .map(name => [
        name,
        statSync(join(folder, name)).isFile() ? readFileSync(join(folder, name), 'latin1') : 'folder',
      ]),
  )
}

/** Fails if one of the files does not have the expected content. */
function assertUnchanged(t: Test, folder: string, files: Record<string, string>): void {
  for (const [name, text] of Object.entries(files)) t.equal(snapshot(folder)[name], text, `${name} is unchanged`)
}

function caFiles(authority: CertificateAuthority, name = 'ca'): Record<string, string> {
  return { [`${name}.crt`]: authority.certificate.toString(), [`${name}.key`]: keyPem(authority.key) }
}

/** The served pair; fails the test if it is missing or does not match. */
function servedLeaf(t: Test, pki: Pki): X509Certificate {
  if ('error' in pki.server) throw new Error(pki.server.error)
  const leaf = new X509Certificate(pki.server.cert)
  t.ok(leaf.checkPrivateKey(createPrivateKey(pki.server.key)), 'key and certificate belong together')
  return leaf
}

t.test('the files of the CA', async t => {
  t.test('creates and writes a CA if there are no files, including folders [PKI-7]', async t => {
    const folder = join(temporaryFolder(t), 'a', 'b')
    const pki = await load(folder)
    t.strictSame(
      Object.keys(snapshot(folder)),
      ['ca.crt', 'ca.key', 'server.crt', 'server.key'],
      'no temporary file is left',
    )
    t.equal(readFileSync(join(folder, 'ca.crt'), 'latin1'), pki.caCertificate)
    t.ok(new X509Certificate(pki.caCertificate).checkPrivateKey(createPrivateKey(readFileSync(join(folder, 'ca.key')))))
    t.strictSame(pki.warnings, [])
  })

  t.test('simultaneous starts share one CA and one pair [PKI-24]', async t => {
    const folder = temporaryFolder(t)
    const all = await Promise.all(Array.from({ length: 5 }, () => load(folder)))
    t.equal(new Set(all.map(pki => pki.caCertificate)).size, 1)
    t.equal(new Set(all.map(pki => JSON.stringify(pki.server))).size, 1)
    t.strictSame(Object.keys(snapshot(folder)), ['ca.crt', 'ca.key', 'server.crt', 'server.key'])
  })

  t.test('a lock left by a dead process is replaced, and removed afterwards [PKI-24]', async t => {
    const folder = temporaryFolder(t)
    mkdirSync(join(folder, '.svc-pki.lock'))
    t.equal(await withFolderLock(folder, async () => 'done', 1), 'done')
    t.strictSame(snapshot(folder), {})
    await t.rejects(
      withFolderLock(folder, async () => {
        throw new Error('no')
      }),
      { message: 'no' },
    )
    t.strictSame(snapshot(folder), {})
  })

  t.test("processes that miss each other's lock still end with one CA [PKI-24, SEC-11]", async t => {
    const folder = temporaryFolder(t)
    const warnings: string[] = []
    const all = await Promise.all(
      Array.from({ length: 5 }, () => loadAuthority(folder, Date.now(), message => warnings.push(message))),
    )
    t.equal(
      new Set(all.map(authority => authority.certificate.fingerprint256)).size,
      1,
      'the first pair on disk is used by all',
    )
    for (const { certificate, key } of all) t.ok(certificate.checkPrivateKey(key))
    t.strictSame(Object.keys(snapshot(folder)), ['ca.crt', 'ca.key'], 'neither a second pair nor a temporary file')
    t.strictSame(warnings, [])
  })

  t.test('a lock is kept while its holder works, and only its holder removes it [PKI-24]', async t => {
    const folder = temporaryFolder(t)
    const order: string[] = []
    const slow = withFolderLock(
      folder,
      async () => {
        await sleep(200)
        order.push('slow')
      },
      40,
    )
    await until(() => existsSync(join(folder, '.svc-pki.lock')), 'the first lock')
    await withFolderLock(
      folder,
      async () => {
        order.push('second')
      },
      40,
    )
    await slow
    t.strictSame(order, ['slow', 'second'], 'after five times the timeout')
    await withFolderLock(folder, async () => {
      renameSync(join(folder, '.svc-pki.lock'), join(folder, 'taken'))
      mkdirSync(join(folder, '.svc-pki.lock'))
      writeFileSync(join(folder, '.svc-pki.lock', 'mark of another process'), '')
    })
    t.ok(existsSync(join(folder, '.svc-pki.lock', 'mark of another process')), 'the other process still holds it')
  })

  t.test('writes keys as PKCS#8, readable only by the owner [PKI-5]', async t => {
    const folder = temporaryFolder(t)
    const pki = await load(folder)
    for (const name of ['ca.key', 'server.key']) {
      t.match(readFileSync(join(folder, name), 'latin1'), /^-----BEGIN PRIVATE KEY-----\n/, name)
      t.equal(statSync(join(folder, name)).mode & 0o777, 0o600, name)
    }
    t.match((await pki.client()).key, /^-----BEGIN PRIVATE KEY-----\n/)
  })

  t.test('uses a demo CA with its key, and leaves its files unchanged [PKI-8]', async t => {
    const folder = temporaryFolder(t)
    const first = await load(folder)
    const before = snapshot(folder)
    const second = await load(folder)
    t.equal(second.caCertificate, first.caCertificate)
    t.strictSame(second.server, first.server)
    t.strictSame(snapshot(folder), before)
    t.strictSame(second.warnings, [])
  })

  t.test('uses a demo CA with an RSA key, and one in the second pair [PKI-8]', async t => {
    const folder = temporaryFolder(t)
    const authority = await makeCertificate({ subject: 'CN=svc Demo CA', keyType: 'rsa' })
    write(folder, caFiles(authority, 'svc-demo-ca'))
    const pki = await load(folder)
    t.equal(pki.caCertificate, authority.certificate.toString())
    t.ok(isIssuedBy(servedLeaf(t, pki), authority.certificate))
    t.notOk(existsSync(join(folder, 'ca.crt')))
  })

  const other = await makeCertificate({ subject: 'CN=Other CA' })
  const demo = await createAuthority(Date.now())
  const foreign: [string, Record<string, string>, RegExp][] = [
    ['a key alone', { 'ca.key': keyPem(other.key) }, /there is a key but no certificate/],
    ['text', { 'ca.crt': 'hello\n', 'ca.key': keyPem(other.key) }, /not a PEM certificate/],
    ['an empty certificate file', { 'ca.crt': '' }, /not a PEM certificate/],
    ['DER', { 'ca.crt': demo.certificate.raw.toString('latin1') }, /not a PEM certificate/],
    [
      'a broken PEM',
      { 'ca.crt': '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n' },
      /not a PEM certificate/,
    ],
    [
      'a certificate that is not a CA',
      { 'ca.crt': (await makeCertificate({ subject: 'CN=svc Demo CA', ca: false })).certificate.toString() },
      /not a CA certificate/,
    ],
    ['a CA of another name', caFiles(other), /common name of the CA is not svc Demo CA/],
    [
      'a CA of a longer name',
      caFiles(await makeCertificate({ subject: 'CN=svc Demo CA 2' })),
      /common name of the CA is not svc Demo CA/,
    ],
    [
      'a CA of that organization',
      caFiles(await makeCertificate({ subject: 'O=svc Demo CA' })),
      /common name of the CA is not svc Demo CA/,
    ],
    [
      'a demo CA that another one signed',
      caFiles(await makeCertificate({ subject: 'CN=svc Demo CA', issuer: other })),
      /is not self-signed/,
    ],
    [
      'a demo CA whose key is encrypted',
      { 'ca.crt': demo.certificate.toString(), 'ca.key': keyPem(demo.key, 'secret') },
      /the key is encrypted/,
    ],
  ]
  for (const [what, files, reason] of foreign) {
    t.test(`leaves ${what} unchanged and uses the next pair [PKI-9]`, async t => {
      const folder = temporaryFolder(t)
      write(folder, files)
      const pki = await load(folder)
      assertUnchanged(t, folder, { ...files, 'svc-demo-ca.crt': pki.caCertificate })
      t.equal(existsSync(join(folder, 'ca.crt')), 'ca.crt' in files)
      t.equal(existsSync(join(folder, 'ca.key')), 'ca.key' in files)
      t.equal(pki.warnings.length, 1)
      t.match(pki.warnings[0], reason)
      t.match(pki.warnings[0], join(folder, 'ca.crt'))
      t.equal((await load(folder)).caCertificate, pki.caCertificate, 'and finds it there again')
    })
  }

  t.test('leaves a folder in place of a file unchanged [PKI-9]', async t => {
    const folder = temporaryFolder(t)
    mkdirSync(join(folder, 'ca.crt'))
    write(folder, { 'svc-demo-ca.crt': demo.certificate.toString() })
    mkdirSync(join(folder, 'svc-demo-ca.key'))
    const pki = await load(folder)
    t.strictSame(Object.keys(snapshot(folder)), [
      'ca.crt',
      'server.crt',
      'server.key',
      'svc-demo-ca.crt',
      'svc-demo-ca.key',
    ])
    t.equal(snapshot(folder)['svc-demo-ca.crt'], demo.certificate.toString())
    t.match(pki.warnings, [
      /certificate cannot be read \(not a file\)/,
      /key cannot be read \(not a file\)/,
      /kept in memory/,
    ])
  })

  const broken: [string, Record<string, string>, RegExp][] = [
    ['without key', { 'ca.crt': demo.certificate.toString() }, /the key is missing/],
    [
      'with another key',
      { 'ca.crt': demo.certificate.toString(), 'ca.key': keyPem(other.key) },
      /key does not match the certificate/,
    ],
    [
      'with text for a key',
      { 'ca.crt': demo.certificate.toString(), 'ca.key': 'hello' },
      /key does not match the certificate/,
    ],
    ['that has expired', caFiles(await createAuthority(Date.now() - 4000 * dayMs)), /the certificate expired on/],
  ]
  for (const [what, files, reason] of broken) {
    t.test(`replaces a demo CA ${what} [PKI-10]`, async t => {
      const folder = temporaryFolder(t)
      write(folder, files)
      const pki = await load(folder)
      t.match(pki.warnings, [reason])
      t.equal(pki.warnings.length, 1)
      t.not(pki.caCertificate, files['ca.crt'])
      t.strictSame(Object.keys(snapshot(folder)), ['ca.crt', 'ca.key', 'server.crt', 'server.key'])
      t.equal((await load(folder)).caCertificate, pki.caCertificate)
    })
  }

  t.test('replaces nothing while the second pair is usable [PKI-10]', async t => {
    const folder = temporaryFolder(t)
    write(folder, {
      'ca.crt': (await createAuthority(Date.now())).certificate.toString(),
      ...caFiles(demo, 'svc-demo-ca'),
    })
    const before = snapshot(folder)
    const pki = await load(folder)
    t.equal(pki.caCertificate, demo.certificate.toString())
    assertUnchanged(t, folder, before)
    t.notOk(existsSync(join(folder, 'ca.key')))
  })

  t.test('keeps the CA in memory when both names are taken [PKI-11]', async t => {
    const folder = temporaryFolder(t)
    const files = { ...caFiles(other), ...caFiles(other, 'svc-demo-ca') }
    write(folder, files)
    const pki = await load(folder)
    assertUnchanged(t, folder, files)
    t.match(pki.warnings, [/ca\.crt/, /svc-demo-ca\.crt/, /both file names.*are taken.*memory/])
    t.ok(isIssuedBy(servedLeaf(t, pki), new X509Certificate(pki.caCertificate)))
    t.ok(isIssuedBy(new X509Certificate((await pki.client()).certificate), new X509Certificate(pki.caCertificate)))
  })

  t.test('keeps everything in memory when the folder cannot be made [PKI-11]', async t => {
    const folder = temporaryFolder(t)
    write(folder, { file: 'a file' })
    const notified: string[] = []
    const below = join(folder, 'file', 'certs')
    const pki = await loadPki({
      state: pkiState(),
      tlsCert: join(below, 'server.crt'),
      tlsKey: join(below, 'server.key'),
      warn: message => notified.push(message),
    })
    t.match(pki.warnings, [
      /cannot write .*ca\.crt.*ca\.key.*memory/,
      /cannot write .*server\.crt.*server\.key.*memory/,
    ])
    t.strictSame(notified, pki.warnings)
    t.strictSame(snapshot(folder), { file: 'a file' })
    t.ok(isIssuedBy(servedLeaf(t, pki), new X509Certificate(pki.caCertificate)))
  })

  t.test('leaves neither file of a pair if one cannot be written [PKI-12]', async t => {
    const folder = temporaryFolder(t)
    mkdirSync(join(folder, 'taken'))
    const pair = { certificate: 'C', key: 'K' }
    await t.rejects(writePair({ key: join(folder, 'a.key'), certificate: join(folder, 'taken') }, pair))
    await t.rejects(writePair({ key: join(folder, 'a.key'), certificate: join(folder, 'x'.repeat(300)) }, pair))
    await t.rejects(writePair({ key: join(folder, 'taken'), certificate: join(folder, 'a.crt') }, pair))
    t.strictSame(snapshot(folder), { taken: 'folder' })
  })
})

t.test('the files of the HTTPS listener', async t => {
  const own = await makeCertificate({ subject: 'CN=localhost', ca: false })
  const ownPair = { 'server.crt': own.certificate.toString(), 'server.key': keyPem(own.key) }
  const otherKey = keyPem((await makeCertificate({ subject: 'CN=x' })).key)

  t.test('creates and writes a pair of the demo CA if both files are missing, in any folder [PKI-13]', async t => {
    const folder = temporaryFolder(t)
    const pki = await load(folder, { key: 'keys/tls.key' })
    t.ok(isIssuedBy(servedLeaf(t, pki), new X509Certificate(pki.caCertificate)))
    t.strictSame(pki.server, {
      cert: readFileSync(join(folder, 'server.crt'), 'latin1'),
      key: readFileSync(join(folder, 'keys/tls.key'), 'latin1'),
    })
  })

  t.test('writes nothing if both paths are the same [PKI-13]', async t => {
    const folder = temporaryFolder(t)
    const pki = await load(folder, { cert: 'server.pem', key: './x/../server.pem' })
    t.match(pki.warnings, [/have the same path.*memory/])
    t.ok(servedLeaf(t, pki))
    t.notOk(existsSync(join(folder, 'server.pem')))
  })

  for (const name of ['server.crt', 'server.key'] as const) {
    t.test(`serves from memory if only ${name} exists [PKI-14]`, async t => {
      const folder = temporaryFolder(t)
      write(folder, { [name]: ownPair[name] })
      const pki = await load(folder)
      t.strictSame(Object.keys(snapshot(folder)), ['ca.crt', 'ca.key', name])
      t.equal(snapshot(folder)[name], ownPair[name])
      t.match(pki.warnings, [/found .*server\.\w+ but not .*server\.\w+.*memory/])
      t.ok(isIssuedBy(servedLeaf(t, pki), new X509Certificate(pki.caCertificate)))
    })
  }

  const stale: [string, (authority: CertificateAuthority) => Promise<Record<string, string>>][] = [
    [
      'of an older demo CA',
      async () => pairFiles(await issueServerCertificate(await createAuthority(Date.now()), Date.now())),
    ],
    [
      'of the demo CA that has expired',
      async authority => pairFiles(await issueServerCertificate(authority, Date.now() - 900 * dayMs)),
    ],
    [
      'of the demo CA that is not yet valid',
      async authority => pairFiles(await issueServerCertificate(authority, Date.now() + 3 * dayMs)),
    ],
    [
      'of an older demo CA with another key',
      async () => ({
        ...pairFiles(await issueServerCertificate(await createAuthority(Date.now()), Date.now())),
        'server.key': otherKey,
      }),
    ],
  ]
  for (const [what, files] of stale) {
    t.test(`replaces a pair ${what} [PKI-15]`, async t => {
      const folder = temporaryFolder(t)
      const authority = await createAuthority(Date.now())
      const before = await files(authority)
      write(folder, { ...caFiles(authority), ...before })
      const pki = await load(folder)
      t.ok(isIssuedBy(servedLeaf(t, pki), authority.certificate))
      t.not(readFileSync(join(folder, 'server.crt'), 'latin1'), before['server.crt'])
      t.strictSame(pki.server, {
        cert: readFileSync(join(folder, 'server.crt'), 'latin1'),
        key: readFileSync(join(folder, 'server.key'), 'latin1'),
      })
      t.strictSame(pki.warnings, [])
    })
  }

  t.test('replaces a stale pair in memory when it cannot be written [PKI-15]', async t => {
    const folder = temporaryFolder(t)
    const pair = await issueServerCertificate(await createAuthority(Date.now()), Date.now())
    // The file exists, but its name is too long to append the suffix of a temporary file.
    const long = 'x'.repeat(250)
    write(folder, { [long]: pair.certificate, 'server.key': pair.key })
    const pki = await load(folder, { cert: long })
    t.ok(isIssuedBy(servedLeaf(t, pki), new X509Certificate(pki.caCertificate)))
    assertUnchanged(t, folder, { [long]: pair.certificate, 'server.key': pair.key })
    t.match(pki.warnings, [/cannot write .*memory/])
  })

  const unusable: [string, Record<string, string>, RegExp][] = [
    ['with another key', { ...ownPair, 'server.key': otherKey }, /does not match the certificate/],
    ['whose certificate is text', { ...ownPair, 'server.crt': 'hello' }, /certificate cannot be parsed/],
    ['whose key is text', { ...ownPair, 'server.key': 'hello' }, /key cannot be parsed/],
    ['whose files are empty', { 'server.crt': '', 'server.key': '' }, /certificate cannot be parsed/],
    ['whose key is encrypted', { ...ownPair, 'server.key': keyPem(own.key, 'secret') }, /key is encrypted/],
    [
      'whose files are swapped',
      { 'server.crt': ownPair['server.key'], 'server.key': ownPair['server.crt'] },
      /certificate cannot be parsed/,
    ],
    [
      'whose chain is broken',
      {
        ...ownPair,
        'server.crt': `${ownPair['server.crt']}-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n`,
      },
      /cannot use/,
    ],
  ]
  for (const [what, files, reason] of unusable) {
    t.test(`rejects a pair ${what}, and leaves it unchanged [PKI-16]`, async t => {
      const folder = temporaryFolder(t)
      write(folder, files)
      const { server } = await load(folder)
      if (!('error' in server)) return t.fail('it is served')
      t.match(server.error, reason)
      t.match(server.error, join(folder, 'server.crt'))
      t.match(server.error, join(folder, 'server.key'))
      assertUnchanged(t, folder, files)
    })
  }

  t.test('rejects a folder in place of a file [PKI-16]', async t => {
    for (const name of ['server.crt', 'server.key'] as const) {
      const folder = temporaryFolder(t)
      write(folder, ownPair)
      rmSync(join(folder, name))
      mkdirSync(join(folder, name))
      t.match((await load(folder)).server, { error: /cannot be read \(not a file\)/ }, name)
    }
  })

  const longAgo = { notBefore: new Date('2019-01-01'), notAfter: new Date('2020-01-01') }
  const otherAuthority = await makeCertificate({ subject: 'CN=Other CA' })
  const chained = await makeCertificate({ subject: 'CN=localhost', ca: false, issuer: otherAuthority })
  const usedAsIs: [string, CertificateAuthority, string?][] = [
    ['a self-signed certificate', own],
    ['an RSA certificate', await makeCertificate({ subject: 'CN=localhost', ca: false, keyType: 'rsa' })],
    ['an expired certificate', await makeCertificate({ subject: 'CN=localhost', ca: false, ...longAgo })],
    ['a chain, leaf first', chained, chained.certificate.toString() + otherAuthority.certificate.toString()],
    [
      'a certificate named like the demo CA, of another issuer',
      await makeCertificate({ subject: 'CN=svc Demo CA', ca: false, issuer: otherAuthority }),
    ],
  ]
  for (const [what, { certificate, key }, text = certificate.toString()] of usedAsIs) {
    t.test(`serves ${what} as it is [PKI-17]`, async t => {
      const folder = temporaryFolder(t)
      const files = { 'server.crt': text, 'server.key': keyPem(key) }
      write(folder, files)
      const pki = await load(folder)
      t.strictSame(pki.server, { cert: files['server.crt'], key: files['server.key'] })
      assertUnchanged(t, folder, files)
      t.strictSame(pki.warnings, [])
    })
  }

  t.test('serves a file that contains certificate and key [PKI-17]', async t => {
    const folder = temporaryFolder(t)
    write(folder, { 'both.pem': ownPair['server.key'] + ownPair['server.crt'] })
    const pki = await load(folder, { cert: 'both.pem', key: 'both.pem' })
    t.equal(servedLeaf(t, pki).fingerprint256, own.certificate.fingerprint256)
  })
})

function pairFiles(pair: { certificate: string; key: string }): Record<'server.crt' | 'server.key', string> {
  return { 'server.crt': pair.certificate, 'server.key': pair.key }
}
