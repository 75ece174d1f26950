/** The plugin `transfer`: bodies that are compressed, encoded, streamed or slow. */
import { definePlugin } from 'svc/plugin'
import { makeBytes } from './random-bytes.ts'
import { registerBase64 } from './routes/base64.ts'
import { registerBytes } from './routes/bytes.ts'
import { registerCompression } from './routes/compression.ts'
import { registerDigest } from './routes/digest.ts'
import { registerDrip } from './routes/drip.ts'
import { registerEarlyHints } from './routes/early-hints.ts'
import { registerLines } from './routes/lines.ts'
import { registerLinks } from './routes/links.ts'
import { registerTrailers } from './routes/trailers.ts'
import { registerUtf8 } from './routes/utf8.ts'
import type {} from './types.ts'
import { UTF8_PAGE } from './utf8-page.ts'

export default definePlugin({
  title: 'Transfer',
  description: 'Compressed, encoded, streamed and slow bodies, random bytes, and pages of links.',
  paths: [
    '/gzip',
    '/deflate',
    '/brotli',
    '/zstd',
    '/encoding',
    '/bytes',
    '/stream-bytes',
    '/stream',
    '/drip',
    '/links',
    '/base64',
    '/digest',
    '/trailers',
    '/early-hints',
  ],
  categories: [{ name: 'Response Shaping', rank: 30 }],
  register(app, svc) {
    svc.offer('transfer.content', { utf8Page: Buffer.from(UTF8_PAGE), makeBytes })
    registerCompression(app, svc)
    registerUtf8(app)
    registerBytes(app, svc)
    registerLines(app, svc)
    registerDrip(app, svc)
    registerLinks(app, svc)
    registerBase64(app)
    registerDigest(app)
    registerTrailers(app, svc)
    registerEarlyHints(app, svc)
  },
})
