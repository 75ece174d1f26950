/** Owns what the parts of version 0.3 share in both bindings: file parts, metadata and push configs. */
import type { PushConfig } from '../../protocol/push-config.ts'
import type { JsonObject, Part } from '../../types.ts'
import { onlyContent, readBase64, readFileFields, readObject, readText } from '../read.ts'

/** The keys of a file's content, which differ between the bindings. */
export interface FileKeys {
  bytes: string
  uri: string
}

export function readFilePart(part: JsonObject, keys: FileKeys, path: string): Part {
  const file = readObject(part, 'file', `${path}.file`) ?? {}
  const fields = readFileFields(file, { filename: 'name', mediaType: 'mimeType' }, `${path}.file`)
  if (onlyContent(file, [keys.bytes, keys.uri], `${path}.file`) === keys.bytes)
    return { raw: readBase64(file, keys.bytes, `${path}.file.${keys.bytes}`), ...fields }
  return { url: readText(file, keys.uri, `${path}.file.${keys.uri}`) as string, ...fields }
}

/** The value of `file`. */
export function renderFile(part: Extract<Part, { raw: string } | { url: string }>, keys: FileKeys): JsonObject {
  return {
    ...('raw' in part ? { [keys.bytes]: part.raw } : { [keys.uri]: part.url }),
    ...(part.mediaType ? { mimeType: part.mediaType } : {}),
    ...(part.filename ? { name: part.filename } : {}),
  }
}

/** The member `metadata`, omitted if empty. */
export function renderMetadata({ metadata }: Part): { metadata?: JsonObject } {
  return metadata && Object.keys(metadata).length > 0 ? { metadata } : {}
}

/** In version 0.3 a push config has a list of authentication schemes. */
export function renderPushConfig({ id, url, token, authentication }: PushConfig): JsonObject {
  const schemes = authentication && {
    schemes: [authentication.scheme],
    ...(authentication.credentials === undefined ? {} : { credentials: authentication.credentials }),
  }
  return { id, url, ...(token === undefined ? {} : { token }), ...(schemes ? { authentication: schemes } : {}) }
}
