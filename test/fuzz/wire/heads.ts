/** Request heads as bytes on a socket. */
import type { Family, Finding } from '../engine.ts'
import { mutateBytes } from '../mutate.ts'
import { sendRaw, type Target } from './server.ts'

const SEEDS = [
  'GET /echo?a=1 HTTP/1.1\r\nHost: a.example\r\nAccept: application/json\r\nConnection: close\r\n\r\n',
  'POST /echo HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 7\r\n\r\n{"a":1}',
  'POST /anything/x HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5;ext=1\r\nhello\r\n0\r\nTrailer: x\r\n\r\n',
  'GET http://a.example/range/50 HTTP/1.1\r\nHost: a.example\r\nRange: bytes=0-9\r\nIf-Range: "x"\r\nCookie: a=b; c=d\r\n\r\n',
  'HEAD /cache/60 HTTP/1.0\r\nIf-Modified-Since: Sun, 06 Nov 1994 08:49:37 GMT\r\n\r\n',
  'OPTIONS * HTTP/1.1\r\nHost: a\r\nOrigin: http://b\r\nAccess-Control-Request-Method: PUT\r\n\r\n',
  'GET /ws HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n',
  'POST /echo HTTP/1.1\r\nHost: a\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\nConnection: Upgrade, HTTP2-Settings\r\nContent-Length: 3\r\n\r\nabc',
  'POST /echo HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\nabcGET /ip HTTP/1.1\r\nHost: a\r\n\r\n',
  'CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\n',
  'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
].map(text => Buffer.from(text, 'latin1'))
const WORDS = [
  '\r\n',
  '\n',
  '\r',
  '\r\n\r\n',
  ' HTTP/1.1',
  'Host: b\r\n',
  'Content-Length: 5\r\n',
  'Transfer-Encoding: chunked\r\n',
  'Connection: ',
  'close',
  'Upgrade',
  ': ',
  '0\r\n\r\n',
  'ffffffff\r\n',
  'GET ',
  '/_svc/config',
  '%2e%2e/',
  '\t',
  'X: y\r\n',
  'Expect: 100-continue\r\n',
]

export function rawHeads(target: Target, slice: number): Family<Buffer> {
  return {
    name: 'request heads',
    seeds: SEEDS,
    slice,
    inFlight: 16,
    mutate: (random, seed) => mutateBytes(random, seed, WORDS, random.pick(SEEDS)),
    run: async bytes => judge(await sendRaw(target.server.ports.http!, bytes)),
  }
}

/** Every response has a valid status line; none is a 5xx. */
function judge(text: string): Finding {
  if (text === '') return null
  if (!/^HTTP\/1\.1 [1-5]\d\d /.test(text)) return `not a valid response: ${text.slice(0, 100)}`
  const failed = /^HTTP\/1\.1 5\d\d [^]{0,600}/m.exec(text)
  return failed === null || /x-svc-fault/i.test(failed[0]) ? null : failed[0]
}
