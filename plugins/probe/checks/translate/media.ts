/** Images and documents in conversations. */
import type { Difference, FilePart, ImagePart, Request } from '../../wires/types.ts'
import { isRecord } from 'svc/toolkit'
import { comparedAspect } from './compared.ts'
import { DONE, question, scene, textPart } from './scenes.ts'

/** One red pixel, and one blue pixel. */
const RED = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC'
const BLUE = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGNgYPgPAAEDAQAIicLsAAAAAElFTkSuQmCC'
const PDF = Buffer.from(
  '%PDF-1.4\n1 0 obj\n<</Type/Catalog/Pages 2 0 R>>\nendobj\n2 0 obj\n<</Type/Pages/Kids[3 0 R]/Count 1>>\nendobj\n' +
    '3 0 obj\n<</Type/Page/Parent 2 0 R/MediaBox[0 0 72 72]>>\nendobj\ntrailer\n<</Root 1 0 R>>\n%%EOF\n',
).toString('base64')

const image = (data: string): ImagePart => ({ type: 'image', mediaType: 'image/png', data, url: null, id: null })
const BY_URL: ImagePart = {
  type: 'image',
  mediaType: null,
  data: null,
  url: 'https://www.example.com/picture.png',
  id: null,
}
const DOCUMENT: FilePart = {
  type: 'file',
  mediaType: 'application/pdf',
  data: PDF,
  url: null,
  id: null,
  name: 'order.pdf',
}

const ask = (...parts: Request['turns'][number]['parts']): Request =>
  question('', { turns: [{ role: 'user', parts: [...parts, textPart('What do you see?')] }] })

export const MEDIA = comparedAspect({
  id: 'TRN-MEDIA',
  title: 'Images and documents',
  impact: 'high',
  request: isOfMedia,
  scenes: () => [
    scene('image', ask(image(RED)), DONE),
    scene('image-by-url', ask(BY_URL), DONE, { needs: ['image-url'] }),
    scene('two-images', ask(textPart('The first:'), image(RED), textPart('The second:'), image(BLUE)), DONE),
    scene('document', ask(DOCUMENT), DONE, { needs: ['files'] }),
  ],
})

/** Texts around them belong to another check. */
function isOfMedia({ path, sent, got }: Difference): boolean {
  const [, , , , , member] = path.split('/')
  if (member !== undefined) return ['data', 'url', 'id', 'mediaType', 'name'].includes(member)
  const isMedia = (value: unknown): boolean => isRecord(value) && (value.type === 'image' || value.type === 'file')
  return /^\/turns\/\d+\/parts\/\d+$/.test(path) && (isMedia(sent) || isMedia(got) || typeof sent === 'string')
}
