/** Uploads: files that are sent in parts. */
import { createHash } from 'node:crypto'
import { createRecords, Pacer, type RecordStore, type StoredRecord, type Svc } from 'svc/plugin'
import type { Documents, Engine, HandlerRoute, RouteInput } from '../../llm/types.ts'
import { describeOther, describePost } from '../format/describe.ts'
import { jsonExpiryOf, MULTIPART_EXAMPLE, purposeOf, showFile, storeFile } from './routes.ts'
import { missing } from '../format/parameters.ts'

export type UploadRouteName = 'createUpload' | 'addPart' | 'completeUpload' | 'cancelUpload'

/** An upload without the content of its parts. Plain data. */
interface Upload {
  provider: string
  session: string
  id: string
  filename: string
  purpose: string
  bytes: number
  /** Seconds until the file expires; null: it does not. */
  fileSeconds: number | null
  /** Seconds since 1970. */
  created: number
  status: 'pending' | 'completed' | 'cancelled'
  parts: { id: string; bytes: number }[]
  /** What a completed upload shows as its file. */
  file: Record<string, unknown> | null
}

const MIB = 1024 * 1024
const LIFETIME_MS = 3_600_000
/** Of all uploads without their parts. */
const UPLOADS_BYTES = 4 * MIB
const BOUNDS = {
  normal: { uploads: 50, parts: 100, maxBytes: 64 * MIB },
  public: { uploads: 5, parts: 10, maxBytes: 8 * MIB },
}
const UNKNOWN = `upload_${'0'.repeat(24)}`

export class UploadStore {
  readonly maxParts: number
  readonly #uploads: RecordStore<Upload>
  /** The contents of parts as base64. */
  readonly #parts: RecordStore<string>

  constructor(svc: Svc) {
    const { uploads, parts, maxBytes } = BOUNDS[svc.config.publicMode ? 'public' : 'normal']
    this.maxParts = parts
    const common = { ttlMs: LIFETIME_MS, schema: 2 }
    this.#uploads = createRecords(
      svc,
      svc.state<StoredRecord<Upload>>('uploads', { maxCount: uploads, maxBytes: UPLOADS_BYTES, ...common }),
    )
    this.#parts = createRecords(
      svc,
      svc.state<StoredRecord<string>>('upload-parts', { maxCount: uploads * parts, maxBytes, ...common }),
    )
  }

  put(upload: Upload): Promise<void> {
    return this.#uploads.of(upload.provider, upload.session).put(upload.id, upload)
  }

  get({ provider, session }: RouteInput, id: string): Promise<Upload | undefined> {
    return this.#uploads.of(provider, session).peek(id)
  }

  change({ provider, session, id }: Upload, change: (upload: Upload) => Upload): Promise<Upload | undefined> {
    return this.#uploads.of(provider, session).change(id, change)
  }

  putPart({ provider, session }: Upload, part: string, content: Buffer): Promise<void> {
    return this.#parts.of(provider, session).put(part, content.toString('base64'))
  }

  /** The content of a part as base64. */
  part({ provider, session }: Upload, part: string): Promise<string | undefined> {
    return this.#parts.of(provider, session).peek(part)
  }

  /** Removes the parts. */
  async drop({ provider, session, parts }: Upload): Promise<void> {
    const kept = this.#parts.of(provider, session)
    for (const { id } of parts) await kept.delete(id)
  }

  async clear(session: string | null): Promise<number> {
    await this.#parts.clear(session)
    return this.#uploads.clear(session)
  }

  bytes(): Promise<number> {
    return this.#parts.bytes()
  }
}

