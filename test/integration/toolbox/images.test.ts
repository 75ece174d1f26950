/** Images, checked with independent decoders. */
import { createRequire } from 'node:module'
import t from 'tap'
import { XMLParser, XMLValidator } from 'fast-xml-parser'
import { PNG } from 'pngjs'
import { send } from '../../support/request.ts'
import { serve } from '../../support/server.ts'

interface Size {
  width: number
  height: number
}
/** The decoders have no types. */
const require = createRequire(import.meta.url)
const jpeg = require('jpeg-js') as { decode(bytes: Buffer): Size & { data: Buffer } }
const { GifReader } = require('omggif') as {
  GifReader: new (
    bytes: Buffer,
  ) => Size & { numFrames(): number; decodeAndBlitFrameRGBA(frame: number, pixels: Uint8Array): void }
}
const webp = require('@cwasm/webp') as { decode(bytes: Buffer): Size & { data: Uint8ClampedArray } }

const { url } = await serve(t)

/** Colors among RGBA pixels. */
function countColors(pixels: ArrayLike<number>): number {
  const colors = new Set<number>()
  for (let at = 0; at < pixels.length; at += 4)
    colors.add((pixels[at]! << 16) | (pixels[at + 1]! << 8) | pixels[at + 2]!)
  return colors.size
}

function decodeGif(bytes: Buffer): Size & { data: Uint8Array } {
  const reader = new GifReader(bytes)
  const data = new Uint8Array(reader.width * reader.height * 4)
  reader.decodeAndBlitFrameRGBA(0, data)
  return { width: reader.width, height: reader.height, data }
}

t.test('each image decodes to its size and is not blank [IMAGE-1, TOOL-3, TOOL-5]', async t => {
  const rows: [
    path: string,
    type: string,
    size: number,
    decode: (bytes: Buffer) => Size & { data: ArrayLike<number> },
  ][] = [
    ['/image/png', 'image/png', 16, bytes => PNG.sync.read(bytes)],
    ['/image/jpeg', 'image/jpeg', 8, bytes => jpeg.decode(bytes)],
    ['/image/gif', 'image/gif', 8, decodeGif],
    ['/image/webp', 'image/webp', 8, bytes => webp.decode(bytes)],
  ]
  for (const [path, type, size, decode] of rows) {
    const reply = await send(url, path, { headers: { Accept: 'text/html' } })
    t.match(
      reply,
      { status: 200, headers: { 'content-type': type, 'content-length': String(reply.body.length) } },
      path,
    )
    const { width, height, data } = decode(reply.body)
    t.same([width, height, data.length], [size, size, size * size * 4], `${path} is ${size} by ${size}`)
    t.ok(countColors(data) > 1, `${path} is more than one color`)
    t.ok((await send(url, path)).body.equals(reply.body), `${path}: the same bytes again`)
    t.match(await send(url, path, { method: 'HEAD' }), {
      status: 200,
      text: '',
      headers: { 'content-type': type, 'content-length': String(reply.body.length) },
    })
    t.equal((await send(url, path, { method: 'POST' })).status, 405)
  }
})

t.test('the SVG is a well-formed document without script [IMAGE-1]', async t => {
  const { headers, text } = await send(url, '/image/svg')
  t.equal(headers['content-type'], 'image/svg+xml')
  t.equal(XMLValidator.validate(text), true)
  const { svg } = new XMLParser({ ignoreAttributes: false }).parse(text) as { svg: Record<string, unknown> }
  t.match(svg, { '@_xmlns': 'http://www.w3.org/2000/svg', '@_width': /^\d+$/, '@_height': /^\d+$/ })
  t.notMatch(text, /script|on\w+=/i)
})

t.test('Accept selects the format [IMAGE-2]', async t => {
  const rows: [accept: string | undefined, type: string][] = [
    [undefined, 'image/png'],
    ['', 'image/png'],
    [' ', 'image/png'],
    ['*/*', 'image/webp'],
    ['image/*', 'image/webp'],
    ['image/png', 'image/png'],
    ['image/jpeg', 'image/jpeg'],
    ['image/jpg', 'image/jpeg'],
    ['IMAGE/JPG;q=0.1', 'image/jpeg'],
    ['image/gif', 'image/gif'],
    ['image/svg+xml', 'image/svg+xml'],
    ['image/webp', 'image/webp'],
    ['image/webp;q=0, image/*', 'image/svg+xml'],
    ['image/png, image/jpeg', 'image/jpeg'],
    ['image/gif, image/png', 'image/png'],
    ['image/png;q=0.9, image/jpeg;q=0.8', 'image/png'],
    ['image/*;q=0.5, image/gif', 'image/gif'],
    ['image/*, image/webp;q=0.1', 'image/svg+xml'],
    ['image/jpeg;q=0, image/jpg', 'image/jpeg'],
    ['*/*;q=0.1, image/png;q=0.2', 'image/png'],
    ['text/html, image/gif;q=0.001', 'image/gif'],
    ['image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8', 'image/webp'],
    ['image/png;q=x, image/gif', 'image/gif'],
    [`${Array(60).fill('text/x').join(',')},image/gif`, 'image/gif'],
  ]
  for (const [accept, type] of rows) {
    const reply = await send(url, '/image', { headers: accept === undefined ? {} : { Accept: accept } })
    t.match(reply, { status: 200, headers: { 'content-type': type, vary: 'Accept' } }, String(accept).slice(0, 60))
  }
})

t.test('lists the formats if none is acceptable [IMAGE-2]', async t => {
  for (const accept of [
    'text/html',
    'application/json',
    'image/avif',
    'image/*;q=0',
    '*/*;q=0',
    'image/png;q=0',
    ';;;',
    'image',
    ',',
    'image/png;q=x',
    'image/jpg2',
    '__proto__',
  ]) {
    const reply = await send(url, '/image', { headers: { Accept: accept } })
    t.match(reply, { status: 406, headers: { vary: 'Accept', 'content-type': /^application\/json/ } }, accept)
    t.match(reply.json(), { error: 'not_acceptable', details: String })
    t.strictSame(reply.json().supported, ['image/webp', 'image/svg+xml', 'image/jpeg', 'image/png', 'image/gif'])
  }
  t.match(await send(url, '/image', { method: 'HEAD', headers: { Accept: 'text/html' } }), { status: 406, text: '' })
  for (const path of ['/image/jpg', '/image/avif', '/image/', '/image/PNG'])
    t.equal((await send(url, path)).status, 404, path)
})
