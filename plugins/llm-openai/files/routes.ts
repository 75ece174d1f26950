/** The routes of files. */
import type { DocumentFacts, Documents, Engine, HandlerRoute, NewDocument, RouteInput } from '../../llm/types.ts'
import { describeGet, describeOther } from '../format/describe.ts'
import { pageOf } from '../format/page.ts'
import { missing } from '../format/parameters.ts'

export type FileRouteName = 'createFile' | 'listFiles' | 'file' | 'deleteFile' | 'fileContent'

export const FILE_KIND = 'file'
const PURPOSES = ['assistants', 'batch', 'fine-tune', 'vision', 'user_data', 'evals']
const MIN_SECONDS = 3600
const MAX_SECONDS = 2_592_000
const UNKNOWN = `file-${'0'.repeat(24)}`

/** The form of a request whose fields are given. */
export const MULTIPART_EXAMPLE = (
  fields: Record<string, string>,
  file: { name: string; filename: string; text: string },
): string =>
  [
    ...Object.entries(fields).map(([name, value]) => `Content-Disposition: form-data; name="${name}"\r\n\r\n${value}`),
    `Content-Disposition: form-data; name="${file.name}"; filename="${file.filename}"\r\nContent-Type: application/octet-stream\r\n\r\n${file.text}`,
  ]
    .map(part => `--svc\r\n${part}\r\n`)
    .join('')
    .concat('--svc--\r\n')

export function fileRoutes(engine: Engine, documents: Documents): Record<FileRouteName, HandlerRoute> {
  const find = async (input: RouteInput): Promise<DocumentFacts> =>
    findFile(engine, documents, input, input.params.file_id ?? '')
  return {
    createFile: {
      method: 'POST',
      path: '/files',
      op: 'other',
      describe: {
        summary: 'upload a file',
        requestBody: {
          required: true,
          content: {
            'multipart/form-data': {
              type: 'object',
              properties: { file: { type: 'string', format: 'binary' }, purpose: { enum: PURPOSES } },
              required: ['file', 'purpose'],
            },
          },
        },
        examples: [
          {
            name: 'A few bytes',
            method: 'POST',
            path: '/ai/openai/v1/files',
            headers: [{ name: 'Content-Type', value: 'multipart/form-data; boundary=svc' }],
            body: MULTIPART_EXAMPLE({ purpose: 'user_data' }, { name: 'file', filename: 'a.txt', text: 'hello' }),
            bodyType: null,
            expectStatus: 200,
          },
        ],
      },
      async handle(input) {
        const form = await engine.readForm(input)
        const file = form.get('file')
        if (file === null || typeof file === 'string') throw missing(engine, 'file')
        const text = (name: string): string | null => {
          const value = form.get(name)
          return typeof value === 'string' ? value : null
        }
        const purpose = purposeOf(engine, text('purpose'), file.name)
        const seconds = expiryOf(engine, text('expires_after[anchor]'), text('expires_after[seconds]'))
        const stored = await storeFile(engine, documents, input, {
          name: file.name,
          purpose,
          content: Buffer.from(await file.arrayBuffer()),
          seconds,
        })
        return { body: showFile(stored) }
      },
    },
    listFiles: {
      method: 'GET',
      path: '/files',
      op: 'other',
      describe: describeGet('/files', 'list files', 'All files'),
      async handle(input) {
        const purpose = input.query.get('purpose')
        const files = (await documents.list(input, FILE_KIND)).map(showFile)
        const wanted = purpose === null ? files : files.filter(file => file.purpose === purpose)
        return { body: pageOf(engine, wanted, input.query, { limit: 10_000, max: 10_000 }) }
      },
    },
    file: {
      method: 'GET',
      path: '/files/{file_id}',
      op: 'other',
      describe: describeGet(`/files/${UNKNOWN}`, 'get a file', 'Unknown id', 404),
      handle: async input => ({ body: showFile(await find(input)) }),
    },
    deleteFile: {
      method: 'DELETE',
      path: '/files/{file_id}',
      op: 'other',
      describe: describeOther('DELETE', `/files/${UNKNOWN}`, 'delete a file', 'Unknown id', 404),
      async handle(input) {
        const found = await find(input)
        await documents.delete(found)
        return { body: { id: found.id, object: 'file', deleted: true } }
      },
    },
    fileContent: {
      method: 'GET',
      path: '/files/{file_id}/content',
      op: 'other',
      describe: describeGet(`/files/${UNKNOWN}/content`, 'get the content of a file', 'Unknown id', 404),
      async handle(input) {
        const found = await find(input)
        const chunks = await documents.chunks(found)
        if (chunks === undefined) throw unknownFile(engine, found.id)
        return { body: '', stored: { bytes: found.bytes, chunks }, contentType: 'application/octet-stream' }
      },
    },
  }
}