export function uploadRoutes(
  engine: Engine,
  uploads: UploadStore,
  documents: Documents,
): Record<UploadRouteName, HandlerRoute> {
  const { json } = engine
  const find = async (input: RouteInput): Promise<Upload> => {
    const id = input.params.upload_id ?? ''
    const found = await uploads.get(input, id)
    if (found === undefined)
      throw engine.badInput(`No such Upload object: ${id.slice(0, 100)}`, { status: 404, param: 'id' })
    return found
  }
  const open = async (input: RouteInput): Promise<Upload> => {
    const found = await find(input)
    if (found.status !== 'pending')
      throw engine.badInput(`Upload has status '${found.status}' and can't be changed.`, { param: 'upload_id' })
    return found
  }
  return {
    createUpload: {
      method: 'POST',
      path: '/uploads',
      op: 'other',
      describe: describePost('/uploads', 'begin an upload', [
        {
          name: 'Eleven bytes',
          body: { filename: 'a.txt', purpose: 'user_data', bytes: 11, mime_type: 'text/plain' },
        },
      ]),
      async handle(input) {
        const body = input.json()
        const filename = json.textOf(body.filename)
        if (filename === undefined) throw missing(engine, 'filename')
        if (json.textOf(body.mime_type) === undefined) throw missing(engine, 'mime_type')
        const bytes = json.countOf(body.bytes)
        if (bytes === undefined) throw missing(engine, 'bytes')
        if (bytes > documents.maxBytes)
          throw engine.badInput(`Invalid 'bytes': at most ${documents.maxBytes} are supported.`, { param: 'bytes' })
        const upload: Upload = {
          provider: input.provider,
          session: input.session,
          id: `upload_${engine.randomId(24)}`,
          filename: filename.slice(0, 200),
          purpose: purposeOf(engine, json.textOf(body.purpose) ?? null, filename),
          bytes,
          fileSeconds: jsonExpiryOf(engine, body, 'expires_after') ?? null,
          created: Math.floor(Date.now() / 1000),
          status: 'pending',
          parts: [],
          file: null,
        }
        await uploads.put(upload)
        return { body: show(upload) }
      },
    },
    addPart: {
      method: 'POST',
      path: '/uploads/{upload_id}/parts',
      op: 'other',
      describe: {
        summary: 'add a part to an upload',
        requestBody: {
          required: true,
          content: {
            'multipart/form-data': {
              type: 'object',
              properties: { data: { type: 'string', format: 'binary' } },
              required: ['data'],
            },
          },
        },
        examples: [
          {
            name: 'Unknown id',
            method: 'POST',
            path: `/ai/openai/v1/uploads/${UNKNOWN}/parts`,
            headers: [{ name: 'Content-Type', value: 'multipart/form-data; boundary=svc' }],
            body: MULTIPART_EXAMPLE({}, { name: 'data', filename: 'part', text: 'hello' }),
            bodyType: null,
            expectStatus: 404,
          },
        ],
      },
      async handle(input) {
        const upload = await open(input)
        const data = (await engine.readForm(input)).get('data')
        if (data === null || typeof data === 'string') throw missing(engine, 'data')
        const sent = upload.parts.reduce((sum, part) => sum + part.bytes, 0)
        if (upload.parts.length >= uploads.maxParts)
          throw engine.badInput(`An upload has at most ${uploads.maxParts} parts.`, { param: 'data' })
        if (sent + data.size > upload.bytes)
          throw engine.badInput(`The parts have more bytes than the upload: ${sent + data.size} of ${upload.bytes}.`, {
            param: 'data',
          })
        const id = `part_${engine.randomId(24)}`
        await uploads.putPart(upload, id, Buffer.from(await data.arrayBuffer()))
        const bytes = data.size
        await uploads.change(upload, found => ({ ...found, parts: [...found.parts, { id, bytes }] }))
        return { body: { id, object: 'upload.part', created_at: Math.floor(Date.now() / 1000), upload_id: upload.id } }
      },
    },
    completeUpload: {
      method: 'POST',
      path: '/uploads/{upload_id}/complete',
      op: 'other',
      describe: describePost(`/uploads/${UNKNOWN}/complete`, 'complete an upload', [
        { name: 'Unknown id', body: { part_ids: [] }, status: 404 },
      ]),
      async handle(input) {
        const upload = await open(input)
        const body = input.json()
        const ids = json.listOf(body.part_ids)
        const contents: string[] = []
        let bytes = 0
        for (const id of ids.slice(0, uploads.maxParts)) {
          const own = upload.parts.find(part => part.id === id)
          const content = own && (await uploads.part(upload, own.id))
          if (content === undefined)
            throw engine.badInput(`No such Part object: ${String(id).slice(0, 100)}`, { param: 'part_ids' })
          contents.push(content)
          bytes += own!.bytes
        }
        if (bytes !== upload.bytes)
          throw engine.badInput(`The parts have ${bytes} bytes, but the upload has ${upload.bytes}.`, {
            param: 'part_ids',
          })
        if (body.md5 != null && body.md5 !== (await md5Of(contents)))
          throw engine.badInput('The MD5 checksum of the parts differs from the given one.', { param: 'md5' })
        const { filename: name, purpose, fileSeconds } = upload
        const content = { bytes, chunks: decoded(contents) }
        const given = { name, purpose, content, seconds: fileSeconds ?? undefined }
        const file = { ...showFile(await storeFile(engine, documents, input, given)) }
        const changed = await uploads.change(upload, found => ({ ...found, status: 'completed', parts: [], file }))
        await uploads.drop(upload)
        return { body: show(changed ?? { ...upload, status: 'completed', file }) }
      },
    },
    cancelUpload: {
      method: 'POST',
      path: '/uploads/{upload_id}/cancel',
      op: 'other',
      describe: describeOther('POST', `/uploads/${UNKNOWN}/cancel`, 'cancel an upload', 'Unknown id', 404),
      async handle(input) {
        const upload = await open(input)
        const changed = await uploads.change(upload, found => ({ ...found, status: 'cancelled', parts: [] }))
        await uploads.drop(upload)
        return { body: show(changed ?? { ...upload, status: 'cancelled' }) }
      },
    },
  }
}

function* decoded(parts: readonly string[]): Iterable<Buffer> {
  for (const part of parts) yield Buffer.from(part, 'base64')
}

async function md5Of(parts: readonly string[]): Promise<string> {
  const hash = createHash('md5')
  const pacer = new Pacer()
  for (const part of decoded(parts)) {
    hash.update(part)
    if (pacer.isDue) await pacer.pause()
  }
  return hash.digest('hex')
}

function show({ id, bytes, created, filename, purpose, status, file }: Upload): object {
  return {
    id,
    object: 'upload',
    bytes,
    created_at: created,
    expires_at: created + LIFETIME_MS / 1000,
    filename,
    purpose,
    status,
    file,
  }
}
