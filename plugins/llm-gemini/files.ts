/** Files: uploads, resumable or whole, and `files`. */
import { createHash } from 'node:crypto'
import type { DocumentFacts, Documents, Engine, HandlerRoute, NewDocument, Rendered, RouteInput } from '../llm/types.ts'
import { field } from './fields.ts'
import { readPage } from './page.ts'
import { parseRelated } from './multipart-related.ts'
import type { UploadStore } from './upload-store.ts'

export const FILE_KIND = 'file'
const GENERATED = 'GENERATED'
const LIFETIME_MS = 48 * 3_600_000
const LETTERS = 'abcdefghijklmnopqrstuvwxyz0123456789'
const UNKNOWN = 'unknown00000'
const BETA = ['/ai/gemini/v1']
const contentType = 'application/json; charset=UTF-8'

/** The answer of a route: JSON with the vendor's content type. */
export function replyOf(body: object, headers?: Record<string, string>): Rendered {
  return { body, contentType, ...(headers === undefined ? {} : { headers }) }
}

export function describeRoute(
  method: string,
  path: string,
  summary: string,
  name: string,
  expectStatus: number,
): HandlerRoute['describe'] {
  return { summary, examples: [{ name, method, path: `/ai/gemini${path}`, expectStatus }] }
}

export function fileRoutes(engine: Engine, documents: Documents, uploads: UploadStore): HandlerRoute[] {
  const find = async (input: RouteInput): Promise<DocumentFacts> => {
    const id = (input.params.file ?? '').replace(/^files\//, '')
    const found = await documents.get(input, FILE_KIND, id)
    // The vendor does not tell whether a file of others exists.
    if (found === undefined)
      throw engine.badInput(`You do not have permission to access the File ${id.slice(0, 100)} or it may not exist.`, {
        kind: 'forbidden',
        status: 403,
      })
    return found
  }
  const download = async (input: RouteInput): Promise<Rendered> => {
    const found = await find(input)
    if (found.meta.source !== GENERATED)
      throw engine.badInput('Only generated files can be downloaded.', { status: 400 })
    const chunks = await documents.chunks(found)
    if (chunks === undefined) throw engine.badInput('The file has expired.', { kind: 'not_found', status: 404 })
    return { body: '', stored: { bytes: found.bytes, chunks }, contentType: found.type }
  }
  return [
    {
      method: 'POST',
      path: '/upload/v1beta/files',
      op: 'other',
      describe: {
        summary: 'upload a file',
        description: 'Resumable with `X-Goog-Upload-Command`, as multipart/related, or as the whole body.',
        parameters: ['X-Goog-Upload-Command', 'X-Goog-Upload-Offset', 'X-Goog-Upload-Header-Content-Type'].map(
          name => ({
            name,
            in: 'header' as const,
            schema: { type: 'string' as const },
          }),
        ),
        examples: [
          {
            name: 'A few bytes',
            method: 'POST',
            path: '/ai/gemini/upload/v1beta/files',
            headers: [{ name: 'Content-Type', value: 'text/plain' }],
            body: 'hello',
            bodyType: null,
            expectStatus: 200,
          },
        ],
      },
      handle: input => upload(engine, documents, uploads, input),
    },
    {
      method: 'GET',
      path: '/v1beta/files',
      aliases: BETA,
      op: 'other',
      describe: describeRoute('GET', '/v1beta/files', 'list files', 'All files', 200),
      async handle(input) {
        const { start, size } = readPage(engine, input, { method: 'ListFilesRequest', usual: 10, max: 100 })
        const files = (await documents.list(input, FILE_KIND)).toReversed()
        const { items, nextToken } = engine.cutPage(files, start, size)
        return replyOf({
          ...(items.length === 0 ? {} : { files: items.map(file => showFile(file, input)) }),
          ...(nextToken === null ? {} : { nextPageToken: nextToken }),
        })
      },
    },
    {
      method: 'GET',
      path: '/download/v1beta/files/{file}:download',
      op: 'other',
      describe: describeRoute(
        'GET',
        `/download/v1beta/files/${UNKNOWN}:download?alt=media`,
        'download a file',
        'Unknown file',
        403,
      ),
      handle: download,
    },
    {
      method: 'GET',
      path: '/v1beta/files/{file}:download',
      aliases: BETA,
      op: 'other',
      describe: describeRoute(
        'GET',
        `/v1beta/files/${UNKNOWN}:download?alt=media`,
        'download a file',
        'Unknown file',
        403,
      ),
      handle: download,
    },
    {
      method: 'GET',
      path: '/v1beta/files/{*file}',
      aliases: BETA,
      op: 'other',
      describe: describeRoute('GET', `/v1beta/files/${UNKNOWN}`, 'get a file', 'Unknown file', 403),
      handle: async input => replyOf(showFile(await find(input), input)),
    },
    {
      method: 'DELETE',
      path: '/v1beta/files/{*file}',
      aliases: BETA,
      op: 'other',
      describe: describeRoute('DELETE', `/v1beta/files/${UNKNOWN}`, 'delete a file', 'Unknown file', 403),
      async handle(input) {
        await documents.delete(await find(input))
        return replyOf({})
      },
    },
  ]
}

async function upload(
  engine: Engine,
  documents: Documents,
  uploads: UploadStore,
  input: RouteInput,
): Promise<Rendered> {
  const header = (name: string): string | undefined => {
    const value = input.headers[name]
    return Array.isArray(value) ? value[0] : value
  }
  const commands = (header('x-goog-upload-command') ?? '').split(',').map(word => word.trim().toLowerCase())
  if (commands.includes('start')) {
    const given = engine.json.own(input.body.length === 0 ? {} : input.json(), 'file')
    const id = engine.randomId(32)
    await uploads.begin(input, id, {
      name: nameOf(engine, field(engine, given, 'name')),
      displayName: engine.json.textOf(field(engine, given, 'displayName')) ?? null,
      type:
        engine.json.textOf(field(engine, given, 'mimeType')) ??
        header('x-goog-upload-header-content-type') ??
        'application/octet-stream',
    })
    const url = input.url(`${input.basePath}/upload/v1beta/files?upload_id=${id}&upload_protocol=resumable`)
    return replyOf({}, { 'X-Goog-Upload-URL': url, 'X-Goog-Upload-Status': 'active' })
  }
  const uploadId = input.query.get('upload_id')
  if (uploadId === null) return wholeUpload(engine, documents, input, header('content-type') ?? '')
  const offset = Number(header('x-goog-upload-offset') ?? 0)
  const added = await uploads.append(input, uploadId, offset, input.body)
  if (added === 'unknown')
    throw engine.badInput('The upload does not exist or has expired.', { kind: 'not_found', status: 404 })
  if (added === 'wrong offset')
    throw engine.badInput('X-Goog-Upload-Offset does not match the number of bytes received.', { status: 400 })
  if (!commands.includes('finalize')) return replyOf({}, { 'X-Goog-Upload-Status': 'active' })
  await uploads.end(input, uploadId)
  const owner = { provider: input.provider, session: added.session }
  const file = await storeFile(engine, documents, owner, { ...added.file, content: added.content })
  return replyOf({ file: showFile(file, input) }, { 'X-Goog-Upload-Status': 'final' })
}

/** A body with the file, or with its description and the file. */
async function wholeUpload(engine: Engine, documents: Documents, input: RouteInput, type: string): Promise<Rendered> {
  const parts = parseRelated(input.body, type)
  const media = parts?.[1] ?? { type: type === '' ? 'application/octet-stream' : type, content: input.body }
  let given: unknown = {}
  try {
    given = parts?.[0] === undefined ? {} : engine.json.own(JSON.parse(parts[0].content.toString()), 'file')
  } catch {
    throw engine.badInput('The first part must be a JSON object.')
  }
  const file = await storeFile(engine, documents, input, {
    name: nameOf(engine, field(engine, given, 'name')),
    displayName: engine.json.textOf(field(engine, given, 'displayName')) ?? null,
    type: engine.json.textOf(field(engine, given, 'mimeType')) ?? media.type,
    content: media.content,
  })
  return replyOf({ file: showFile(file, input) })
}

/** The id of `files/<id>`, or a new one. */
function nameOf(engine: Engine, given: unknown): string {
  const id = engine.json.textOf(given)?.replace(/^files\//, '')
  if (id === undefined) return newId(engine, 12)
  if (/^[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?$/.test(id)) return id
  throw engine.badInput('* CreateFileRequest.file.name: file names have up to 40 lower-case letters, digits and dashes')
}

function newId(engine: Engine, length: number): string {
  const digits = engine.randomId(length * 2)
  return Array.from(
    { length },
    (_, at) => LETTERS[parseInt(digits.slice(at * 2, at * 2 + 2), 16) % LETTERS.length],
  ).join('')
}

export async function storeFile(
  engine: Engine,
  documents: Documents,
  owner: { provider: string; session: string },
  file: {
    name: string
    displayName: string | null
    type: string
    content: NewDocument['content']
    isGenerated?: true
  },
): Promise<DocumentFacts> {
  const { name, displayName, type, content, isGenerated } = file
  const given: NewDocument = {
    kind: FILE_KIND,
    id: name,
    name: displayName ?? '',
    type,
    content,
    ttlMs: LIFETIME_MS,
    meta: {
      sha256: sha256Of(content),
      source: isGenerated === true ? GENERATED : 'UPLOADED',
    },
  }
  // What is generated has the same content each time.
  const stored = await (isGenerated === true ? documents.put(owner, given) : documents.create(owner, given))
  if (stored === 'exists')
    throw engine.badInput(`The file files/${name} already exists.`, { status: 409, type: 'ALREADY_EXISTS' })
  if (stored !== undefined) return stored
  throw engine.badInput(`The file is too large: at most ${documents.maxBytes} bytes are supported.`, {
    kind: 'too_large',
    status: 413,
  })
}

function sha256Of(content: NewDocument['content']): string {
  const hash = createHash('sha256')
  for (const part of Buffer.isBuffer(content) ? [content] : 'chunks' in content ? content.chunks : content)
    hash.update(part)
  return hash.digest('base64')
}

export function showFile(file: DocumentFacts, input: RouteInput): object {
  const { id, name, type, bytes, createdAt, expiresAt, meta } = file
  const time = new Date(createdAt).toISOString()
  const uri = input.url(`${input.basePath}/v1beta/files/${id}`)
  return {
    name: `files/${id}`,
    ...(name === '' ? {} : { displayName: name }),
    mimeType: type,
    sizeBytes: String(bytes),
    createTime: time,
    updateTime: time,
    expirationTime: new Date(expiresAt ?? createdAt + LIFETIME_MS).toISOString(),
    sha256Hash: meta.sha256,
    uri,
    ...(meta.source === GENERATED ? { downloadUri: `${uri}:download?alt=media` } : {}),
    state: 'ACTIVE',
    source: meta.source,
  }
}