export async function findFile(
  engine: Engine,
  documents: Documents,
  input: RouteInput,
  id: string,
  details: { status?: number } = {},
): Promise<DocumentFacts> {
  const found = await documents.get(input, FILE_KIND, id)
  if (found === undefined) throw unknownFile(engine, id, details)
  return found
}

export function unknownFile(engine: Engine, id: string, details: { status?: number; param?: string } = {}): Error {
  return engine.badInput(`No such File object: ${id.slice(0, 100)}`, { status: 404, param: 'id', ...details })
}

/** Stores a file, or throws because it is too large. */
export async function storeFile(
  engine: Engine,
  documents: Documents,
  owner: { provider: string; session: string },
  file: {
    id?: string
    name: string
    purpose: string
    content: NewDocument['content']
    seconds?: number | undefined
  },
): Promise<DocumentFacts> {
  const { id = `file-${engine.randomId(24)}`, name, purpose, content, seconds } = file
  const stored = await documents.put(owner, {
    kind: FILE_KIND,
    id,
    name,
    type: 'application/octet-stream',
    content,
    meta: { purpose },
    ...(seconds === undefined ? {} : { ttlMs: seconds * 1000 }),
  })
  if (stored !== undefined) return stored
  throw engine.badInput(`The file is too large: at most ${documents.maxBytes} bytes are supported.`, {
    status: 413,
    param: 'file',
  })
}

/** A file as clients see it. */
export interface ShownFile extends Record<string, unknown> {
  id: string
  purpose: string
}

export function showFile({ id, bytes, createdAt, expiresAt, name, meta }: DocumentFacts): ShownFile {
  return {
    id,
    object: 'file',
    bytes,
    created_at: Math.floor(createdAt / 1000),
    expires_at: expiresAt === null ? null : Math.floor(expiresAt / 1000),
    filename: name,
    purpose: String(meta.purpose),
    status: 'processed',
    status_details: null,
  }
}

export function purposeOf(engine: Engine, purpose: string | null, filename: string): string {
  if (purpose === null) throw missing(engine, 'purpose')
  if (!PURPOSES.includes(purpose))
    throw engine.badInput(`Invalid value for 'purpose': expected one of ${PURPOSES.join(', ')}.`, {
      param: 'purpose',
      code: 'invalid_value',
    })
  if (purpose === 'batch' && !filename.endsWith('.jsonl'))
    throw engine.badInput('Invalid file format for Batch API. Must be .jsonl.', { param: 'file' })
  return purpose
}

/** Seconds until a file expires, of the fields of a form; undefined: it does not, before all files do. */
export function expiryOf(engine: Engine, anchor: string | null, text: string | null): number | undefined {
  if (anchor === null && text === null) return undefined
  return secondsOf(engine, 'expires_after', { anchor, seconds: /^\d{1,9}$/.test(text ?? '') ? Number(text) : null })
}

/** The same of a member of a JSON body. */
export function jsonExpiryOf(engine: Engine, body: Record<string, unknown>, param: string): number | undefined {
  const { json } = engine
  const given = body[param]
  if (given == null) return undefined
  return secondsOf(engine, param, { anchor: json.own(given, 'anchor'), seconds: json.own(given, 'seconds') })
}

function secondsOf(engine: Engine, param: string, given: { anchor: unknown; seconds: unknown }): number {
  const seconds = engine.json.countOf(given.seconds) ?? 0
  if (given.anchor === 'created_at' && seconds >= MIN_SECONDS && seconds <= MAX_SECONDS) return seconds
  throw engine.badInput(
    `Invalid '${param}': expected the anchor 'created_at' and ${MIN_SECONDS} to ${MAX_SECONDS} seconds.`,
    { param, code: 'invalid_value' },
  )
}
