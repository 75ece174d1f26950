/** Lists of persisted documents: a manifest of Apollo's tools, or a flat object that maps ids to documents. */
import { isRecord, InputProblem } from 'svc/toolkit'

const APOLLO_FORMAT = 'apollo-persisted-query-manifest'
const MAX_DOCUMENTS = 1000
const MAX_DOCUMENT_BYTES = 64 * 1024
const MAX_BYTES = 8 * 1024 * 1024
/** Of an id. The index of all is a small value that every replica has in memory. */
const MAX_ID = 100
const ID = /^[\x21-\x7e]+$/

/** Reads a list. Throws an `InputProblem` with the place of what is wrong. */
export function readManifest(value: unknown): Map<string, string> {
  if (!isRecord(value)) throw new InputProblem('', 'expected a manifest, or an object that maps ids to documents')
  return checked(isRecord(value) && Array.isArray(value['operations']) ? operationsOf(value) : flat(value))
}

/** `{format, version, operations: [{id, name, type, body}]}`. */
function operationsOf({
  format,
  version,
  operations,
}: Record<string, unknown>): [at: string, id: string, text: string][] {
  if (format !== APOLLO_FORMAT) throw new InputProblem('format', `expected "${APOLLO_FORMAT}"`)
  if (version !== 1) throw new InputProblem('version', 'expected 1')
  return (operations as unknown[]).slice(0, MAX_DOCUMENTS + 1).map((operation, index) => {
    const at = `operations[${index}]`
    if (!isRecord(operation)) throw new InputProblem(at, 'expected an object with id and body')
    const { id, body } = operation
    if (typeof id !== 'string') throw new InputProblem(`${at}.id`, 'expected a text')
    if (typeof body !== 'string') throw new InputProblem(`${at}.body`, 'expected a text')
    return [at, id, body]
  })
}

function flat(value: Record<string, unknown>): [at: string, id: string, text: string][] {
  return Object.entries(value)
    .slice(0, MAX_DOCUMENTS + 1)
    .map(([id, text]) => {
      const at = JSON.stringify(id.slice(0, MAX_ID))
      if (typeof text !== 'string') throw new InputProblem(at, 'expected the text of a document')
      return [at, id, text]
    })
}

function checked(list: readonly [at: string, id: string, text: string][]): Map<string, string> {
  if (list.length > MAX_DOCUMENTS) throw new InputProblem('', `expected at most ${MAX_DOCUMENTS} documents`)
  const documents = new Map<string, string>()
  let bytes = 0
  for (const [at, id, text] of list) {
    if (id.length > MAX_ID || !ID.test(id))
      throw new InputProblem(at, `expected an id of 1 to ${MAX_ID} printable ASCII characters`)
    if (documents.has(id)) throw new InputProblem(at, 'this id is already in the list')
    const own = Buffer.byteLength(text)
    if (text.trim() === '') throw new InputProblem(at, 'the document is blank')
    if (own > MAX_DOCUMENT_BYTES) throw new InputProblem(at, `a document can have at most ${MAX_DOCUMENT_BYTES} bytes`)
    bytes += own
    if (bytes > MAX_BYTES) throw new InputProblem('', `all documents together can have at most ${MAX_BYTES} bytes`)
    documents.set(id, text)
  }
  return documents
}
