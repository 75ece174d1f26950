/** Clients that people have, unmodified, against what every route shares. */
import t from 'tap'
import axios from 'axios'
import { execFile } from 'node:child_process'
import got from 'got'
import { request as httpsRequest } from 'node:https'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import SwaggerParser from 'swagger-parser'
import { Agent, Pool, fetch as undiciFetch } from 'undici'
import { XMLParser } from 'fast-xml-parser'
import { serve } from '../support/server.ts'

/** Output of a program; null where there is none on this machine. */
function run(program: string, args: string[]): Promise<string | null> {
  return new Promise((resolve, reject) => {
    execFile(program, args, { timeout: 20_000 }, (error, stdout, stderr) => {
      if (error?.code === 'ENOENT') resolve(null)
      else if (error) reject(new Error(`${program}: ${stderr || error.message}`))
      else resolve(stdout)
    })
  })
}

t.test('axios, got and an undici pool read answers and errors [CLIENT-1]', async t => {
  const server = await serve(t)
  t.equal((await axios.post(`${server.url}/echo`, { a: 1 })).data.body.body, '{"a":1}')
  await t.rejects(axios.get(`${server.url}/echo`, { headers: { 'X-Svc-Fail': '503' } }), { message: /503/ })
  t.equal((await got(`${server.url}/echo?x=1`).json<{ query_string: string }>()).query_string, 'x=1')
  const pool = new Pool(server.url, { connections: 4, pipelining: 1 })
  t.teardown(() => pool.close())
  const answers = await Promise.all(
    Array.from({ length: 50 }, async () => {
      const { statusCode, body } = await pool.request({ path: '/echo', method: 'POST', body: 'x' })
      await body.dump()
      return statusCode
    }),
  )
  t.ok(answers.every(status => status === 200))
})

t.test('TLS clients with the demo CA and the demo client certificate are let in [CLIENT-2]', async t => {
  const server = await serve(t)
  const ca = readFileSync(join(server.folder, 'certs', 'ca.crt'), 'utf8')
  const dispatcher = new Agent({ connect: { ca } })
  t.teardown(() => dispatcher.close())
  t.match(await (await undiciFetch(`${server.httpsUrl}/echo`, { dispatcher })).json(), { scheme: 'https' })
  const status = await new Promise((resolve, reject) => {
    httpsRequest(`${server.httpsUrl}/identity`, { ca }, response => {
      response.resume()
      resolve(response.statusCode)
    })
      .on('error', reject)
      .end()
  })
  t.equal(status, 200)
})

t.test('curl gets through with every option that matters [CLIENT-3]', async t => {
  const server = await serve(t)
  const file = join(server.folder, 'upload')
  writeFileSync(file, Buffer.alloc(200_000, 'x'))
  const rows: [string[], RegExp][] = [
    [['-s', `${server.url}/echo?x=1`], /"query_string":"x=1"/],
    [['-s', '--http1.0', `${server.url}/echo`], /"method":"GET"/],
    [['-s', '--http2', '-d', 'hi', `${server.url}/echo`], /"body":"hi"/],
    [['-s', '-H', 'Expect: 100-continue', '--data-binary', `@${file}`, `${server.url}/echo`], /"bytes":200000/],
    [['-s', '-T', file, '-H', 'Transfer-Encoding: chunked', `${server.url}/echo`], /"method":"PUT"/],
    [['-s', '-H', 'Accept: application/xml', `${server.url}/echo`], /<response>/],
    [['-sI', `${server.url}/echo`], /200 OK/],
    [
      [
        '-s',
        '--cacert',
        join(server.folder, 'certs', 'ca.crt'),
        '--resolve',
        `localhost:${server.ports.https}:127.0.0.1`,
        `${server.httpsUrl}/echo`,
      ],
      /"scheme":"https"/,
    ],
  ]
  for (const [args, expected] of rows) {
    const output = await run('curl', args)
    if (output === null) return t.comment('no curl on this machine: not tried')
    t.match(output, expected, args.join(' '))
  }
})

t.test('an XML parser reads the XML form of hostile keys, a validator the OpenAPI document [CLIENT-4]', async t => {
  const server = await serve(t)
  const text = await (
    await fetch(`${server.url}/echo?1a=x&a%20b=%3C%26%3E&after:3=%00%01&x!y=%22`, {
      headers: { Accept: 'application/xml' },
    })
  ).text()
  const parsed = new XMLParser({ ignoreAttributes: false }).parse(text, true) as {
    response: { query_params: { entry: { '@_key': string }[] } }
  }
  t.strictSame(
    parsed.response.query_params.entry.map(entry => entry['@_key']),
    ['1a', 'a b', 'after:3', 'x!y'],
  )
  await SwaggerParser.validate((await (await fetch(`${server.url}/openapi.json`)).json()) as never)
})

t.test('Python verifies the chain strictly where it is there [CLIENT-5]', async t => {
  const server = await serve(t)
  const script = `
import ssl, socket, sys
context = ssl.create_default_context(cafile=sys.argv[1])
context.verify_flags |= ssl.VERIFY_X509_STRICT
with socket.create_connection(('127.0.0.1', int(sys.argv[2]))) as plain:
    with context.wrap_socket(plain, server_hostname='localhost') as tls: print(tls.version())`
  const output = await run('python3', [
    '-c',
    script,
    join(server.folder, 'certs', 'ca.crt'),
    String(server.ports.https),
  ])
  if (output === null) return t.comment('no Python on this machine: not tried')
  t.match(output, /^TLSv1\.[23]/)
})
