/** Files: `/v1/files`. */
import type { DocumentFacts, Documents, Engine, HandlerRoute, RouteInput } from '../llm/types.ts'
import { describeRoute } from './message-batches.ts'
import { readLimit } from './page.ts'

export const FILE_KIND = 'file'
const UNKNOWN = `file_${'0'.repeat(24)}`
const MIN_SECONDS = 3600
const MAX_SECONDS = 7_776_000

export function fileRoutes(engine: Engine, documents: Documents): HandlerRoute[] {
  const find = async (input: RouteInput): Promise<DocumentFacts> => {
    const id = input.params.file_id ?? ''
    const found = await documents.get(input, FILE_KIND, id)
    if (found === undefined) throw unknownFile(engine, id)
    return found
  }
  return [
    {
      method: 'POST',
      path: '/v1/files',
      op: 'other',
      describe: {
        summary: 'upload a file',
        requestBody: {
          required: true,
          content: {
            'multipart/form-data': {
              type: 'object',
              properties: { file: { type: 'string', format: 'binary' }, expires_in_seconds: { type: 'integer' } },
              required: ['file'],
            },
          },
        },
        examples: [
          {
            name: 'A few bytes',
            method: 'POST',
            path: '/ai/anthropic/v1/files',
            headers: [
              { name: 'anthropic-version', value: '2023-06-01' },
              { name: 'Content-Type', value: 'multipart/form-data; boundary=svc' },
            ],
            body: '--svc\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\nContent-Type: text/plain\r\n\r\nhello\r\n--svc--\r\n',
            bodyType: null,
            expectStatus: 200,
          },
        ],
      },
      async handle(input) {
        const form = await engine.readForm(input)
        const file = form.get('file')
        if (file === null || typeof file === 'string') throw engine.badInput('file: Field required')
        const given = form.get('expires_in_seconds')
        const seconds = typeof given === 'string' && /^\d{1,9}$/.test(given) ? Number(given) : 0
        if (given !== null && (seconds < MIN_SECONDS || seconds > MAX_SECONDS))
          throw engine.badInput(`expires_in_seconds: Input should be between ${MIN_SECONDS} and ${MAX_SECONDS}`)
        const stored = await documents.put(input, {
          kind: FILE_KIND,
          id: `file_${engine.randomId(24)}`,
          name: file.name,
          type: file.type === '' ? 'application/octet-stream' : file.type,
          content: Buffer.from(await file.arrayBuffer()),
          ...(given === null ? {} : { ttlMs: seconds * 1000 }),
        })
        if (stored === undefined)
          throw engine.badInput(`File exceeds the maximum size of ${documents.maxBytes} bytes`, {
            status: 413,
            kind: 'too_large',
          })
        return { body: show(stored) }
      },
    },
    {
      method: 'GET',
      path: '/v1/files',
      op: 'other',
      describe: describeRoute('GET', '/v1/files', 'list files', 'All files', 200),
      async handle(input) {
        const { query } = input
        const limit = readLimit(engine, query.get('limit'))
        const ids = query.getAll('ids').concat(query.getAll('ids[]'))
        const files = (await documents.list(input, FILE_KIND)).toReversed()
        const wanted = ids.length === 0 ? files : files.filter(({ id }) => ids.includes(id))
        const after = query.get('page') ?? query.get('after_id')
        const before = query.get('before_id')
        const place = wanted.findIndex(({ id }) => id === (after ?? before))
        if ((after ?? before) !== null && place < 0) throw engine.badInput('page: Invalid page token')
        const start = after !== null ? place + 1 : before !== null ? Math.max(0, place - limit) : 0
        const end = after === null && before !== null ? place : start + limit
        const page = wanted.slice(start, end)
        const hasMore = end < wanted.length
        return {
          body: {
            data: page.map(show),
            next_page: hasMore ? (page.at(-1)?.id ?? null) : null,
            has_more: hasMore,
            first_id: page[0]?.id ?? null,
            last_id: page.at(-1)?.id ?? null,
          },
        }
      },
    },
    {
      method: 'GET',
      path: '/v1/files/{file_id}',
      op: 'other',
      describe: describeRoute('GET', `/v1/files/${UNKNOWN}`, 'get the metadata of a file', 'Unknown id', 404),
      handle: async input => ({ body: show(await find(input)) }),
    },
    {
      method: 'GET',
      path: '/v1/files/{file_id}/content',
      op: 'other',
      describe: describeRoute('GET', `/v1/files/${UNKNOWN}/content`, 'get the content of a file', 'Unknown id', 404),
      async handle(input) {
        const { id } = await find(input)
        throw engine.badInput(`File '${id}' is not downloadable.`, { code: 'file_not_downloadable' })
      },
    },
    {
      method: 'DELETE',
      path: '/v1/files/{file_id}',
      op: 'other',
      describe: describeRoute('DELETE', `/v1/files/${UNKNOWN}`, 'delete a file', 'Unknown id', 404),
      async handle(input) {
        const found = await find(input)
        await documents.delete(found)
        return { body: { id: found.id, type: 'file_deleted' } }
      },
    },
  ]
}

export function unknownFile(engine: Engine, id: string): Error {
  return engine.badInput(`File not found: ${id.slice(0, 100)}`, { status: 404, kind: 'not_found' })
}

/** Replaces the files that blocks name by their names and sizes; throws for unknown ones. */
export async function describeFiles(
  engine: Engine,
  documents: Documents,
  input: RouteInput,
  body: Record<string, unknown>,
): Promise<Record<string, unknown>> {
  const { json } = engine
  const names = new Map<string, string>()
  const blocks = json.listOf(body.messages).flatMap(message => json.listOf(json.own(message, 'content')))
  for (const block of blocks) {
    const source = json.own(block, 'source')
    const id = json.own(source, 'type') === 'file' ? json.textOf(json.own(source, 'file_id')) : undefined
    if (id === undefined || names.has(id)) continue
    const found = await documents.get(input, FILE_KIND, id)
    if (found === undefined) throw unknownFile(engine, id)
    names.set(id, `${found.name} (${found.bytes} bytes)`)
  }
  if (names.size === 0) return body
  const named = (block: unknown): unknown => {
    const name = names.get(json.textOf(json.own(json.own(block, 'source'), 'file_id')) ?? '')
    return name === undefined ? block : { ...json.objectOf(block), source: { type: 'file', file_id: name } }
  }
  return {
    ...body,
    messages: json.listOf(body.messages).map(message => {
      const content = json.own(message, 'content')
      return Array.isArray(content) ? { ...json.objectOf(message), content: content.map(named) } : message
    }),
  }
}

function show({ id, name, type, bytes, createdAt, expiresAt }: DocumentFacts): object {
  return {
    id,
    type: 'file',
    filename: name,
    mime_type: type,
    size_bytes: bytes,
    created_at: new Date(createdAt).toISOString(),
    downloadable: false,
    expires_at: expiresAt === null ? null : new Date(expiresAt).toISOString(),
  }
}
