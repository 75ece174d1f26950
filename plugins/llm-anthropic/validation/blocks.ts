/** Messages and their blocks: members, types, texts, marks of the cache and images. */
import { isRecord } from 'svc/toolkit'
import type { CheckedRequest, Report } from '../../llm/types.ts'
import { BLOCK_MEMBERS, BLOCK_TYPES, CACHE_MEMBERS, MESSAGE_MEMBERS } from './known-names.ts'
import { checkMembers, type Body } from './members.ts'

const MAX_MARKS = 4
const MAX_IMAGE = 10 * 1024 * 1024
/** Base64 characters that are decoded to see what an image is. */
const HEAD_CHARACTERS = 32

/** The beginnings of images, by their type. */
const BEGINNINGS: readonly [type: string, isIt: (bytes: Buffer) => boolean][] = [
  ['image/png', bytes => bytes.subarray(0, 4).equals(Buffer.of(0x89, 0x50, 0x4e, 0x47))],
  ['image/jpeg', bytes => bytes[0] === 0xff && bytes[1] === 0xd8 && bytes[2] === 0xff],
  ['image/gif', bytes => bytes.toString('latin1', 0, 4) === 'GIF8'],
  ['image/webp', bytes => bytes.toString('latin1', 0, 4) === 'RIFF' && bytes.toString('latin1', 8, 12) === 'WEBP'],
]
const IMAGES = new Set(BEGINNINGS.map(([type]) => type))

/** A block, or a tool, that can have `cache_control`. */
interface Marked {
  block: Body
  at: string
}

export function checkBlocks(request: CheckedRequest, report: Report): void {
  const { tools, system, messages } = request.body
  const marked: Marked[] = []
  const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])
  for (const [index, tool] of list(tools).entries())
    if (isRecord(tool)) marked.push({ block: tool, at: `tools.${index}` })
  for (const [index, block] of list(system).entries())
    if (isRecord(block)) marked.push({ block, at: `system.${index}` })
  const all = list(messages)
  all.forEach((message, index) => {
    if (!isRecord(message)) return
    checkMessage(message, { index, isLast: index === all.length - 1 }, request, report)
    list(message.content).forEach((block, place) => {
      if (!isRecord(block)) return
      const at = `messages.${index}.content.${place}`
      checkBlock(block, at, request, report)
      for (const [inner, part] of list(block.content).entries())
        if (isRecord(part)) marked.push({ block: part, at: `${at}.content.${inner}` })
      marked.push({ block, at })
    })
  })
  checkMarks(marked, request, report)
}

function checkMessage(
  message: Body,
  { index, isLast }: { index: number; isLast: boolean },
  request: CheckedRequest,
  report: Report,
): void {
  const { content, role } = message
  const at = `messages.${index}`
  checkMembers(message, MESSAGE_MEMBERS, at, request, report)
  const isEmpty = content === '' || (Array.isArray(content) && content.length === 0)
  if (isEmpty && !(isLast && role === 'assistant')) report('anthropic.content-empty', at)
  if (typeof content === 'string' && content !== '' && isBlank(content)) report('anthropic.text-blank', at)
}

function checkBlock(block: Body, at: string, request: CheckedRequest, report: Report): void {
  const { type } = block
  if (typeof type !== 'string') return
  if (!BLOCK_TYPES.has(type)) return report('anthropic.block-type', at, { type })
  const known = Object.hasOwn(BLOCK_MEMBERS, type) ? BLOCK_MEMBERS[type]! : null
  const isThinking = type === 'thinking' || type === 'redacted_thinking'
  if (known !== null) {
    const { cache_control: mark, ...rest } = block
    checkMembers(isThinking ? rest : block, known, `${at}.${type}`, request, report)
    if (isThinking && mark !== undefined) report('anthropic.cache-place', `${at}.${type}`, { form: 'thinking' })
  }
  if (type === 'text' && typeof block.text === 'string') checkText(block, block.text, at, report)
  if (type === 'tool_use' && block.input !== undefined && !isRecord(block.input)) report('anthropic.use-input', at)
  if (type === 'image' && isRecord(block.source) && block.source.type === 'base64') checkImage(block.source, at, report)
}

function checkText(block: Body, text: string, at: string, report: Report): void {
  if (text !== '') return isBlank(text) ? report('anthropic.text-blank', at) : undefined
  if (block.cache_control == null) report('anthropic.text-empty', at)
  else report('anthropic.cache-place', at)
}

function isBlank(text: string): boolean {
  return text.trimStart() === ''
}

function checkImage({ media_type: type, data }: Body, at: string, report: Report): void {
  if (typeof type !== 'string' || !IMAGES.has(type)) return report('anthropic.image-media', at)
  if (typeof data !== 'string') return
  const bytes = Buffer.from(data.slice(0, HEAD_CHARACTERS), 'base64')
  const actual = BEGINNINGS.find(([, isIt]) => isIt(bytes))?.[0]
  if (actual !== undefined && actual !== type) report('anthropic.image-mismatch', at, { media_type: type, actual })
  const size = Math.floor((data.length * 3) / 4)
  if (size > MAX_IMAGE) report('anthropic.image-size', at, { n: size })
}

function checkMarks(blocks: readonly Marked[], request: CheckedRequest, report: Report): void {
  let count = 0
  let hasShort = false
  for (const { block, at } of blocks) {
    const mark = block.cache_control
    if (!isRecord(mark) || block.type === 'thinking' || block.type === 'redacted_thinking') continue
    count++
    checkMembers(mark, CACHE_MEMBERS, `${at}.cache_control.ephemeral`, request, report)
    if (mark.ttl === '1h' && hasShort) report('anthropic.cache-order', at)
    if (mark.ttl !== '1h') hasShort = true
  }
  if (count > MAX_MARKS) report('anthropic.cache-count', 'messages', { n: count })
}
