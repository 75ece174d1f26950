/** Content codings that are removed at once, as from answers to our own requests. */
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import t from 'tap'
import { decodeContent, decodeContentSync } from '../../../core/toolkit/content-coding.ts'

const TEXT = Buffer.from('text '.repeat(1000))
const limit = TEXT.length

t.test('content is decoded at once as it is decoded in pieces [BODY-1]', async t => {
  const rows: [field: string | undefined, body: Buffer][] = [
    [undefined, TEXT],
    ['identity', TEXT],
    ['X-Gzip', gzipSync(TEXT)],
    ['deflate', deflateSync(TEXT)],
    ['deflate', deflateRawSync(TEXT)],
    ['gzip, br', brotliCompressSync(gzipSync(TEXT))],
  ]
  for (const [field, body] of rows) {
    t.ok(decodeContentSync(body, field, { limit }).equals(TEXT), String(field))
    t.ok((await decodeContent(body, field, { limit })).equals(TEXT), String(field))
  }
})

t.test('both refuse the same, with the same message', async t => {
  const rows: [field: string, body: Buffer, status: number][] = [
    ['foo', TEXT, 415],
    ['gzip, gzip, gzip, gzip, gzip', TEXT, 415],
    ['gzip', TEXT, 400],
    ['br', gzipSync(TEXT), 400],
    ['gzip', gzipSync(Buffer.concat([TEXT, TEXT])), 413],
  ]
  for (const [field, body, statusCode] of rows) {
    const refused = await decodeContent(body, field, { limit }).then(
      () => null,
      (error: Error) => error,
    )
    t.match(refused, { statusCode })
    t.throws(() => decodeContentSync(body, field, { limit }), { statusCode, message: refused!.message })
  }
})
