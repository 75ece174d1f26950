/** What the product is measured against: `node:http` and Fastify doing the same work with nothing around it. */
import Fastify from 'fastify'
import { createServer } from 'node:http'
import type { IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'

/** The fields of an echo record, as a plain server would make them. */
function echo(method: string, url: string, rawHeaders: string[], requestHeaders: IncomingHttpHeaders, ip: string, body: string): object {
  const [path = '', query = ''] = url.split('?')
  const headers: Record<string, string[]> = {}
  for (let index = 0; index < rawHeaders.length; index += 2) (headers[rawHeaders[index]!.toLowerCase()] ??= []).push(rawHeaders[index + 1]!)
  return {
    method, url: `http://${requestHeaders.host}${url}`, path, path_info: path.split('/').filter(Boolean), query_string: query,
    query_params: Object.fromEntries(new URLSearchParams(query)), headers, host: requestHeaders.host, port: 80, scheme: 'http', remote_ip: ip,
    body: { present: body !== '', included: true, body, bytes: body.length, truncated: false, utf8: true, reason: null }, timestamp_unix_ms: Date.now(),
  }
}

const kind = process.argv[2]
if (kind === 'node') {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', chunk => chunks.push(chunk)).on('end', () => {
      const text = JSON.stringify(echo(request.method!, request.url!, request.rawHeaders, request.headers, request.socket.remoteAddress!, Buffer.concat(chunks).toString()))
      response.writeHead(200, { 'Content-Type': 'application/json; charset=utf-8', 'Content-Length': Buffer.byteLength(text) }).end(text)
    })
  })
  server.listen(0, '127.0.0.1', () => process.stdout.write(`HTTP listening on 127.0.0.1:${(server.address() as AddressInfo).port}\n`))
} else {
  const app = Fastify()
  app.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => done(null, body))
  app.all('/echo', (request, reply) => reply.send(echo(request.method, request.url, request.raw.rawHeaders, request.headers, request.ip, (request.body as string | undefined) ?? '')))
  await app.listen({ port: 0, host: '127.0.0.1' })
  process.stdout.write(`HTTP listening on 127.0.0.1:${(app.server.address() as AddressInfo).port}\n`)
}
