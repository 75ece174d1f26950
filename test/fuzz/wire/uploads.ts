/** Bodies that are decompressed or split before they are checked: document uploads, multipart forms. */
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import type { AnyFamily, Family } from '../engine.ts'
import { mutateBytes, mutateText } from '../mutate.ts'
import type { HttpInput, Target } from './server.ts'

const DOCUMENT = JSON.stringify({
  openapi: '3.1.0',
  info: { title: 'x', version: '1' },
  paths: { '/a': { get: { responses: { 200: { description: 'ok' } } } } },
})
const UPLOADS: HttpInput[] = Object.entries({
  gzip: gzipSync(DOCUMENT),
  deflate: deflateSync(DOCUMENT),
  br: brotliCompressSync(DOCUMENT),
  'x-gzip': gzipSync('{"spec":{}}'),
}).map(([coding, body]) => ({
  method: 'POST',
  path: '/_svc/mocks/check',
  headers: { 'content-encoding': coding, 'content-type': 'application/json' },
  body,
}))
const FORM =
  '--svc\r\nContent-Disposition: form-data; name="file"; filename="a.wav"\r\nContent-Type: audio/wav\r\n\r\nRIFF\r\n--svc\r\nContent-Disposition: form-data; name="model"\r\n\r\nx\r\n--svc--\r\n'
const FORMS: HttpInput[] = [
  '/ai/v1/audio/transcriptions',
  '/ai/openai/v1/audio/translations',
  '/mock/petstore/pets',
].map(path => ({
  method: 'POST',
  path,
  headers: { 'content-type': 'multipart/form-data; boundary=svc' },
  body: Buffer.from(FORM),
}))
const FORM_WORDS = [
  '--svc',
  '--svc--',
  '\r\n',
  '\r\n\r\n',
  'name="',
  "filename*=UTF-8''%",
  'Content-Disposition: form-data; ',
  ';',
  '"',
  'Content-Transfer-Encoding: base64\r\n',
]

export function uploads(target: Target, slice: number): AnyFamily[] {
  const compressed: Family<HttpInput> = {
    name: 'compressed uploads',
    seeds: UPLOADS,
    slice,
    inFlight: 6,
    run: input => target.send(input),
    mutate: (random, seed) => ({ ...seed, body: mutateBytes(random, seed.body as Buffer) }),
  }
  const forms: Family<HttpInput> = {
    name: 'multipart uploads',
    seeds: FORMS,
    slice,
    inFlight: 6,
    run: input => target.send(input),
    mutate: (random, seed) => ({
      ...seed,
      headers: random.oneIn(4)
        ? {
            'content-type': mutateText(random, seed.headers['content-type']!, [
              ';',
              'boundary=',
              '"',
              ' ',
              'svc',
            ]).replace(/[^\x20-\x7e]/g, '?'),
          }
        : seed.headers,
      body: mutateBytes(random, seed.body as Buffer, FORM_WORDS),
    }),
  }
  return [compressed, forms]
}
