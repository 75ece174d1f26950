/** `/image`: the images of the instance. */
import type { Call } from '../call.ts'
import { Failure, NoSuchPath } from '../failure.ts'
import type { Operation } from '../operation.ts'
import { sendNotAcceptable } from './status.ts'
import { HTTPBIN_IMAGE, HTTPBIN_IMAGE_2 } from '../replies.ts'

/** Images by media type. */
export type Images = Readonly<Record<string, Buffer>>

const FORMATS: ReadonlyMap<string, string> = new Map([
  ['png', 'image/png'],
  ['jpeg', 'image/jpeg'],
  ['webp', 'image/webp'],
  ['svg', 'image/svg+xml'],
])
const HTTPBIN_ORDER = ['image/webp', 'image/svg+xml', 'image/jpeg', 'image/png']
const GO_ORDER = ['image/png', 'image/webp', 'image/svg+xml', 'image/jpeg']

/** The first format that is named; the originals ignore weights. */
function chooseType(call: Call): string | null {
  const accept = call.header('accept')
  if (accept === undefined || (call.isGo && accept === '')) return 'image/png'
  const accepted = accept.toLowerCase()
  if (call.isGo && accepted.includes('image/*')) return 'image/png'
  const named = (call.isGo ? GO_ORDER : HTTPBIN_ORDER).find(type => accepted.includes(type))
  return named ?? (accepted.includes('image/*') ? 'image/png' : null)
}

/** Empty without the plugin that has the images. */
export function imageOperations(images: Images | undefined): Operation[] {
  if (images === undefined) return []
  const send = (call: Call, type: string): unknown => call.send(type, images[type]!)
  return [
    {
      path: '/image',
      summary: 'An image in the accepted format',
      reply: HTTPBIN_IMAGE,
      parameters: [{ name: 'Accept', in: 'header', schema: { type: 'string' } }],
      examples: [{ name: 'WebP', path: '/image', headers: [{ name: 'Accept', value: 'image/webp' }] }],
      handle(call) {
        const type = chooseType(call)
        if (type !== null) return send(call, type)
        if (call.isGo) throw new Failure(415)
        return sendNotAcceptable(call)
      },
    },
    {
      path: '/image/{format}',
      summary: 'An image in a format: png, jpeg, webp or svg',
      reply: HTTPBIN_IMAGE_2,
      examples: [{ name: 'PNG', path: '/image/png' }],
      handle(call) {
        const type = FORMATS.get(call.parameter('format'))
        if (type !== undefined) return send(call, type)
        if (call.isGo) throw new Failure(404)
        throw new NoSuchPath()
      },
    },
  ]
}
