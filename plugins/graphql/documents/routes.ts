/** `/_svc/graphql/documents`: the persisted documents. */
import { describe, HttpError, refusal, type FastifyInstance, type Svc } from 'svc/plugin'
import { INTEGER, InputProblem, jsonReply, list, object, RECORD, TEXT } from 'svc/toolkit'
import { readManifest } from './manifest.ts'
import type { PersistedDocuments } from './persisted-documents.ts'

const PATH = '/_svc/graphql/documents'
/** The texts of all documents, as JSON. */
const MAX_BODY = 12 * 1024 * 1024
const CATEGORY = 'Control Plane'
const PUBLIC = { 403: { description: 'In public mode, documents come from the file only' } }

export function registerDocuments(
  app: FastifyInstance,
  svc: Pick<Svc, 'config' | 'http'>,
  documents: PersistedDocuments,
): void {
  const { publicMode } = svc.config

  app.get(
    PATH,
    describe({
      summary: 'List the persisted GraphQL documents',
      category: CATEGORY,
      reply: jsonReply(object({ count: INTEGER, mode: TEXT, documents: list(RECORD) })),
      responses: { 200: { description: 'Ids and digests, of the file and of the last PUT' } },
      examples: [{ name: 'Documents', path: PATH, expectStatus: 200 }],
    }),
    () => {
      const all = documents.list()
      return { count: all.length, mode: documents.mode, documents: all }
    },
  )

  app.put(
    PATH,
    describe({
      summary: 'Replace the persisted GraphQL documents',
      description:
        'Takes a manifest of Apollo’s tools, or an object that maps ids to documents. Those of the file stay.',
      category: CATEGORY,
      credentials: ['none', 'adminToken'],
      ...(publicMode ? {} : { ownBodyLimit: MAX_BODY }),
      requestBody: { required: true, content: { 'application/json': { type: 'object' } } },
      reply: jsonReply(object({ count: INTEGER })),
      responses: {
        200: { description: 'The number of documents' },
        400: { description: '`invalid_documents`, with the place of what is wrong' },
        ...PUBLIC,
      },
      examples: [
        {
          name: 'One document',
          method: 'PUT',
          path: PATH,
          headers: [{ name: 'Content-Type', value: 'application/json' }],
          body: '{"user-name":"query($id: ID!) { user(id: $id) { name } }"}',
          bodyType: 'json',
          expectStatus: 200,
        },
      ],
    }),
    async request => {
      guard(request)
      const read = readBody(svc.http.body(request))
      await documents.replace(read)
      return { count: read.size }
    },
  )

  app.delete(
    PATH,
    describe({
      summary: 'Remove the persisted GraphQL documents that were PUT',
      category: CATEGORY,
      credentials: ['none', 'adminToken'],
      responses: { 204: { description: 'Removed' }, ...PUBLIC },
      examples: [{ name: 'Remove', method: 'DELETE', path: PATH, expectStatus: 204 }],
    }),
    async (request, reply) => {
      guard(request)
      await documents.replace(new Map())
      return reply.code(204).send()
    },
  )

  function guard(request: Parameters<typeof svc.http.guardAdmin>[0]): void {
    svc.http.guardAdmin(request)
    if (publicMode) throw refusal(403, 'public_mode', 'in public mode, documents come from graphql.documents.file only')
  }
}

function readBody(body: Buffer): Map<string, string> {
  let value: unknown
  try {
    value = JSON.parse(body.toString())
  } catch {
    throw new HttpError(400, { error: 'invalid_documents', at: '', message: 'the body must be JSON' })
  }
  try {
    return readManifest(value)
  } catch (error) {
    if (!(error instanceof InputProblem)) throw error
    throw new HttpError(400, { error: 'invalid_documents', at: error.at, message: error.message })
  }
}
